// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/ranktest.h"

#define assert_near(a, b, d) assert_true(fabs((a) - (b)) < (d))
#define P(a, b) ranktest(a, sizeof(a) / sizeof(*a), b, sizeof(b) / sizeof(*b))

/* By hand: of the C(6,3) = 20 ways to choose 3 ranks, two are as extreme as 1, 2, 3. */
static void small_samples_are_exact(void **state)
{
	const double low[] = { 1, 2, 3 }, high[] = { 4, 5, 6 }, mixed[] = { 2.5, 1.5, 6 };

	(void)state;
	assert_near(P(low, high), 0.1, 1e-12);
	assert_near(P(high, low), 0.1, 1e-12);
	assert_near(P(low, low), 1, 1e-12);
	/* Ranks of low among both: 1, 3, 5 of 6, sum 9, the middle is 10.5; sums 9…12 are nearer: 14 of 20 are as far. */
	assert_near(P(low, mixed), 0.7, 1e-12);
}

static void ties_share_their_rank(void **state)
{
	const double zeros[] = { 0, 0, 0, 0, 0, 0 }, one[] = { 0, 0, 0, 0, 0, 7 },
		     all[] = { 7, 7, 7, 7, 7, 7 };

	(void)state;
	assert_near(P(zeros, zeros), 1, 1e-12);
	assert_near(P(zeros, one), 1, 1e-12);
	assert_near(P(zeros, all), 2.0 / 924, 1e-12);
}

static void least_is_what_separate_samples_give(void **state)
{
	double a[24], b[24];

	(void)state;
	for (size_t n = 1; n <= 24; n++) {
		for (size_t i = 0; i < n; i++) {
			a[i] = (double)i;
			b[i] = 100 + (double)i;
		}
		assert_near(ranktest(a, n, b, n) / ranktest_least(n, n), 1, 1e-9);
	}
}

/* Where the one method ends, the other goes on. */
static void approximation_agrees_with_the_exact_test(void **state)
{
	double a[26], b[26], exact, approximate;

	(void)state;
	for (size_t i = 0; i < 26; i++) {
		a[i] = (double)((i * 7) % 26);
		b[i] = (double)((i * 11) % 26) + 4.5;
	}
	exact = ranktest(a, 25, b, 25);
	approximate = ranktest(a, 26, b, 26);
	assert_true(exact < 0.2 && exact > 0.001);
	assert_near(log(exact), log(approximate), 0.3);
}

static void what_cannot_be_tested_is_nan(void **state)
{
	const double good[] = { 1, 2 }, bad[] = { 1, NAN };

	(void)state;
	assert_true(isnan(P(good, bad)));
	assert_true(isnan(ranktest(good, 2, good, 0)));
	assert_near(ranktest_least(1, 1), 1, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_samples_are_exact),
		cmocka_unit_test(ties_share_their_rank),
		cmocka_unit_test(least_is_what_separate_samples_give),
		cmocka_unit_test(approximation_agrees_with_the_exact_test),
		cmocka_unit_test(what_cannot_be_tested_is_nan),
	};

	return cmocka_run_group_tests_name("ranktest", tests, NULL, NULL);
}
