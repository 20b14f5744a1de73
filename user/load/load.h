/* SPDX-License-Identifier: MIT */
/*
 * load: the fork/exec load generator, and the truth of what it launched.
 *
 * load_open() forks its small processes first, before the caller maps anything large (the cost of
 * fork follows the parent's memory): one per worker, one prober, and a janitor that cleans up when
 * the caller dies without load_close(), SIGKILL included. All are in one process group of their own,
 * so a Ctrl-C at the terminal reaches the command alone. They stay alive between runs.
 * All functions belong to the command's thread.
 */
#ifndef PT_LOAD_LOAD_H
#define PT_LOAD_LOAD_H

#include <stdbool.h>

#include "base/err.h"
#include "base/hist.h"
#include "load/truth.h"

#define LOAD_MAX_WORKERS 256

enum load_method { LOAD_VFORK, LOAD_FORK, LOAD_SPAWN };
enum load_mode { LOAD_WAIT, LOAD_NOWAIT };
/* What a run launches: what the pool was opened for, or a program of the machine. */
enum load_target { LOAD_TARGET_POOL, LOAD_TARGET_STATIC, LOAD_TARGET_DYNAMIC, LOAD_TARGET_SCRIPT };
/* As on the command line and in reports; each ended by NULL. */
extern const char *const load_method_names[], *const load_mode_names[], *const load_target_names[];

/* What load_open() needs to know. */
struct load_pool_cfg {
	unsigned workers; /* most that any run will use */
	uint64_t max_launches; /* truth capacity, all workers together; 0: from memory available */
	const char *
		target; /* program to launch; NULL: the embedded testApp, one named copy a worker */
	uint32_t ballast_fds,
		ballast_mib; /* each worker holds so many descriptors, and touches so much memory */
};

/* One run. */
struct load_cfg {
	enum load_method method;
	enum load_mode mode;
	unsigned workers;
	uint64_t count; /* exact launches, all workers together; 0: no bound */
	uint64_t duration_ns; /* 0: no bound (then count must be set) */
	uint64_t pause_ns; /* sleep after each start */
	double rate; /* launches/s, all workers together, open loop; 0: as fast as possible */
	enum load_target target;
	uint64_t lifetime_ns; /* how long each testApp lives beyond its start; 0: it ends at once */
	bool lifetime_sleeps; /* … asleep, not looking at the clock */
	unsigned inflight; /* nowait: how many may live at once, all workers; 0: a safe default */
};

#define LOAD_MAX_ERRNOS 8

struct load_failure {
	int err;
	uint64_t n;
};

struct load_worker_result {
	uint64_t launches, failed, bad_status; /* bad_status: ended otherwise than it was told to */
	double rate_per_s;
};

struct load_result {
	uint64_t start_ns,
		end_ns; /* first start to the last one, with wait its end (CLOCK_MONOTONIC) */
	uint64_t launches, failed, bad_status;
	struct load_failure
		failed_by[LOAD_MAX_ERRNOS]; /* by errno, most frequent first; err 0 ends the list */
	bool truth_full; /* ended early: no room for more truth */
	bool gave_up; /* a worker ended early: too many starts in a row failed */
	unsigned inflight; /* nowait: the bound that was used */
	double rate_per_s; /* launches / (end - start) */
	double cpu_user_s, cpu_sys_s; /* generator processes themselves */
	double child_user_s, child_sys_s; /* what they launched */
	struct hist
		latency; /* wait: intended start to end seen; nowait: intended start to started */
	unsigned nworkers;
	struct load_worker_result worker[LOAD_MAX_WORKERS];
};

struct load;

/* Forks the pool. 0 or -errno with a sentence (target missing, not executable, no folder to exec from…). */
int load_open(const struct load_pool_cfg *cfg, struct load **out, struct err *e);
/* The process group of everything that is launched. */
pid_t load_pgid(const struct load *l);
/* Process ids of everything that this pool runs itself (janitor, workers, prober, in this order); returns how many. */
unsigned load_pids(const struct load *l, pid_t *pids, unsigned max);
/* Forgets the truth of earlier runs and restores room for new ones: the next run shares it among its
 * workers. Without it the next run appends, and may not have more workers than the last. */
void load_reset(struct load *l);
/* Starts a run and returns at once. 0 or -errno with a sentence (too many workers, …). */
int load_start(struct load *l, const struct load_cfg *cfg, struct err *e);
/* Launches so far in this run; cheap, for progress lines. */
uint64_t load_progress(const struct load *l);
/* Asks the running workers to end in order; returns at once. Async-signal-safe. */
void load_stop(struct load *l);
/* Waits up to @timeout_ms (-1: for ever) for the end; 1: ended and @r is filled, 0: not yet, or -errno
 * (a worker died: -ECHILD). All children are dead and reaped when it returns 1. */
int load_wait(struct load *l, int timeout_ms, struct load_result *r, struct err *e);
/* Launches the target once on @cpu (-1: any) by the prober and waits for its end: canaries, primes and
 * probes. Recorded in the truth as worker TRUTH_HARNESS. @pid (may be NULL) gets its pid. 0 or -errno. */
int load_probe(struct load *l, int cpu, pid_t *pid, struct err *e);
/* Before the probes of a run of @cfg: they live as long as its launches will, and the truth has the name of its
 * target. 0; -EOPNOTSUPP and a sentence: this machine has no such target. No run is under way. */
int load_prepare(struct load *l, const struct load_cfg *cfg, struct err *e);
/* Points into the shared memory; valid until load_reset() or load_close(). */
void load_truth(const struct load *l, struct truth *t);
/* Ends every process of the pool, removes the temporary folder. NULL-safe. */
void load_close(struct load *l);

#endif
