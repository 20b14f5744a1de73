// SPDX-License-Identifier: MIT
#include "report/law_group.h"

#include <math.h>
#include <string.h>

static bool same_group(const struct result_run *a, const struct result_run *b)
{
	return !strcmp(a->scenario, b->scenario) && !strcmp(a->monitor, b->monitor);
}

static bool counts(const struct result_run *run)
{
	return !run->interrupted && !run->skipped[0] && !run->kernel_timed;
}

size_t law_groups(const struct result *r, const char *study, struct law_group *group, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nruns; i++) {
		const struct result_run *run = &r->run[i];
		size_t k = 0;

		if (!counts(run) || strcmp(run->study, study) != 0)
			continue;
		while (k < n && !same_group(group[k].first, run))
			k++;
		if (k == n && n < max)
			group[n++] = (struct law_group){ r, run };
	}
	return n;
}

/* The next figure from run *i on; false: there is none. */
static bool next_value(const struct law_group *g, law_value value, size_t *i, double *v)
{
	while (*i < g->r->nruns) {
		const struct result_run *run = &g->r->run[(*i)++];

		if (!counts(run) || strcmp(run->study, g->first->study) != 0 ||
		    !same_group(run, g->first))
			continue;
		*v = value(run);
		if (isfinite(*v))
			return true;
	}
	return false;
}

struct interval law_median(const struct law_group *g, law_value value)
{
	double v[STATS_MAX_N];
	size_t n = 0;

	for (size_t i = 0; n < STATS_MAX_N && next_value(g, value, &i, &v[n]);)
		n++;
	return stats_median_ci(v, n);
}

double law_sum(const struct law_group *g, law_value value)
{
	double sum = 0, v;

	for (size_t i = 0; next_value(g, value, &i, &v);)
		sum += v;
	return sum;
}

double law_max(const struct law_group *g, law_value value)
{
	double max = 0, v;

	for (size_t i = 0; next_value(g, value, &i, &v);)
		max = fmax(max, v);
	return max;
}

const struct result_run *law_nearest(const struct law_group *g, law_value value, double target)
{
	const struct result_run *best = NULL;
	double v, apart = INFINITY;

	for (size_t i = 0; next_value(g, value, &i, &v);) {
		if (!(fabs(v - target) < apart))
			continue;
		apart = fabs(v - target);
		best = &g->r->run[i - 1];
	}
	return best;
}

uint32_t law_count(const struct law_group *g, law_value value)
{
	uint32_t n = 0;
	double v;

	for (size_t i = 0; next_value(g, value, &i, &v);)
		n++;
	return n;
}
