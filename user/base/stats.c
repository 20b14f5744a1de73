// SPDX-License-Identifier: MIT
#include "base/stats.h"

#include <stdlib.h>
#include <string.h>

#define TAIL 0.025 /* what may lie beyond each end of a 95 % interval */

static int double_compare(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return (a > b) - (a < b);
}

/*
 * The largest k such that the interval from the k-th smallest to the k-th largest of @n values
 * holds the median with 95 %: P(Bin(n, 1/2) < k) <= 2.5 %. 0: there is none.
 *
 * The binomial weights are computed relative to the middle one and normalised by their sum, since
 * 2^-n is no double for the larger n; those that underflow are too small to matter.
 */
static size_t rank_of_interval(size_t n)
{
	double weight[STATS_MAX_N / 2 + 1];
	size_t mid = n / 2, k;
	double total, below = 0;

	weight[mid] = 1;
	total = 1;
	for (k = mid; k > 0; k--) {
		weight[k - 1] = weight[k] * (double)k / (double)(n - k + 1);
		total += 2 * weight[k - 1];
	}
	if (n % 2) /* the middle weight occurs twice */
		total += 1;
	for (k = 0; k < mid; k++) {
		below += weight[k];
		if (below > TAIL * total)
			break;
	}
	return k;
}

struct interval stats_median_ci(const double *v, size_t n)
{
	struct interval ci = { 0 };
	double sorted[STATS_MAX_N];
	size_t k;

	if (n > STATS_MAX_N)
		n = STATS_MAX_N;
	if (n == 0)
		return ci;
	memcpy(sorted, v, n * sizeof(*v));
	qsort(sorted, n, sizeof(*sorted), double_compare);
	ci.median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	k = rank_of_interval(n);
	ci.valid = k > 0;
	if (!ci.valid)
		k = 1;
	ci.lo = sorted[k - 1];
	ci.hi = sorted[n - k];
	return ci;
}

double stats_zero_of_n(uint64_t n)
{
	return n <= 3 ? 1 : 3 / (double)n;
}
