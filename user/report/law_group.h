/* SPDX-License-Identifier: MIT */
/* law_group: the runs of one scenario under one monitor, as the laws look at them. Internal to laws. Pure. */
#ifndef PT_REPORT_LAW_GROUP_H
#define PT_REPORT_LAW_GROUP_H

#include "report/result.h"

struct law_group {
	const struct result *r;
	const struct result_run *first;
};

/* A figure of one run; NAN: it has none. */
typedef double (*law_value)(const struct result_run *run);

/* The groups of the study @name, in order of their first run, at most @max; returns how many. Interrupted runs
 * are in none. */
size_t law_groups(const struct result *r, const char *study, struct law_group *group, size_t max);
/* Over the runs of the group that have the figure. */
struct interval law_median(const struct law_group *g, law_value value);
double law_sum(const struct law_group *g, law_value value);
double law_max(const struct law_group *g, law_value value); /* 0 if none has it */
/* The run whose figure is nearest to @target; NULL: none has it. */
const struct result_run *law_nearest(const struct law_group *g, law_value value, double target);
uint32_t law_count(const struct law_group *g, law_value value);

#endif
