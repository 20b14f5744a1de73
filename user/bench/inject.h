/* SPDX-License-Identifier: MIT */
/*
 * inject: one fault, at known places, between a source and its recording, in the counters of the source, or
 * in the truth. What was done to which event is written down, so that what must be found is known exactly.
 *
 * injector_begin → [source → &injector.sink → next sink] → injector_flush → injector_truth → injector_stats.
 * The reader's thread hands over events; all else is for the thread that owns the injector.
 */
#ifndef PT_BENCH_INJECT_H
#define PT_BENCH_INJECT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "load/truth.h"
#include "sink/sink.h"
#include "source/source_stats.h"

/* What is done to an event that is hit. */
enum fault_action {
	ACT_PASS, /* nothing */
	ACT_DROP,
	ACT_TWICE, /* handed over twice */
	ACT_PID, /* gets the pid of another process; EXEC: of the launch before */
	ACT_STATUS, /* EXIT: another status */
	ACT_RENAME, /* EXEC: another name */
	ACT_UNNAME, /* EXEC: no name */
	ACT_FUTURE, /* read before the kernel stamped it */
	ACT_ORDER, /* EXIT: stamped before the EXEC of the same launch */
	ACT_DELAY, /* read FAULT_DELAY_NS later */
	ACT_HOLD, /* handed over behind events that came later */
};

/* What is done to the counters. "Place" is where the source loses events: the ring, or the socket. */
enum fault_counter {
	COUNT_HONEST,
	COUNT_OWN_UP, /* the events dropped are counted there */
	COUNT_UNDER, /* … @amount too few */
	COUNT_OVER, /* @amount that were not lost are counted there */
	COUNT_SILENT, /* those dropped were never generated, it says */
	COUNT_GENERATED, /* @amount more generated than there is word of */
	COUNT_DELIVERED, /* @amount fewer generated and delivered than were handed over */
	COUNT_SEQUENCE, /* @amount sequence numbers are missing */
	COUNT_OURS, /* @amount more of ours lost than lost at all */
};

#define FAULT_DELAY_NS 20000000000ULL
#define FAULT_HOLD_EVENTS 3

struct fault {
	enum fault_action action;
	enum fault_counter counter;
	unsigned kinds; /* mask: events of these are hit, each kind counted apart … */
	uint32_t every; /* … each so-many-th (1: all), */
	uint32_t from, to; /* … of the first (1…) to the last of them; 0: to the end of the load */
	bool others; /* events of other processes are hit instead */
	uint32_t last; /* … or of the last so many of the load */
	uint64_t amount;
	uint64_t ghosts; /* launches that never happened, in the truth */
};

struct injected {
	uint64_t ts_ns; /* as it came, */
	uint32_t pid;
	uint32_t
		launch; /* … by whose launch: index + 1 in segment order; 0: nobody's. After injector_truth() */
	uint8_t kind;
	bool hit;
};

#define INJECT_MAX_GHOSTS 64
#define INJECT_PIDS (4U << 20) /* the kernel's PID_MAX_LIMIT */

struct injector {
	struct sink sink; /* for the source */
	struct sink *next;
	const struct fault *fault;
	uint64_t launches; /* that the load makes */
	pid_t nobody;
	pid_t launcher; /* its one worker; events of processes that it started are counted and hit */
	uint8_t *started; /* by pid: it lives, and the launcher started it */
	_Atomic uint64_t armed_ns; /* only events stamped from then on are hit; 0: none yet */
	uint64_t met[EV_KINDS]; /* events of its launches since then */
	struct injected *log;
	size_t n, cap;
	bool overflow; /* more events than the log has room for */
	struct event held;
	unsigned held_for; /* so many more events */
	uint64_t ours[EV_KINDS]; /* hit and of a launch */
	uint64_t others[EV_KINDS]; /* hit and of none */
	struct truth_launch ghost[INJECT_MAX_GHOSTS];
};

/* Room for @cap events. 0 or -ENOMEM. */
int injector_init(struct injector *in, size_t cap);
/* Begins anew with @fault, in a load of @launches by the process @launcher; no launch ever has the pid @nobody. Where events go on to, next, is for the
 * user to set. */
void injector_begin(struct injector *in, const struct fault *fault, uint64_t launches,
		    pid_t launcher, pid_t nobody);
/* Any thread. */
void injector_arm(struct injector *in, uint64_t from_ns);
/* Hands over what is held back. */
void injector_flush(struct injector *in);
/* Finds whose the events were, by a search that shares nothing with reconcile; then adds the ghosts to @truth. */
void injector_truth(struct injector *in, struct truth *truth, uint64_t exit_lag_ns);
/* Adds the ghosts to another copy of the truth. */
void injector_ghosts(struct injector *in, struct truth *truth);
void injector_stats(struct injector *in, struct source_stats *stats);
/* NULL-safe in its part. */
void injector_free(struct injector *in);

#endif
