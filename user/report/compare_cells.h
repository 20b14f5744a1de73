/* SPDX-License-Identifier: MIT */
/* compare_cells: what a comparison in text and one in Markdown share: which cells there are, and their table. Internal to
 * report/. */
#ifndef PT_REPORT_COMPARE_CELLS_H
#define PT_REPORT_COMPARE_CELLS_H

#include "report/findings.h"
#include "report/page.h"

/* A cell of the plan: one scenario × monitor, in order of first appearance in any report. */
struct cell {
	const char *scenario, *monitor;
};

struct cells {
	struct cell *v;
	size_t n;
};

/* 0 or -ENOMEM. */
int cells_collect(const struct compare *c, struct cells *out);
bool cell_begins_scenario(const struct cells *cells, size_t i);
/* The title of a monitor, from whichever report has it. */
struct fmt_name cell_title(const struct compare *c, const struct cell *cell);
/* A row for each report and source of the scenario's cells; what is beyond noise is marked with an asterisk. */
void cells_table(const struct compare *c, const struct judgement *j, const struct cells *cells,
		 const char *scenario, struct table *t);
/* "No difference beyond noise."; or why there is nothing to compare. */
const char *cells_no_difference(const struct compare *c, const char *scenario);
/* What the asterisk means, and what no asterisk means. */
void cells_legend(const struct judgement *j, finding_fn fn, void *ctx);
/* "A  file · Linux 6.1 x86_64 · 2 CPUs · KVM guest · 2026-12-01 01:06 UTC" */
struct line cells_report_line(const struct compare *c, size_t i);
/* "--fail-if 'bpf.exec.lost>0' holds: 12 in B, serial, bpf" or "… does not hold" */
struct line cells_condition_line(const struct compare *c, size_t i);

#endif
