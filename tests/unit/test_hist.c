// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hist.h"

static struct hist h, h2;

static uint64_t rng_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int u64_compare(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

static void assert_close(uint64_t got, uint64_t want)
{
	uint64_t diff = got > want ? got - want : want - got;

	if (diff * 200 > want)
		fail_msg("%llu is more than 0.5 %% from %llu", (unsigned long long)got,
			 (unsigned long long)want);
}

static void empty_is_zero(void **state)
{
	(void)state;
	hist_init(&h);
	assert_int_equal(h.n, 0);
	assert_int_equal(hist_quantile(&h, 0), 0);
	assert_int_equal(hist_quantile(&h, 0.5), 0);
	assert_int_equal(hist_quantile(&h, 1), 0);
}

static void one_value_is_every_quantile(void **state)
{
	static const uint64_t values[] = {
		0,	    1,	       127,	128,	    129,
		255,	    256,       1000003, 1ULL << 41, (1ULL << 42) - 1,
		1ULL << 42, UINT64_MAX
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		hist_init(&h);
		hist_add(&h, values[i]);
		for (int q = 0; q <= 4; q++)
			assert_int_equal(hist_quantile(&h, q / 4.0), values[i]);
		assert_int_equal(h.min, values[i]);
		assert_int_equal(h.max, values[i]);
	}
}

/* The value in the middle of three is given back by its bucket, whatever its size. */
static void error_is_below_half_a_percent(void **state)
{
	uint64_t seed = 23;

	(void)state;
	for (int i = 0; i < 50000; i++) {
		uint64_t v = rng_next(&seed) >> (22 + seed % 42); /* below 2^42 */

		hist_init(&h2);
		hist_add(&h2, v);
		hist_add(&h2, 0);
		hist_add(&h2, UINT64_MAX);
		assert_close(hist_quantile(&h2, 0.5), v);
		if (v < 256)
			assert_int_equal(hist_quantile(&h2, 0.5), v);
	}
}

static void quantiles_match_sorted_values(void **state)
{
	static const double q[] = { 0, 0.001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1 };
	static uint64_t v[20011];
	size_t n = sizeof(v) / sizeof(*v);
	uint64_t seed = 2003;

	(void)state;
	hist_init(&h);
	for (size_t i = 0; i < n; i++) {
		v[i] = rng_next(&seed) >> (30 + seed % 30);
		hist_add(&h, v[i]);
	}
	qsort(v, n, sizeof(*v), u64_compare);
	for (size_t i = 0; i < sizeof(q) / sizeof(*q); i++) {
		size_t rank = q[i] * n;

		if (rank < q[i] * n)
			rank++;
		assert_close(hist_quantile(&h, q[i]), v[rank ? rank - 1 : 0]);
	}
	assert_int_equal(hist_quantile(&h, 0), v[0]);
	assert_int_equal(hist_quantile(&h, 1), v[n - 1]);
	assert_int_equal(hist_quantile(&h, -1), v[0]);
	assert_int_equal(hist_quantile(&h, 2), v[n - 1]);
}

static void ranks_are_exact(void **state)
{
	(void)state;
	hist_init(&h);
	for (uint64_t v = 1; v <= 100; v++)
		hist_add(&h, v);
	for (uint64_t p = 1; p <= 100; p++)
		assert_int_equal(hist_quantile(&h, (double)p / 100), p);
	assert_int_equal(hist_quantile(&h, 0.495), 50);
}

static void beyond_the_last_bucket_counts_as_that(void **state)
{
	(void)state;
	hist_init(&h);
	for (int i = 0; i < 10; i++)
		hist_add(&h, 1ULL << 50);
	hist_add(&h, 5);
	hist_add(&h, 1ULL << 60);
	assert_int_equal(h.n, 12);
	assert_int_equal(h.max, 1ULL << 60);
	assert_close(hist_quantile(&h, 0.5), 1ULL << HIST_MAX_BITS);
}

static void merge_is_the_same_as_adding_all(void **state)
{
	static struct hist both;
	uint64_t seed = 7;

	(void)state;
	hist_init(&h);
	hist_init(&h2);
	hist_init(&both);
	for (int i = 0; i < 10007; i++) {
		uint64_t v = rng_next(&seed) >> (seed % 64);

		hist_add(i % 3 ? &h : &h2, v);
		hist_add(&both, v);
	}
	hist_merge(&h, &h2);
	assert_memory_equal(&h, &both, sizeof(h));
}

static void merge_with_empty_changes_nothing(void **state)
{
	(void)state;
	hist_init(&h);
	hist_init(&h2);
	hist_add(&h, 23);
	hist_add(&h, 2003);
	hist_merge(&h, &h2);
	assert_int_equal(h.n, 2);
	assert_int_equal(h.min, 23);
	assert_int_equal(h.max, 2003);
	hist_merge(&h2, &h);
	assert_memory_equal(&h, &h2, sizeof(h));
}

static void counts_what_is_above(void **state)
{
	(void)state;
	hist_init(&h);
	assert_int_equal(hist_above(&h, 0), 0);
	for (uint64_t v = 1; v <= 100; v++)
		hist_add(&h, v * 1000000000);
	assert_int_equal(hist_above(&h, 0), 100);
	assert_int_equal(hist_above(&h, 50500000000), 50);
	assert_int_equal(hist_above(&h, 100000000000), 0);
	assert_int_equal(hist_above(&h, UINT64_MAX), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_is_above),
		cmocka_unit_test(empty_is_zero),
		cmocka_unit_test(one_value_is_every_quantile),
		cmocka_unit_test(error_is_below_half_a_percent),
		cmocka_unit_test(quantiles_match_sorted_values),
		cmocka_unit_test(ranks_are_exact),
		cmocka_unit_test(beyond_the_last_bucket_counts_as_that),
		cmocka_unit_test(merge_is_the_same_as_adding_all),
		cmocka_unit_test(merge_with_empty_changes_nothing),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
