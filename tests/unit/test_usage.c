// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/usage.h"

static void stat_is_read(void **state)
{
	struct usage u = { 0 };

	(void)state;
	assert_true(usage_parse_stat(&u,
				     "cpu  100 0 50 4000 100 0 3 25 0 0\n"
				     "cpu0 1 2 3\nintr 12 0 0\nctxt 99\nprocesses 2003\n",
				     100));
	assert_float_equal(u.idle_s, 41, 1e-9);
	assert_float_equal(u.steal_s, 0.25, 1e-9);
	assert_int_equal(u.forks, 2003);
}

static void another_text_is_refused(void **state)
{
	struct usage u = { 0 };

	(void)state;
	assert_false(usage_parse_stat(&u, "", 100));
	assert_false(usage_parse_stat(&u, "cpu0 1 2 3 4\n", 100));
	assert_false(usage_parse_stat(&u, "cpu  1 2\n", 100));
	assert_false(usage_parse_stat(&u, "cpu  1 2 3 4 5 6 7 8\nprocs_running 5\n", 100));
	assert_false(usage_parse_stat(&u, "cpu  1 2 3 4\nprocesses 5\n", 0));
}

static void throttling_of_both_versions(void **state)
{
	(void)state;
	assert_float_equal(usage_parse_throttled("usage_usec 5\nthrottled_usec 1500000\n"), 1.5,
			   1e-9);
	assert_float_equal(usage_parse_throttled("nr_throttled 3\nthrottled_time 2500000000\n"),
			   2.5, 1e-9);
	assert_float_equal(usage_parse_throttled("usage_usec 5\n"), 0, 1e-9);
}

/* A second on two CPUs: ours took one of them, the other was idle. */
static const struct usage start = { .at_ns = 1000, .idle_s = 5, .steal_s = 1, .forks = 100 };
static const struct usage_ours ours = { .cpus = 2, .forks = 10000, .cpu_s = 1 };

static struct usage quiet_end(void)
{
	return (struct usage){
		.at_ns = start.at_ns + 1000000000, .idle_s = 6, .steal_s = 1, .forks = 10100
	};
}

static void quiet_is_not_marked(void **state)
{
	struct usage end = quiet_end();
	struct disturbance d = usage_judge(&start, &end, &ours);

	(void)state;
	assert_int_equal(d.marks, 0);
	assert_int_equal(d.foreign_forks, 0);
	assert_float_equal(d.foreign_cpu_s, 0, 1e-9);
}

static void each_disturbance_has_its_mark(void **state)
{
	struct usage end = quiet_end();
	struct disturbance d;

	(void)state;
	end.steal_s += 0.05;
	end.idle_s -= 0.05;
	d = usage_judge(&start, &end, &ours);
	assert_int_equal(d.marks, DISTURB_STEAL);
	assert_float_equal(d.steal_s, 0.05, 1e-9);
	assert_float_equal(d.foreign_cpu_s, 0, 1e-9);

	end = quiet_end();
	end.forks += 23;
	d = usage_judge(&start, &end, &ours);
	assert_int_equal(d.marks, DISTURB_PROCESSES);
	assert_int_equal(d.foreign_forks, 23);

	end = quiet_end();
	end.idle_s -= 0.5;
	d = usage_judge(&start, &end, &ours);
	assert_int_equal(d.marks, DISTURB_LOAD);
	assert_float_equal(d.foreign_cpu_s, 0.5, 1e-9);

	end = quiet_end();
	end.throttled_s = 0.001;
	assert_int_equal(usage_judge(&start, &end, &ours).marks, DISTURB_THROTTLED);
}

/* The machine counts fewer than we started (a counter was read in between): nothing is foreign. */
static void fewer_than_ours_is_none(void **state)
{
	struct usage end = quiet_end();

	(void)state;
	end.forks -= 5;
	assert_int_equal(usage_judge(&start, &end, &ours).foreign_forks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_is_read),
		cmocka_unit_test(another_text_is_refused),
		cmocka_unit_test(throttling_of_both_versions),
		cmocka_unit_test(quiet_is_not_marked),
		cmocka_unit_test(each_disturbance_has_its_mark),
		cmocka_unit_test(fewer_than_ours_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
