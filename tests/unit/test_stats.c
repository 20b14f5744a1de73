// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/stats.h"

/* Values equal to their ranks, in an order far from sorted (7919 is a prime, n is smaller). */
static size_t ranks_fill(double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = 1 + (i * 7919) % n;
	return n;
}

static void interval_has_the_binomial_ranks(void **state)
{
	/* Printed tables of the sign test, two-sided 95 %. */
	static const struct {
		size_t n, lo, hi;
	} table[] = {
		{ 6, 1, 6 },	{ 7, 1, 7 },	{ 8, 1, 8 },	 { 9, 2, 8 },
		{ 10, 2, 9 },	{ 11, 2, 10 },	{ 12, 3, 10 },	 { 15, 4, 12 },
		{ 16, 4, 13 },	{ 17, 5, 13 },	{ 20, 6, 15 },	 { 25, 8, 18 },
		{ 30, 10, 21 }, { 50, 18, 33 }, { 100, 40, 61 }, { 1000, 469, 532 },
	};
	static double v[1000];

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct interval ci = stats_median_ci(v, ranks_fill(v, table[i].n));

		assert_true(ci.valid);
		if (ci.lo != table[i].lo || ci.hi != table[i].hi)
			fail_msg("n=%zu: %g..%g", table[i].n, ci.lo, ci.hi);
	}
}

static void few_values_are_not_valid(void **state)
{
	double v[5];

	(void)state;
	for (size_t n = 1; n <= 5; n++) {
		struct interval ci = stats_median_ci(v, ranks_fill(v, n));

		assert_false(ci.valid);
		assert_true(ci.lo == 1 && ci.hi == n);
		assert_true(ci.median == (n + 1) / 2.0);
	}
}

static void no_values_are_zero(void **state)
{
	struct interval ci = stats_median_ci(NULL, 0);

	(void)state;
	assert_false(ci.valid);
	assert_true(ci.median == 0 && ci.lo == 0 && ci.hi == 0);
}

static void median_of_odd_and_even(void **state)
{
	const double odd[] = { 9, -1, 4, 4, 100, 3, 5 };
	const double even[] = { 9, -1, 4, 100, 3, 5 };

	(void)state;
	assert_true(stats_median_ci(odd, 7).median == 4);
	assert_true(stats_median_ci(even, 6).median == 4.5);
	assert_true(stats_median_ci(even, 6).lo == -1);
	assert_true(stats_median_ci(even, 6).hi == 100);
}

static void caller_array_stays(void **state)
{
	double v[] = { 3, 1, 2, 6, 5, 4 };
	const double before[] = { 3, 1, 2, 6, 5, 4 };

	(void)state;
	stats_median_ci(v, 6);
	assert_memory_equal(v, before, sizeof(v));
}

/* At the bound 2^-n is no double any more. The ranks come from integer arithmetic. */
static void largest_n_is_exact(void **state)
{
	static double v[STATS_MAX_N];
	struct interval ci = stats_median_ci(v, ranks_fill(v, STATS_MAX_N));

	(void)state;
	assert_true(ci.valid);
	assert_true(ci.lo == 1985 && ci.hi == 2112);
}

static void zero_of_n(void **state)
{
	(void)state;
	assert_true(stats_zero_of_n(0) == 1);
	assert_true(stats_zero_of_n(2) == 1);
	assert_true(stats_zero_of_n(100) == 0.03);
	assert_true(stats_zero_of_n(3000000) == 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interval_has_the_binomial_ranks),
		cmocka_unit_test(few_values_are_not_valid),
		cmocka_unit_test(no_values_are_zero),
		cmocka_unit_test(median_of_odd_and_even),
		cmocka_unit_test(caller_array_stays),
		cmocka_unit_test(largest_n_is_exact),
		cmocka_unit_test(zero_of_n),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
