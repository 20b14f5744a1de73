/* SPDX-License-Identifier: MIT */
/*
 * lookout: single launches beside a run that every source has to see: whether it works at all, and where
 * the books of each CPU begin and end.
 *
 * A plain value of the cell's thread; borrows all that it points to.
 */
#ifndef PT_BENCH_LOOKOUT_H
#define PT_BENCH_LOOKOUT_H

#include <sched.h>

#include "bench/reader.h"
#include "load/load.h"

struct lookout {
	struct load *load;
	const struct recording *rec; /* one for each reader */
	const struct reader *reader;
	unsigned nreaders;
	uint64_t patience_ns; /* for one launch: then another one is sent */
	cpu_set_t cpus;
	bool cpus_changed; /* one went or came: what it sent has no beginning or no end */
};

/* Those that this process may use now. 0 or -errno. */
int lookout_cpus_read(struct lookout *l, struct err *e);
/* The first launch: seen by every source, or there is no point in going on. */
int lookout_canary(struct lookout *l, struct err *e);
/*
 * Launches one process on each CPU and waits until every source has delivered it. Before the load, so that
 * the first sequence number of each CPU is known; after it, so that all that was sent there before has been
 * delivered or dropped. A launch that a full buffer lost is sent again. Done also where nobody watches, so
 * that the load finds the same machine. @when, for a sentence: "before" or "after".
 */
int lookout_cpus(struct lookout *l, const char *when, struct err *e);
/* Whether some CPU was switched off or on since the start. */
bool lookout_cpus_changed(const struct lookout *l);

#endif
