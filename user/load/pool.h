/* SPDX-License-Identifier: MIT */
/*
 * pool: what the processes of the load generator share. Internal to load/.
 *
 * struct pool, the truth and the table of pids lie in memory that was mapped before the first fork, so
 * that pointers into them are good in every process. Words that someone sleeps on are futexes.
 */
#ifndef PT_LOAD_POOL_H
#define PT_LOAD_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "load/load.h"

#define POOL_CACHE_LINE 64
#define POOL_DIR_MAX 200
#define POOL_HARNESS_LAUNCHES 16384 /* canaries, primes and probes between two resets */
#define POOL_PIDS (4U << 20) /* the kernel's PID_MAX_LIMIT */
#define POOL_NAMED_COPIES \
	253 /* of testApp; with the harness's own and a target, as many as truth has names */
#define POOL_STATUSES 251 /* launch i of a worker exits with i mod this: a prime below 256 */

/* One worker, or the prober (the last slot). */
struct pool_slot {
	/* Written by the command before it raises @go. */
	_Alignas(POOL_CACHE_LINE) _Atomic uint32_t go; /* futex: runs or probes ordered so far */
	struct truth_launch *segment;
	uint64_t capacity; /* launches that fit */
	uint64_t quota; /* launches of this run; UINT64_MAX: no bound */
	unsigned index; /* worker's number */
	uint32_t name; /* as in truth_launch */
	/* Written by the slot's process alone, a line of its own. */
	_Alignas(POOL_CACHE_LINE) _Atomic uint64_t n; /* launches in the segment */
	uint64_t n_before; /* … before this run */
	/* Results of the run, complete once pool.running is 0. */
	_Alignas(POOL_CACHE_LINE) uint64_t first_ns, last_ns;
	uint64_t failed, bad_status;
	struct load_failure failed_by[LOAD_MAX_ERRNOS];
	bool truth_full, gave_up;
	struct rusage self[2], children[2]; /* before and after */
	struct hist latency;
};

struct pool {
	unsigned workers;
	const char *target; /* NULL: the embedded one */
	char dir[POOL_DIR_MAX]; /* temporary folder; empty: none. Set before it is made */
	uint32_t ballast_fds, ballast_mib; /* of each worker */
	_Atomic int ballast_err; /* errno of a worker that could not take it */
	struct load_cfg run;
	char run_target[POOL_DIR_MAX +
			16]; /* of this run alone; empty: what the pool was opened for */
	unsigned inflight; /* of each worker */
	uint32_t *pid_launch; /* [POOL_PIDS]: nowait: index of the launch in its worker's segment */
	uint8_t *pid_errno; /* [POOL_PIDS]: fork: why the exec failed */

	_Alignas(POOL_CACHE_LINE) _Atomic uint32_t ready; /* workers at the starting line */
	_Atomic uint32_t started; /* futex: the run goes */
	uint64_t start_ns; /* then set */
	_Alignas(POOL_CACHE_LINE) _Atomic uint32_t stop; /* futex: end in order */
	_Atomic uint32_t kill; /* children still alive are to be killed */
	_Alignas(POOL_CACHE_LINE) _Atomic uint32_t running; /* futex: processes that are not idle */
	_Alignas(POOL_CACHE_LINE) _Atomic uint32_t probed; /* futex: probes done */
	int probe_cpu, probe_err;
	pid_t probe_pid;
	struct pool_slot slot[]; /* workers, then the prober */
};

/* What the processes do; they never return. Signals are blocked at entry. */
void worker_main(struct pool *p, struct pool_slot *s) __attribute__((noreturn));
void prober_main(struct pool *p, struct pool_slot *s) __attribute__((noreturn));
void janitor_main(struct pool *p, int owner_fd) __attribute__((noreturn));

/* Tells that the calling process is idle. */
void pool_idle(struct pool *p);

/* Makes the calling process independent of the command that forked it: no descriptors but @keep_fd (-1: none; moved
 * to 0), no signal that ends it but SIGKILL, default dispositions and an empty mask for what it executes. */
void process_detach(int keep_fd);

#endif
