/* SPDX-License-Identifier: MIT */
/*
 * ranktest: could two samples be from the same distribution? Wilcoxon's rank sum test, two-sided; it assumes nothing of the
 * shape. Exact up to RANKTEST_EXACT values in all, ties included; with more, by the normal distribution. Pure.
 */
#ifndef PT_BASE_RANKTEST_H
#define PT_BASE_RANKTEST_H

#include <stddef.h>

#define RANKTEST_EXACT 50

/* The probability that samples of one distribution differ by as much as @a and @b do, or more. NAN: a sample is
 * empty, has a value that is no number, or there is no memory. */
double ranktest(const double *a, size_t na, const double *b, size_t nb);
/* The least that samples of these sizes can give: whether they can show anything. */
double ranktest_least(size_t na, size_t nb);

#endif
