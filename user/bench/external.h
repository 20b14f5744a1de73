/* SPDX-License-Identifier: MIT */
/*
 * external: someone else's monitor, run as a command and judged by what it prints.
 *
 * external_start → external_ready → external_load_begin → (load) → external_load_end → external_end →
 * external_free, all by the command's thread; meanwhile a thread of ours only keeps what is printed, and looks
 * at nothing. Nothing that the monitor does wrong is an error: external_result says what became of it.
 */
#ifndef PT_BENCH_EXTERNAL_H
#define PT_BENCH_EXTERNAL_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "bench/ext_count.h"
#include "event/event.h"
#include "load/load.h"

enum external_output {
	EXTERNAL_TTY, /* a terminal of its own: most programs then print each line at once */
	EXTERNAL_PIPE,
};

struct external_cfg {
	char name[32];
	const char *command; /* for /bin/sh; "%f" stands for the name of a temporary file */
	const char *
		after; /* run once it has stopped: prints what the monitor kept; NULL: it prints itself */
	const char *match; /* extended regular expression of its lines about a launch; NULL: any */
	enum external_output output;
	enum event_kind kind; /* what its lines tell of: EV_EXEC or EV_EXIT */
	uint64_t
		startup_ns; /* how long it may take to see a canary; with @after, how long it is given */
	const char *unusable; /* why there is no sense in trying; NULL: there is */
};

enum external_state {
	EXTERNAL_GOOD,
	EXTERNAL_UNUSABLE, /* not installed */
	EXTERNAL_ENDED, /* by itself */
	EXTERNAL_SILENT, /* printed nothing, or nothing about the canaries */
	EXTERNAL_BUFFERED, /* told of the canaries only when it was stopped */
	EXTERNAL_FLOOD, /* printed more than is kept */
	EXTERNAL_STATES
};
extern const char *const external_state_names[];

struct external_result {
	enum external_state state;
	char why[240]; /* if it is not good; may hold text of the monitor */
	double startup_s; /* until it told of a canary */
	/* CPU time of all its processes since the load began: until the load ended; until it had printed what it
	 * had to say. */
	double load_cpu_s, user_s, sys_s;
	bool has_cpu;
	double reader_cpu_s; /* ours, for keeping what it printed */
	struct ext_counts counts;
};

struct external;

/* Starts it. @names: what all that will be launched is called. 0 or -errno and a sentence: only for want of memory
 * and the like. */
int external_start(const struct external_cfg *cfg, const struct truth *names, struct external **out,
		   struct err *e);
/* Launches canaries by @load until it tells of one. false: the result says why not. */
bool external_ready(struct external *x, struct load *load);
/* Waits until it has told of everything before, so that what follows is about the load. */
void external_settle(struct external *x, struct load *load);
/* NULL-safe, both. */
void external_load_begin(struct external *x);
void external_load_end(struct external *x);
/* Waits until it has told all that it will, stops it, and compares what it said with what @load did. 0 or -ENOMEM. */
int external_end(struct external *x, struct load *load, struct err *e);
const struct external_result *external_result(const struct external *x);
/* Stops it if it runs. NULL-safe. */
void external_free(struct external *x);

/* Checks @match as external_start() will take it. 0 or -EINVAL with what is wrong with it. */
int external_match_check(const char *match, struct err *e);

#endif
