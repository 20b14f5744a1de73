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

/*
 * Where the curve crosses one half for good, between two neighbouring lifetimes: on a line over the logarithm
 * of the lifetime, since these are spaced so. NAN: it does not cross. (0 has no logarithm: 1 us.)
 */
static double crossing(const struct law_life *l, size_t n, double (*curve)(const struct law_life *))
{
	for (size_t i = n; i-- > 1;) {
		const double a = curve(&l[i - 1]), b = curve(&l[i]);
		const double x = log(fmax(1e3, (double)l[i - 1].lifetime_ns));
		const double y = log(fmax(1e3, (double)l[i].lifetime_ns));

		if (a < 0.5 && b >= 0.5)
			return exp(x + (y - x) * (0.5 - a) / (b - a));
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
