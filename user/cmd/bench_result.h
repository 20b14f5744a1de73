/* SPDX-License-Identifier: MIT */
/* bench_result: from a measured cell to a run in the report. Pure. */
#ifndef PT_CMD_BENCH_RESULT_H
#define PT_CMD_BENCH_RESULT_H

#include "bench/cell.h"
#include "bench/plan.h"
#include "bench/pooled.h"
#include "report/result.h"

/* Fills the zeroed @run from one cell, measured under @cond; @rec are the recordings of its sources. */
void bench_result_fill(struct result_run *run, const struct plan *p, const struct plan_cell *pc,
		       const struct conditions *cond, const struct cell_result *cell,
		       const struct recording *rec);
/* Sets the report's common histograms anew. 0 or -ENOMEM. */
int bench_result_pool(struct result *r, const struct plan *p, const struct pooled *pooled);

#endif
