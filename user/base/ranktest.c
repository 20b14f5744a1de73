// SPDX-License-Identifier: MIT
#include "base/ranktest.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct ranked {
	double value;
	bool first; /* of the first sample */
	uint32_t rank; /* doubled, so that the mean rank of ties is whole */
};

static int ranked_compare(const void *pa, const void *pb)
{
	double a = ((const struct ranked *)pa)->value, b = ((const struct ranked *)pb)->value;

	return (a > b) - (a < b);
}

/* Gives each its rank, ties their mean; returns Σ(t³ - t) over the ties. */
static double ranks_give(struct ranked *v, size_t n)
{
	double ties = 0;

	qsort(v, n, sizeof(*v), ranked_compare);
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && v[end].value == v[i].value;)
			end++;
		for (size_t k = i; k < end; k++)
			v[k].rank = (uint32_t)(i + end + 1);
		t = (double)(end - i);
		ties += t * t * t - t;
	}
	return ties;
}

static uint64_t rank_sum(const struct ranked *v, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i].first ? v[i].rank : 0;
	return sum;
}

/*
 * Of all ways to choose na of the n ranks, the share whose sum is at least as far from the middle. ways[k][s]: how many
 * choices of k ranks have the sum s.
 */
static double exact(const struct ranked *v, size_t na, size_t n)
{
	const size_t most = n * (n + 1), width = most + 1;
	const int64_t middle = (int64_t)(na * (n + 1));
	const int64_t far = llabs((int64_t)rank_sum(v, n) - middle);
	double *ways = calloc((na + 1) * width, sizeof(*ways)), all = 0, extreme = 0;

	if (!ways)
		return NAN;
	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = na; k > 0; k--)
			for (size_t s = v[i].rank; s <= most; s++)
				ways[k * width + s] += ways[(k - 1) * width + s - v[i].rank];
	for (size_t s = 0; s <= most; s++) {
		all += ways[na * width + s];
		if (llabs((int64_t)s - middle) >= far)
			extreme += ways[na * width + s];
	}
	free(ways);
	return extreme / all;
}

static double approximate(const struct ranked *v, size_t na, size_t n, double ties)
{
	const double m = (double)n, a = (double)na, b = m - a;
	const double variance = a * b / 12 * (m + 1 - ties / (m * (m - 1)));
	double far = fabs((double)rank_sum(v, n) / 2 - a * (m + 1) / 2) - 0.5;

	if (!(variance > 0))
		return 1;
	return far > 0 ? erfc(far / sqrt(2 * variance)) : 1;
}

double ranktest(const double *a, size_t na, const double *b, size_t nb)
{
	const size_t n = na + nb;
	struct ranked *v = calloc(n + 1, sizeof(*v));
	bool numbers = na && nb;
	double p = NAN, ties;

	for (size_t i = 0; v && i < n; i++) {
		v[i] = (struct ranked){ .value = i < na ? a[i] : b[i - na], .first = i < na };
		numbers = numbers && isfinite(v[i].value);
	}
	if (v && numbers) {
		ties = ranks_give(v, n);
		p = n <= RANKTEST_EXACT ? exact(v, na, n) : approximate(v, na, n, ties);
	}
	free(v);
	return p;
}

double ranktest_least(size_t na, size_t nb)
{
	double ways = 1;

	for (size_t i = 1; i <= na; i++)
		ways = ways * (double)(nb + i) / (double)i;
	return ways > 2 ? 2 / ways : 1;
}
