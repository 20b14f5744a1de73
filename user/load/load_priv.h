/* SPDX-License-Identifier: MIT */
/* load_priv: the command's side of the pool; shared by load.c, pool.c and collect.c only. */
#ifndef PT_LOAD_LOAD_PRIV_H
#define PT_LOAD_LOAD_PRIV_H

#include "load/pool.h"

#define LOAD_MAX_PROCS (LOAD_MAX_WORKERS + 2)

struct load {
	struct pool *pool;
	size_t pool_size;
	struct truth_launch *truth; /* workers' segments, then the harness's */
	uint64_t capacity; /* of the workers' segments together */
	size_t truth_size;
	pid_t pid[LOAD_MAX_PROCS]; /* janitor, workers, prober */
	unsigned nprocs;
	int owner_fd; /* the janitor reads the other end of it */
	int lock_fd; /* of the temporary folder */
	unsigned partition; /* among how many workers the truth is shared; 0: to be decided */
	bool active; /* a run was started and its end not reported */
	uint64_t grace_until_ns; /* 0: the run has not been told to end */
};

/* 0, or -ECHILD and a sentence if a process of the pool is dead. */
int load_check_alive(const struct load *l, struct err *e);
/* 1: nobody runs any more; 0: @timeout_ms passed; or -ECHILD. */
int load_wait_idle(struct load *l, int timeout_ms, struct err *e);
/* Shares the truth among @workers. */
void load_partition(struct load *l, unsigned workers);
/* Sums up a run that ended. */
void load_collect(const struct pool *p, struct load_result *r);

#endif
