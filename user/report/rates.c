// SPDX-License-Identifier: MIT
#include "report/rates.h"

#include <math.h>
#include <string.h>

static bool is_none(const char *monitor)
{
	return strcmp(monitor, "none") == 0;
}

/* A run of the same scenario that nobody watched, whole. */
static bool is_unwatched(const struct result_run *none, const struct result_run *run)
{
	return is_none(none->monitor) && !none->interrupted && !none->kernel_timed &&
	       strcmp(none->scenario, run->scenario) == 0;
}

/* How many places later @other ran than @run. */
static int64_t places_after(const struct result_run *other, const struct result_run *run)
{
	return (int64_t)other->sequence - (int64_t)run->sequence;
}

double rates_unwatched(const struct result *r, const struct result_run *run)
{
	double sum = 0;
	unsigned n = 0;

	for (size_t i = 0; i < r->nruns; i++) {
		const struct result_run *other = &r->run[i];
		const int64_t places = places_after(other, run);
		const bool near = run->sequence ? places == -1 || places == 1
						: n == 0 && other->round == run->round;

		if (near && is_unwatched(other, run) && isfinite(other->rate_per_s)) {
			sum += other->rate_per_s;
			n++;
		}
	}
	return n ? sum / n : NAN;
}

void rates_summarise(const struct result *r, struct result_summary *s, struct rounds *rounds)
{
	size_t n = 0;

	for (size_t i = 0; i < rounds->n; i++)
		if (isfinite(rounds->run[i]->rate_per_s))
			rounds->v[n++] = rounds->run[i]->rate_per_s;
	s->rate_per_s = stats_median_ci(rounds->v, n);
	if (is_none(s->monitor))
		return;
	n = 0;
	for (size_t i = 0; i < rounds->n; i++) {
		const struct result_run *run = rounds->run[i];
		double ratio = run->rate_per_s / rates_unwatched(r, run);

		if (isfinite(ratio))
			rounds->v[n++] = (1 - ratio) * 100;
	}
	s->has_slowdown = n > 0;
	s->slowdown_pct = stats_median_ci(rounds->v, n);
	if (s->slowdown_pct.valid)
		s->detectable_pct = (s->slowdown_pct.hi - s->slowdown_pct.lo) / 2;
}
