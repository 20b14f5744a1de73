/* SPDX-License-Identifier: MIT */
/* pooled: the latencies of all slices of each scenario × monitor, in one histogram each. Command's thread. */
#ifndef PT_BENCH_POOLED_H
#define PT_BENCH_POOLED_H

#include "bench/cell.h"
#include "bench/plan.h"

struct pooled_cell {
	struct hist launch, source[CELL_MAX_SOURCES];
};

struct pooled {
	struct pooled_cell *cell[PLAN_MAX_SCENARIOS][PLAN_MAX_MONITORS]; /* NULL: nothing yet */
};

/* Adds what was measured in one cell. 0 or -ENOMEM. */
int pooled_add(struct pooled *p, const struct plan_cell *pc, const struct cell_result *cell,
	       const struct recording *rec);
void pooled_free(struct pooled *p);

#endif
