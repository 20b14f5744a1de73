// SPDX-License-Identifier: MIT
/* Identification against lifetime: how long a process must live so that a monitor can still name it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/law_group.h"
#include "report/laws_priv.h"

static double expected(const struct result_run *run)
{
	const struct result_source *s = &run->source[0];

	return run->nsources && s->names ? (double)s->ledger.kind[EV_EXEC].expected : NAN;
}

static double identified(const struct result_run *run)
{
	const struct result_source *s = &run->source[0];

	return run->nsources && s->names ? (double)s->ledger.identified : NAN;
}

static double named_share(const struct result_run *run)
{
	return expected(run) > 0 ? fmin(1, identified(run) / expected(run)) : NAN;
}

static double missed_share(const struct result_run *run)
{
	return 1 - named_share(run);
}

/* Wilson's interval of a share: stays within 0 and 1, and says something of 0 and of all, too. */
static void share_fill(struct law_life *l)
{
	const double z = 1.959964, n = (double)l->launches, p = n > 0 ? (double)l->named / n : 0;
	const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
	const double half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));

	l->share = p;
	l->lo = n > 0 ? fmax(0, middle - half) : 0;
	l->hi = n > 0 ? fmin(1, middle + half) : 1;
}

static int life_compare(const void *pa, const void *pb)
{
	const struct law_life *a = pa, *b = pb;
	const int by_source = strcmp(a->source, b->source);

	if (by_source)
		return by_source;
	return a->lifetime_ns < b->lifetime_ns ? -1 : a->lifetime_ns > b->lifetime_ns;
}

size_t laws_life(const struct result *r, struct law_life *out, size_t max)
{
	struct law_group group[LAWS_LIVES];
	size_t n = law_groups(r, "lifetime", group, LAWS_LIVES), rows = 0;

	for (size_t i = 0; i < n && rows < max; i++) {
		const struct law_group *g = &group[i];
		struct law_life *l = &out[rows];

		if (!law_count(g, expected))
			continue;
		memcpy(l->source, g->first->source[0].name, sizeof(l->source));
		l->lifetime_ns = g->first->cond.lifetime_ns;
		l->sleeps = g->first->cond.lifetime_sleeps;
		l->launches = law_whole(law_sum(g, expected));
		l->named = law_whole(law_sum(g, identified));
		if (l->named > l->launches) /* only in a report that contradicts itself */
			l->named = l->launches;
		share_fill(l);
		l->lo = fmin(l->lo, 1 - law_max(g, missed_share));
		l->hi = fmax(l->hi, law_max(g, named_share));
		rows++;
	}
	qsort(out, rows, sizeof(*out), life_compare);
	return rows;
}

static double life_share(const struct law_life *l)
{
	return l->share;
}

static double life_lo(const struct law_life *l)
{
	return l->lo;
}

static double life_hi(const struct law_life *l)
{
	return l->hi;
}

#define POINTS LAWS_LIVES

/*
 * Who lives longer can be named no worse: the nearest curve that never falls, by pooling neighbours that
 * stand the wrong way round, weighted by their launches.
 */
static void curve_rising(const struct law_life *l, size_t n,
			 double (*curve)(const struct law_life *), double *out)
{
	double sum[POINTS], weight[POINTS];
	size_t pool[POINTS], pools = 0, at = 0;

	for (size_t i = 0; i < n; i++) {
		weight[pools] = fmax(1, (double)l[i].launches);
		sum[pools] = curve(&l[i]) * weight[pools];
		pool[pools++] = 1;
		while (pools > 1 &&
		       sum[pools - 2] * weight[pools - 1] > sum[pools - 1] * weight[pools - 2]) {
			pools--;
			sum[pools - 1] += sum[pools];
			weight[pools - 1] += weight[pools];
			pool[pools - 1] += pool[pools];
		}
	}
	for (size_t p = 0; p < pools; p++)
		for (size_t k = 0; k < pool[p]; k++)
			out[at++] = sum[p] / weight[p];
}

/*
 * Where the rising curve crosses one half, between two neighbouring lifetimes: on a line over the logarithm of
 * the lifetime, since these are spaced so. NAN: it does not cross. (0 has no logarithm: 1 us.)
 */
static double crossing(const struct law_life *l, size_t n, double (*curve)(const struct law_life *))
{
	double y[POINTS];

	curve_rising(l, n, curve, y);
	for (size_t i = 1; i < n; i++) {
		const double from = log(fmax(1e3, (double)l[i - 1].lifetime_ns));
		const double to = log(fmax(1e3, (double)l[i].lifetime_ns));

		if (y[i - 1] < 0.5 && y[i] >= 0.5)
			return exp(from + (to - from) * (0.5 - y[i - 1]) / (y[i] - y[i - 1]));
	}
	return NAN;
}

/* Without a crossing of its own, an edge of the interval lies beyond the lifetimes tried. */
static double edge(double crossing_ns, double beyond)
{
	return isfinite(crossing_ns) ? crossing_ns : beyond;
}

static void half_fill(struct law_half *h, const struct law_life *l, size_t n)
{
	const double at = crossing(l, n, life_share);
	const double first = (double)l[0].lifetime_ns, last = (double)l[n - 1].lifetime_ns;

	memcpy(h->source, l->source, sizeof(h->source));
	if (!isfinite(at)) {
		h->state = l[n - 1].share >= 0.5 ? HALF_ALWAYS_MORE : HALF_ALWAYS_LESS;
		return;
	}
	h->state = HALF_FOUND;
	h->ns = at;
	h->lo_ns = edge(crossing(l, n, life_hi), first);
	h->hi_ns = edge(crossing(l, n, life_lo), last);
}

size_t laws_half(const struct law_life *life, size_t n, struct law_half *out, size_t max)
{
	size_t rows = 0;

	for (size_t from = 0, to; from < n && rows < max; from = to) {
		for (to = from + 1; to < n && !strcmp(life[to].source, life[from].source);)
			to++;
		half_fill(&out[rows++], &life[from], to - from);
	}
	return rows;
}
