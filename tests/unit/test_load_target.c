// SPDX-License-Identifier: MIT
/* load: what a single run launches, and for how long it lives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "load/load.h"

static struct load_result result;
static struct truth truth;

static struct load *open_pool(unsigned workers, uint64_t max_launches, const char *target)
{
	const struct load_pool_cfg cfg = { .workers = workers,
					   .max_launches = max_launches,
					   .target = target };
	struct load *l = NULL;
	struct err e = { "" };

	if (load_open(&cfg, &l, &e))
		fail_msg("%s", e.text);
	return l;
}

static void run(struct load *l, const struct load_cfg *cfg)
{
	struct err e = { "" };

	if (load_start(l, cfg, &e) || load_wait(l, 10000, &result, &e) != 1)
		fail_msg("%s", e.text);
	load_truth(l, &truth);
}

/* Running or asleep, each launch lasts as long as it was told to, and ends as it was told to. */
static void lives_as_long_as_told(void **state)
{
	struct load *l = open_pool(2, 1000, NULL);

	(void)state;
	for (int sleeps = 0; sleeps < 2; sleeps++) {
		const struct load_cfg cfg = { .workers = 2,
					      .count = 23,
					      .lifetime_ns = 3 * NSEC_PER_MSEC,
					      .lifetime_sleeps = sleeps };

		load_reset(l);
		run(l, &cfg);
		assert_int_equal(result.bad_status, 0);
		for (size_t i = 0; i < truth.segment[0].n; i++)
			assert_true(truth.segment[0].launch[i].end_ns -
					    truth.segment[0].launch[i].start_ns >=
				    cfg.lifetime_ns);
		/* Asleep it needs next to no CPU time; running, nearly all of its life. */
		if (sleeps)
			assert_true(result.child_user_s + result.child_sys_s < 0.5 * 23 * 0.003);
		else
			assert_true(result.child_user_s + result.child_sys_s > 0.5 * 23 * 0.003);
	}
	load_close(l);
}

/* One run of a script, and testApp again: the names follow, and each is told to end as it can. */
static void a_run_may_have_a_target_of_its_own(void **state)
{
	struct load *l = open_pool(1, 1000, NULL);
	struct load_cfg cfg = { .workers = 1, .count = 23, .target = LOAD_TARGET_SCRIPT };

	(void)state;
	run(l, &cfg);
	assert_int_equal(result.failed, 0);
	assert_string_equal(truth.name[truth.segment[0].launch[7].name - 1], "script");
	assert_int_equal(truth.segment[0].launch[7].status, 0);
	load_reset(l);
	cfg.target = LOAD_TARGET_POOL;
	run(l, &cfg);
	assert_int_equal(result.bad_status, 0);
	assert_string_equal(truth.name[truth.segment[0].launch[7].name - 1], "testApp1");
	assert_int_equal(truth.segment[0].launch[7].status, 7 << 8);
	load_close(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lives_as_long_as_told),
		cmocka_unit_test(a_run_may_have_a_target_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
