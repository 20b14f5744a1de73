// SPDX-License-Identifier: MIT
/* The knee: up to which rate a monitor delivers, names, and stays cheap. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/law_group.h"
#include "report/laws_priv.h"

static double achieved(const struct result_run *run)
{
	return run->rate_per_s;
}

static double expected(const struct result_run *run)
{
	return run->nsources ? (double)run->source[0].ledger.all.expected : NAN;
}

static double lost(const struct result_run *run)
{
	return run->nsources ? (double)run->source[0].ledger.all.lost : NAN;
}

static double nameable(const struct result_run *run)
{
	const struct result_source *s = &run->source[0];

	return run->nsources && s->names ? (double)s->ledger.kind[EV_EXEC].expected : NAN;
}

static double named(const struct result_run *run)
{
	const struct result_source *s = &run->source[0];

	return run->nsources && s->names ? (double)s->ledger.identified : NAN;
}

static double p50(const struct result_run *run)
{
	return run->nsources && run->source[0].latency.n ? (double)run->source[0].latency.p50 : NAN;
}

static double p99(const struct result_run *run)
{
	return run->nsources && run->source[0].latency.n ? (double)run->source[0].latency.p99 : NAN;
}

static double launch_p99(const struct result_run *run)
{
	return run->launch_latency.n ? (double)run->launch_latency.p99 : NAN;
}

static double cpu_us(const struct result_run *run)
{
	const struct result_source *s = &run->source[0];

	return run->nsources ? (s->reader_user_s + s->reader_sys_s) * 1e6 / (double)run->launches
			     : NAN;
}

static int monitor_rank(const char *monitor)
{
	static const char *const order[] = { "none", "bpf", "netlink", "netlink-names" };
	int i = 0;

	while (i < 4 && strcmp(order[i], monitor) != 0)
		i++;
	return i;
}

/* By rate, the highest (0: as many as there can be) last; then always the same monitor first. */
static int knee_compare(const void *pa, const void *pb)
{
	const struct law_knee *a = pa, *b = pb;
	const double x = a->rate > 0 ? a->rate : INFINITY, y = b->rate > 0 ? b->rate : INFINITY;

	if (x != y)
		return x < y ? -1 : 1;
	return monitor_rank(a->monitor) - monitor_rank(b->monitor);
}

size_t laws_knee(const struct result *r, struct law_knee *out, size_t max)
{
	struct law_group group[LAWS_KNEES];
	size_t n = law_groups(r, "knee", group, max < LAWS_KNEES ? max : LAWS_KNEES);

	for (size_t i = 0; i < n; i++) {
		const struct law_group *g = &group[i];
		struct interval rates;

		memcpy(out[i].monitor, g->first->monitor, sizeof(out[i].monitor));
		out[i].rate = g->first->rate_target;
		rates = law_median(g, achieved);
		out[i].achieved = rates.median;
		out[i].slowest = rates.lo;
		out[i].fastest = rates.hi;
		out[i].expected = law_whole(law_sum(g, expected));
		out[i].lost = law_whole(law_sum(g, lost));
		out[i].nameable = law_whole(law_sum(g, nameable));
		out[i].named = law_whole(law_sum(g, named));
		out[i].p50_ns = law_whole(law_median(g, p50).median);
		out[i].p99_ns = law_whole(law_median(g, p99).median);
		out[i].launch_p99_ns = law_median(g, launch_p99).median;
		out[i].cpu_us = law_median(g, cpu_us).median;
	}
	qsort(out, n, sizeof(*out), knee_compare);
	return n;
}
