/* SPDX-License-Identifier: MIT */
/*
 * cell: one measured run: sources open, readers run, a canary is seen, every CPU primed, the load runs,
 * every CPU probed, counters read, books reconciled. One at a time; command's thread.
 */
#ifndef PT_BENCH_CELL_H
#define PT_BENCH_CELL_H

#include "base/err.h"
#include "bench/conditions.h"
#include "bench/external.h"
#include "bench/inject.h"
#include "bench/losses.h"
#include "bench/recording.h"
#include "bench/usage.h"
#include "load/load.h"
#include "bench/reconcile.h"
#include "source/source.h"

#define CELL_MAX_SOURCES 2

/* What lives longer than a cell. */
struct rig {
	struct load *load;
	struct recording rec[CELL_MAX_SOURCES];
	struct truth names; /* only the names: what an identified program is called */
	/* Called a few times a second while the load runs; may be NULL. */
	void (*progress)(void *ctx, uint64_t launches, uint64_t elapsed_ns);
	void *progress_ctx;
	uint64_t load_end_ns; /* when the last load ended; 0: there was none */
};

struct cell_cfg {
	struct load_cfg load;
	const struct source_ops *source[CELL_MAX_SOURCES];
	unsigned nsources; /* 0: nobody watches */
	const struct external_cfg *external; /* someone else's monitor, without sources; or NULL */
	struct conditions cond; /* with the command's options filled in */
	enum source_attach attach;
	const char *btf;
	/* The load starts so long after the last one ended, whoever watches: a launcher that rested longer is
	 * faster. 0: at once. */
	uint64_t gap_ns;
	/* Faults for a self-test, between a source and its recording; begun; NULL: none. Borrowed. */
	struct injector *inject[CELL_MAX_SOURCES];
	bool kernel_stats; /* the kernel times the BPF programs meanwhile, which costs something itself */
};

struct cell_source {
	const struct source_ops *ops;
	struct source_stats stats;
	struct ledger ledger;
	struct losses losses;
	double reader_user_s, reader_sys_s; /* CPU of the reader thread */
	uint64_t reader_waits, reader_preempted; /* voluntary and involuntary context switches */
};

struct cell_result {
	struct load_result load;
	uint64_t harness; /* canaries, primes and probes: expected too, but not in the rate */
	bool interrupted;
	char skipped
		[128]; /* why this machine cannot have these conditions; empty: it was measured */
	double gap_s; /* the idle time that there really was; 0: the first load */
	struct disturbance disturbance; /* while the load ran */
	/* Held at the end of the load beyond what was held before, kernel buffers apart. */
	uint64_t memory_bytes;
	unsigned nsources;
	struct cell_source source[CELL_MAX_SOURCES]; /* delivery latency: rig->rec[i].latency */
	uint64_t warm_up; /* launches before, that do not count */
	struct external_result
		external; /* of cell_cfg.external; if not good, no load may have run */
	bool has_cross;
	struct cross cross;
};

/*
 * Runs one cell. Returns 0 or -errno with a sentence. A request to stop (base/stop.h) ends the load early;
 * the books still close, and out->interrupted tells.
 */
int cell_run(struct rig *rig, const struct cell_cfg *cfg, struct cell_result *out, struct err *e);

#endif
