/* SPDX-License-Identifier: MIT */
/*
 * filter: which events the user asked for.
 *
 * The bpf source decides in the kernel from the same struct; every other source calls
 * filter_match(). One filter belongs to one reader thread (following descendants keeps state).
 */
#ifndef PT_EVENT_FILTER_H
#define PT_EVENT_FILTER_H

#include <stdbool.h>

#include "base/err.h"
#include "event/event.h"

struct pidset;

struct filter {
	unsigned kinds; /* mask of EV_MASK(); what to deliver */
	char name[16]; /* comm contains this; empty: any */
	pid_t pid; /* EV_NO_PID: any */
	uid_t uid; /* EV_NO_UID: any */
	uint64_t cgroup_id; /* this cgroup or below it; EV_NO_CGROUP: any */
	int cgroup_level; /* depth of that cgroup below the root of the v2 hierarchy */
	pid_t follow; /* this process and all its descendants; EV_NO_PID: any */
	struct pidset *followed; /* state of filter_match() for @follow */
};

/* A filter that lets all events of all kinds pass. */
struct filter filter_any(void);
/* Sets @cgroup_id and @cgroup_level from the folder @path of a mounted cgroup v2 hierarchy.
 * Returns 0, or -errno with a sentence. */
int filter_set_cgroup(struct filter *f, const char *path, struct err *e);
/*
 * Whether @ev passes. Must see every fork and exit, also those of kinds that are not delivered,
 * where @follow is set. An absent field (netlink knows no uid) never matches.
 */
bool filter_match(struct filter *f, const struct event *ev);
/* Frees the state; NULL-safe, leaves the settings. */
void filter_free(struct filter *f);

#endif
