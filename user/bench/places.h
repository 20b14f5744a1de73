/* SPDX-License-Identifier: MIT */
/*
 * places: makes readers live badly while the load runs: starved, pinned beside the launchers, limited. All by the
 * command's thread: places_take() before the load, places_leave() after it, whatever became of the former.
 */
#ifndef PT_BENCH_PLACES_H
#define PT_BENCH_PLACES_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/err.h"
#include "bench/conditions.h"
#include "load/load.h"

#define PLACES_MAX_READERS 2

struct places {
	enum reader_place place;
	pid_t reader[PLACES_MAX_READERS];
	unsigned nreaders;
	const struct load *load;
	cpu_set_t cpus; /* where all may run otherwise */
	pthread_t *spinner; /* one a CPU */
	unsigned nspinners;
	atomic_bool stop;
	char group[256],
		home[256]; /* READER_LIMITED: folder of the cgroup, file that takes threads back */
};

/* Which readers (thread ids) and load; then as @cond says. 0; -EOPNOTSUPP and a sentence: not on this machine. */
int places_take(struct places *p, const struct conditions *cond, struct err *e);
void places_leave(struct places *p);

/* "starved" for READER_STARVED, and so on. */
extern const char *const reader_place_names[];

#endif
