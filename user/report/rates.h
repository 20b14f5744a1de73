/* SPDX-License-Identifier: MIT */
/* rates: how fast the launcher was, and how much slower than where nobody watched. Internal to report/. Pure. */
#ifndef PT_REPORT_RATES_H
#define PT_REPORT_RATES_H

#include "report/result.h"

/* The runs of one summary, and room for one value of each. */
struct rounds {
	const struct result_run *run[STATS_MAX_N];
	size_t n;
	double v[STATS_MAX_N];
};

/*
 * The rate that @run is to be compared with: the mean of its neighbours (the runs just before and just after
 * it, in which nobody watched); of one if there is only one. Reports without an order of runs: the rate of the
 * run of the same round that nobody watched. NAN if there is none.
 */
double rates_unwatched(const struct result *r, const struct result_run *run);
/* Fills rate_per_s, slowdown_pct, has_slowdown and detectable_pct of @s from @rounds, whose v[] it overwrites. */
void rates_summarise(const struct result *r, struct result_summary *s, struct rounds *rounds);

#endif
