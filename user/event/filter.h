/* SPDX-License-Identifier: MIT */
/*
 * filter: which events the user asked for.
 *
 * The settings of one kind are alternatives, different kinds all have to fit. The bpf source decides in
 * the kernel from the same struct, but for regular expressions; every other source calls filter_match().
 * One filter belongs to one reader thread (following processes keeps state).
 */
#ifndef PT_EVENT_FILTER_H
#define PT_EVENT_FILTER_H

#include <regex.h>
#include <stdbool.h>

#include "base/err.h"
#include "event/event.h"
#include "event/needles.h"

struct pidset;

enum filter_id { FILTER_PID, FILTER_PPID, FILTER_UID, FILTER_CGROUP, FILTER_IDS };
enum filter_text { FILTER_NAME, FILTER_PATH, FILTER_TEXTS };
enum filter_sense { FILTER_ONLY, FILTER_EXCEPT, FILTER_SENSES };

#define FILTER_MAX 64 /* values of one kind */

struct filter_values {
	uint64_t v[FILTER_MAX];
	unsigned n;
};

struct filter {
	unsigned kinds; /* mask of EV_MASK(); what to deliver */
	struct filter_values id[FILTER_IDS][FILTER_SENSES];
	int cgroup_depth; /* level of the deepest one in id[FILTER_CGROUP] */
	struct needles text[FILTER_TEXTS][FILTER_SENSES]; /* name: within comm */
	regex_t *regex[FILTER_SENSES]; /* of comm; NULL: any */
	struct filter_values follow[FILTER_SENSES]; /* these processes and all their descendants */
	uint64_t pidns; /* EV_NO_PIDNS: any */
	uint64_t min_duration_ns; /* EXIT; 0: any */
	bool by_status; /* EXIT: by these two */
	uint64_t exit_codes[4], exit_signals[2]; /* sets of bits */
	/* State of filter_match(): processes that live and are followed, or whose path fits. */
	struct pidset *followed[FILTER_SENSES], *path_fits[FILTER_SENSES];
};

/* A filter that lets all events of all kinds pass. */
struct filter filter_any(void);

/* What follows returns 0, or -EINVAL (also: too many) or another -errno with a sentence. */
int filter_add_id(struct filter *f, enum filter_id which, enum filter_sense sense, uint64_t id,
		  struct err *e);
/* @path: see cgroup_by_path(); those below it belong to it. */
int filter_add_cgroup(struct filter *f, enum filter_sense sense, const char *path, struct err *e);
int filter_add_container(struct filter *f, enum filter_sense sense, const char *id, struct err *e);
int filter_add_text(struct filter *f, enum filter_text which, enum filter_sense sense,
		    const char *text, struct err *e);
/* One POSIX extended regular expression for each sense. */
int filter_set_regex(struct filter *f, enum filter_sense sense, const char *regex, struct err *e);
int filter_add_follow(struct filter *f, enum filter_sense sense, pid_t pid, struct err *e);
/* "nonzero", an exit code, or the name of a signal with or without SIG. */
int filter_add_status(struct filter *f, const char *text, struct err *e);

/* Whether anything is asked for besides kinds and whom to follow. */
bool filter_selects(const struct filter *f);
/* Whether processes have to be followed from their fork to their end. */
bool filter_follows(const struct filter *f);
bool filter_regex_match(const struct filter *f, const struct event *ev);
/*
 * Whether @ev passes. Must see every fork and exit, also those of kinds that are not delivered, where
 * filter_follows(). An absent field (netlink knows no uid) never matches.
 */
bool filter_match(struct filter *f, const struct event *ev);
/* Tells of a process that was there already: true if it is followed now and was not before. */
bool filter_seed(struct filter *f, pid_t pid, pid_t ppid);
/* Frees state and regular expressions; NULL-safe. */
void filter_free(struct filter *f);

#endif
