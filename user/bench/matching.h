/* SPDX-License-Identifier: MIT */
/*
 * matching: to which launch does each recorded event belong? (Internal to reconcile.)
 *
 * A pid is used again and again, so an event belongs to a launch only if its time stamp lies in the
 * launch's window. The result does not depend on the order in which events were delivered.
 */
#ifndef PT_BENCH_MATCHING_H
#define PT_BENCH_MATCHING_H

#include "bench/recording.h"
#include "load/truth.h"

struct window {
	uint64_t start_ns; /* copied from launch: the search looks at nothing else */
	const struct truth_launch *launch;
	uint32_t index; /* of the launch, in segment order */
	uint32_t event[EV_KINDS]; /* index + 1 into the recording of the event matched; 0: none */
};

struct matching {
	struct window *window; /* by pid, then by start_ns */
	size_t n;
	uint32_t *first; /* windows of pid p: first[p] to first[p + 1] - 1 */
	uint32_t pid_end; /* no launch has this pid or a higher one */
	uint64_t duplicate[EV_KINDS]; /* a second event of the kind in one window */
	uint64_t foreign; /* in no window */
};

/* 0, -ENOMEM, -EINVAL (a pid that no kernel gives), -E2BIG (2^32 launches). */
int matching_init(struct matching *m, const struct truth *truth);
/* Matches the first @n records. 0, or -E2BIG (2^32 records). */
int matching_events(struct matching *m, const struct rec *rec, size_t n, uint64_t exit_lag_ns);
void matching_free(struct matching *m);

#endif
