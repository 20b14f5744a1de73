/* SPDX-License-Identifier: MIT */
/* stats: the little statistics that reports need. Pure functions; they sort copies, never the
 * caller's array; no allocation failure is visible (n is bounded by STATS_MAX_N). */
#ifndef PT_BASE_STATS_H
#define PT_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATS_MAX_N 4096

struct interval {
	double median, lo, hi;
	bool valid; /* false: too few values (n < 6) for 95 %; lo and hi are then min and max */
};

/*
 * Median of @v[0..n) and its 95 % confidence interval by order statistics (exact: the binomial
 * distribution of ranks, no assumption about the shape). n == 0 gives zeros and valid == false.
 */
struct interval stats_median_ci(const double *v, size_t n);

/* Upper bound at 95 % of the true share when 0 of @n were seen ("rule of three"); 1 if n == 0. */
double stats_zero_of_n(uint64_t n);

#endif
