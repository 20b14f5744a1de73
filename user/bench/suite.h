/* SPDX-License-Identifier: MIT */
/* suite: ready-made sets of scenarios, by name. To add one: one function and one line in the table. Pure. */
#ifndef PT_BENCH_SUITE_H
#define PT_BENCH_SUITE_H

#include "bench/plan.h"

struct suite {
	const char *name;
	uint32_t rounds; /* where the user does not say; 0: as without a suite */
	uint64_t duration_ns; /* likewise */
	bool own_durations; /* where the user does not say, each scenario has a duration of its own */
	const char *monitors; /* likewise, comma-separated; NULL: as without a suite */
	bool explained; /* what a launch is made of is measured afterwards (bench/explain.h) */
	/* Adds its scenarios for a machine of @cpus CPUs, on top of the common settings @base; the plan's
	 * monitors are there already. 0 or -EINVAL with a sentence. */
	int (*add)(struct plan *p, unsigned cpus, const struct load_cfg *base, struct err *e);
};

extern const struct suite suites[];
#define ARTICLE_ROUNDS 7

/* Of the table, where they are long enough for a file of their own. */
int suite_article_add(struct plan *p, unsigned cpus, const struct load_cfg *base, struct err *e);
int suite_full_add(struct plan *p, unsigned cpus, const struct load_cfg *base, struct err *e);

/* Their names in the same order, ended by NULL, for the command line. */
extern const char *const suite_names[];

#endif
