// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sample_result.h"

static struct result_run *add(struct result *r, const char *monitor, uint32_t round, double rate)
{
	struct result_run *run = result_add_run(r);

	strcpy(run->scenario, "serial");
	strcpy(run->monitor, monitor);
	run->round = round;
	run->rate_per_s = rate;
	run->launches = 1000;
	if (strcmp(monitor, "none") != 0) {
		run->nsources = 1;
		strcpy(run->source[0].name, monitor);
		run->source[0].checks_ok = run->source[0].ledger.identities_hold = true;
		run->source[0].ledger.books_checked = run->source[0].ledger.books_balance = true;
		run->source[0].ledger.kinds = EV_MASK(EV_EXEC);
	}
	return run;
}

static void slowdown_pairs_rounds(void **state)
{
	struct result r = { 0 };

	(void)state;
	/* The machine gets slower by half; a monitor that takes 10 % each time shows as exactly that. */
	for (uint32_t i = 1; i <= 8; i++) {
		add(&r, "bpf", i, 9000.0 / i);
		add(&r, "none", i, 10000.0 / i);
	}
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.nsummaries, 2);
	assert_string_equal(r.summary[1].monitor, "bpf");
	assert_true(r.summary[1].has_slowdown);
	assert_true(r.summary[1].slowdown_pct.valid);
	assert_float_equal(r.summary[1].slowdown_pct.median, 10, 1e-9);
	assert_float_equal(r.summary[1].detectable_pct, 0, 1e-9);
	assert_false(r.summary[0].has_slowdown);
	result_free(&r);
}

/* none, bpf, none, netlink, none: each against the mean of the two beside it, whatever the rest did. */
static void slowdown_pairs_neighbours(void **state)
{
	static const struct {
		const char *monitor;
		double rate;
	} row[] = {
		{ "none", 100 }, { "bpf", 150 }, { "none", 200 }, { "netlink", 75 }, { "none", 100 }
	};
	struct result r = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 10; i++) {
		struct result_run *run = add(&r, row[i % 5].monitor, i / 5 + 1, row[i % 5].rate);

		/* Between the rounds something ran that does not count. */
		run->sequence = i + 1 + i / 5;
	}
	assert_int_equal(result_summarise(&r), 0);
	assert_string_equal(r.summary[1].monitor, "bpf");
	assert_float_equal(r.summary[1].slowdown_pct.median, 0, 1e-9);
	assert_string_equal(r.summary[2].monitor, "netlink");
	assert_float_equal(r.summary[2].slowdown_pct.median, 50, 1e-9);
	result_free(&r);
}

/* The kernel's own timing slows: what was seen and lost counts, how fast it was does not. */
static void timed_runs_have_no_rate(void **state)
{
	struct result r = { 0 };
	struct result_run *run;

	(void)state;
	add(&r, "none", 1, 1000)->sequence = 1;
	add(&r, "bpf", 1, 900)->sequence = 2;
	run = add(&r, "bpf", 1, 100);
	run->sequence = 3;
	run->kernel_timed = true;
	run->source[0].kernel_ns[EV_EXEC] = 5000;
	run->source[0].kernel_runs[EV_EXEC] = 10;
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.summary[1].rounds, 1);
	assert_int_equal(r.summary[1].launches, 2000);
	assert_float_equal(r.summary[1].rate_per_s.median, 900, 1e-9);
	assert_float_equal(r.summary[1].slowdown_pct.median, 10, 1e-9);
	assert_int_equal(r.summary[1].source[0].kernel_runs[EV_EXEC], 10);
	result_free(&r);
}

static void disturbed_slices_are_counted_by_what(void **state)
{
	struct result r = { 0 };

	(void)state;
	add(&r, "none", 1, 1000);
	add(&r, "none", 2, 1000)->disturbance.steal = true;
	add(&r, "none", 3, 1000)->disturbance =
		(struct result_disturbance){ .steal = true, .processes = true };
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.summary[0].rounds, 3);
	assert_int_equal(r.summary[0].disturbed.slices, 2);
	assert_int_equal(r.summary[0].disturbed.steal, 2);
	assert_int_equal(r.summary[0].disturbed.processes, 1);
	assert_int_equal(r.summary[0].disturbed.load, 0);
	result_free(&r);
}

/* Cells run in a shuffled order. */
static void monitors_always_come_in_the_same_order(void **state)
{
	static const char *const shuffled[] = { "zebra", "netlink-names", "bpf", "none",
						"netlink" };
	static const char *const sorted[] = { "none",	       "bpf",	"netlink",
					      "netlink-names", "zebra", "bpf+netlink" };
	struct result r = { 0 };

	(void)state;
	add(&r, "bpf+netlink", 1, 1)->nsources = 2;
	for (size_t i = 0; i < 5; i++)
		add(&r, shuffled[i], 1, 1);
	strcpy(add(&r, "none", 1, 1)->scenario, "burst");
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.nsummaries, 7);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(r.summary[i].monitor, sorted[i]);
	assert_string_equal(r.summary[6].scenario, "burst");
	result_free(&r);
}

static void no_unwatched_run_no_slowdown(void **state)
{
	struct result r = { 0 };

	(void)state;
	add(&r, "none", 1, 10000);
	add(&r, "bpf", 2, 9000); /* no partner in its round */
	assert_int_equal(result_summarise(&r), 0);
	assert_false(r.summary[1].has_slowdown);
	assert_float_equal(r.summary[1].rate_per_s.median, 9000, 0);
	add(&r, "bpf", 1, 8000);
	assert_int_equal(result_summarise(&r), 0); /* again */
	assert_true(r.summary[1].has_slowdown);
	assert_false(r.summary[1].slowdown_pct.valid);
	assert_float_equal(r.summary[1].slowdown_pct.median, 20, 1e-9);
	result_free(&r);
}

static void a_run_cut_short_has_no_say_in_speed(void **state)
{
	struct result r = { 0 };

	(void)state;
	for (uint32_t i = 1; i <= 3; i++)
		add(&r, "bpf", i, 9000)->source[0].ledger.all.lost = 1;
	r.run[2].interrupted = true;
	r.run[2].rate_per_s = 1;
	assert_int_equal(result_summarise(&r), 0);
	assert_float_equal(r.summary[0].rate_per_s.lo, 9000, 0);
	assert_int_equal(r.summary[0].source[0].ledger.all.lost, 3); /* but its losses count */
	assert_int_equal(r.summary[0].rounds, 3);
	r.run[0].interrupted = r.run[1].interrupted =
		true; /* nothing else is there: then it speaks */
	assert_int_equal(result_summarise(&r), 0);
	assert_float_equal(r.summary[0].rate_per_s.lo, 1, 0);
	result_free(&r);
}

static void counters_add_up_and_unknown_stays(void **state)
{
	struct result r = { 0 };
	struct ledger *l;

	(void)state;
	for (uint32_t i = 1; i <= 3; i++) {
		l = &add(&r, "netlink", i, 1)->source[0].ledger;
		l->all.expected = 10 * i;
		l->kind[EV_EXEC].reported = i == 2 ? LEDGER_UNKNOWN : i;
		l->kind[EV_EXIT].expected = 5; /* not in the mask: garbage */
		l->lost_at[LOST_SOCKET_DROPPED] = i;
		l->foreign_generated = LEDGER_UNKNOWN;
	}
	assert_int_equal(result_summarise(&r), 0);
	l = &r.summary[0].source[0].ledger;
	assert_int_equal(l->all.expected, 60);
	assert_int_equal(l->kind[EV_EXEC].reported, LEDGER_UNKNOWN);
	assert_int_equal(l->kind[EV_EXIT].expected, 0);
	assert_int_equal(l->lost_at[LOST_SOCKET_DROPPED], 6);
	assert_int_equal(l->foreign_generated, LEDGER_UNKNOWN);
	assert_int_equal(l->kinds, EV_MASK(EV_EXEC));
	result_free(&r);
}

static void one_failed_check_fails_the_summary(void **state)
{
	struct result r = { 0 };
	struct result_source *s;

	(void)state;
	for (uint32_t i = 1; i <= 4; i++)
		add(&r, "bpf", i, 1);
	assert_int_equal(result_summarise(&r), 0);
	s = &r.summary[0].source[0];
	assert_true(s->checks_ok && s->ledger.identities_hold && s->ledger.books_balance);
	for (unsigned i = 1; i <= 2; i++) {
		r.run[i].source[0].checks_ok = false;
		r.run[i].source[0].ledger.identities_hold = false;
		r.run[i].source[0].ledger.books_balance = false;
		snprintf(r.run[i].source[0].ledger.books_why, 16, "round %u", i + 1);
	}
	assert_int_equal(result_summarise(&r), 0);
	s = &r.summary[0].source[0];
	assert_false(s->checks_ok || s->ledger.identities_hold || s->ledger.books_balance);
	assert_string_equal(s->ledger.books_why, "round 2");
	result_free(&r);
}

static void times_are_medians_and_the_largest(void **state)
{
	struct result r = { 0 };

	(void)state;
	for (uint32_t i = 1; i <= 3; i++) {
		struct result_source *s = &add(&r, "bpf", i, 1)->source[0];

		s->latency = (struct result_latency){ .n = 1, .p50 = i * i, .max = 100 - i };
		s->reader_user_s = 0.001 * i;
	}
	r.run[2].source[0].latency.n = 0; /* nothing delivered: no time of it counts */
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.summary[0].source[0].latency.p50, 2); /* between 1 and 4 */
	assert_int_equal(r.summary[0].source[0].latency.max, 99);
	assert_int_equal(r.summary[0].source[0].latency.n, 2);
	assert_float_equal(r.summary[0].cpu_us_per_launch[0], 2, 1e-9);
	result_free(&r);
}

static void cross_checks_add_up(void **state)
{
	struct result r = { 0 };

	(void)state;
	for (uint32_t i = 1; i <= 2; i++) {
		struct result_run *run = add(&r, "bpf+netlink", i, 1);

		run->nsources = 2;
		run->has_cross = true;
		run->cross.kind[EV_EXEC].both = 10;
		run->cross.kind[EV_EXIT].only_b = i;
		run->cross.ts_n = 10;
		run->cross.ts_p50_ns = 100 * i;
		run->cross.ts_max_ns = 1000 * i;
		run->cross.a_first = i - 1;
	}
	assert_int_equal(result_summarise(&r), 0);
	assert_true(r.summary[0].has_cross);
	assert_int_equal(r.summary[0].cross.kind[EV_EXEC].both, 20);
	assert_int_equal(r.summary[0].cross.kind[EV_EXIT].only_b, 3);
	assert_int_equal(r.summary[0].cross.ts_p50_ns, 150);
	assert_int_equal(r.summary[0].cross.ts_max_ns, 2000);
	assert_float_equal(r.summary[0].cross.a_first, 0.5, 1e-9);
	result_free(&r);
}

static void more_rounds_than_statistics_take_are_no_harm(void **state)
{
	struct result r = { 0 };

	(void)state;
	for (uint32_t i = 1; i <= STATS_MAX_N + 10; i++)
		add(&r, "none", i, i);
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.summary[0].rounds, STATS_MAX_N + 10);
	assert_true(r.summary[0].rate_per_s.valid);
	result_free(&r);
}

static void this_machine_has_a_kernel(void **state)
{
	struct result_host h;

	(void)state;
	result_host_fill(&h);
	assert_true(h.kernel[0] && h.arch[0] && h.virt[0]);
	assert_true(h.cpus >= 1 && h.cpus_possible >= h.cpus);
	assert_true(h.pid_max > 100 && h.page_size >= 4096 && h.mem_bytes > 1 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slowdown_pairs_rounds),
		cmocka_unit_test(slowdown_pairs_neighbours),
		cmocka_unit_test(timed_runs_have_no_rate),
		cmocka_unit_test(disturbed_slices_are_counted_by_what),
		cmocka_unit_test(monitors_always_come_in_the_same_order),
		cmocka_unit_test(no_unwatched_run_no_slowdown),
		cmocka_unit_test(a_run_cut_short_has_no_say_in_speed),
		cmocka_unit_test(counters_add_up_and_unknown_stays),
		cmocka_unit_test(one_failed_check_fails_the_summary),
		cmocka_unit_test(times_are_medians_and_the_largest),
		cmocka_unit_test(cross_checks_add_up),
		cmocka_unit_test(more_rounds_than_statistics_take_are_no_harm),
		cmocka_unit_test(this_machine_has_a_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
