// SPDX-License-Identifier: MIT
/* laws: what follows from made-up runs of the studies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/laws.h"
#include "report/result.h"
#include "report/text.h"

#define MS 1000000ULL

static struct result_run *run_add(struct result *r, const char *study, const char *scenario,
				  const char *monitor)
{
	struct result_run *run = result_add_run(r);

	assert_non_null(run);
	snprintf(run->study, sizeof(run->study), "%s", study);
	snprintf(run->scenario, sizeof(run->scenario), "%s", scenario);
	snprintf(run->monitor, sizeof(run->monitor), "%s", monitor);
	run->round = (uint32_t)r->nruns;
	run->workers = 1;
	run->nsources = strcmp(monitor, "none") != 0;
	snprintf(run->source[0].name, sizeof(run->source[0].name), "%s", monitor);
	run->source[0].checks_ok = true;
	return run;
}

/* The printed report; freed by the caller. */
static char *text_of(const struct result *r)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	text_report(r, f, false);
	fclose(f);
	return text;
}

/* A ring of 72 000 bytes holds 1000 events: 500 launches, half a second at 1000/s. */
static struct result_run *stall_add(struct result *r, uint64_t onset_ms, uint64_t launches)
{
	struct result_run *run = run_add(r, "stall", "stall-bpf", "bpf");
	struct result_source *s = &run->source[0];

	run->rate_target = run->rate_per_s = 1000;
	s->ledger.kinds = EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT);
	s->buffer_bytes = 72000;
	s->bytes_per_event = 72;
	s->capacity_events = 1000;
	s->has_losses = true;
	s->losses = (struct losses){ .hit = 40,
				     .runs = 1,
				     .longest = 40,
				     .stall_begin_ns = 100 * MS,
				     .stall_end_ns = 900 * MS,
				     .first_ns = (100 + onset_ms) * MS,
				     .last_ns = 920 * MS,
				     .held_launches = launches,
				     .held_events = 1000 };
	return run;
}

static void stall_is_predicted(void **state)
{
	struct result r = { 0 };
	const struct law_stall *s;

	(void)state;
	stall_add(&r, 500, 500);
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.laws->nstalls, 1);
	s = &r.laws->stall[0];
	assert_float_equal(s->onset_s, 0.5, 1e-6);
	assert_float_equal(s->predicted_s, 0.5, 1e-6);
	assert_float_equal(s->apart_pct, 0, 1e-3);
	assert_float_equal(s->recovery_s, 0.02, 1e-6);
	assert_float_equal(s->foreign_per_s, 0, 1e-6);
	result_free(&r);
}

/* 200 of the 1000 events are other processes': the buffer lasts for 400 launches. */
static void stall_counts_the_events_of_others(void **state)
{
	struct result r = { 0 };

	(void)state;
	stall_add(&r, 400, 400);
	assert_int_equal(result_summarise(&r), 0);
	assert_float_equal(r.laws->stall[0].foreign_per_s, 500, 1e-6);
	assert_float_equal(r.laws->stall[0].predicted_s, 0.4, 1e-6);
	result_free(&r);
}

/* A buffer that lasts only half as long as it should is no law, and the report says so. */
static void stall_shows_a_buffer_that_is_too_small(void **state)
{
	struct result r = { 0 };
	char *text;

	(void)state;
	stall_add(&r, 250, 250)->source[0].losses.held_events = 500;
	assert_int_equal(result_summarise(&r), 0);
	assert_float_equal(r.laws->stall[0].apart_pct, -50, 1e-3);
	text = text_of(&r);
	assert_non_null(strstr(text, "50 % apart"));
	assert_null(strstr(text, "The newest go"));
	free(text);
	result_free(&r);
}

static void stall_without_a_loss_is_no_measurement(void **state)
{
	struct result r = { 0 };

	(void)state;
	stall_add(&r, 500, 500);
	stall_add(&r, 500, 500)->source[0].losses.first_ns = LOSSES_NEVER;
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.laws->stall[0].rounds, 2);
	assert_int_equal(r.laws->stall[0].lossless, 1);
	assert_float_equal(r.laws->stall[0].onset_s, 0.5, 1e-6);
	result_free(&r);
}

static void buffers_follow_from_the_law(void **state)
{
	struct result r = { 0 };
	char *text;

	(void)state;
	/* 250 ms × 10 000/s × 2 events × 72 bytes */
	assert_float_equal(law_stall_bytes(2, 72, 0.25, 10000), 360000, 1e-6);
	stall_add(&r, 500, 500);
	assert_int_equal(result_summarise(&r), 0);
	text = text_of(&r);
	assert_non_null(
		strstr(text, "To survive a stall of 250 ms at 10 000 launches/s: eBPF 352 KiB."));
	free(text);
	result_free(&r);
}

static struct result_run *knee_add(struct result *r, const char *monitor, double rate,
				   double achieved, uint64_t lost, uint64_t named)
{
	char scenario[32];
	struct result_run *run;

	snprintf(scenario, sizeof(scenario), "knee-%.0f", rate);
	run = run_add(r, "knee", scenario, monitor);
	run->rate_target = rate;
	run->rate_per_s = achieved;
	run->launches = 1000;
	run->source[0].names = true;
	run->source[0].ledger.all.expected = 2000;
	run->source[0].ledger.all.lost = lost;
	run->source[0].ledger.kind[EV_EXEC].expected = 1000;
	run->source[0].ledger.identified = named;
	return run;
}

static void knee_is_where_a_monitor_first_fails(void **state)
{
	struct result r = { 0 };
	char *text;

	(void)state;
	/* Run from the highest rate down: the order must not matter. */
	for (double rate = 8000; rate >= 1000; rate /= 2) {
		knee_add(&r, "none", rate, rate, 0, 0);
		knee_add(&r, "bpf", rate, rate > 4000 ? 0.9 * rate : rate, 0, 1000);
		knee_add(&r, "netlink-names", rate, rate, rate > 2000 ? 5 : 0,
			 rate > 1000 ? 900 : 1000);
	}
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.laws->nknees, 12);
	assert_float_equal(r.laws->knee[0].rate, 1000, 1e-6);
	assert_string_equal(r.laws->knee[0].monitor, "none");
	text = text_of(&r);
	assert_non_null(
		strstr(text, "eBPF slows the launcher by more than 5 % from 8 000 launches/s on."));
	assert_non_null(strstr(
		text, "netlink + names loses events from 4 000 launches/s on, fails to name"));
	assert_non_null(strstr(text, "2 000 launches/s on."));
	free(text);
	result_free(&r);
}

static void life_add(struct result *r, uint64_t lifetime_us, uint64_t launches, uint64_t named)
{
	char scenario[32];
	struct result_run *run;

	snprintf(scenario, sizeof(scenario), "lifetime-%u", (unsigned)lifetime_us);
	run = run_add(r, "lifetime", scenario, "netlink-names");
	run->cond.lifetime_ns = lifetime_us * 1000;
	run->source[0].names = true;
	run->source[0].ledger.kind[EV_EXEC].expected = launches;
	run->source[0].ledger.identified = named;
}

/* 20 % at 100 us, 80 % at 400 us: half at 200 us, the middle on a logarithmic line. */
static void half_lies_between_two_lifetimes(void **state)
{
	struct result r = { 0 };
	const struct law_half *h;

	(void)state;
	life_add(&r, 400, 500, 400);
	life_add(&r, 100, 1000, 200);
	life_add(&r, 400, 500, 400); /* another round of it */
	life_add(&r, 0, 1000, 0);
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.laws->nlives, 3);
	assert_int_equal(r.laws->life[2].launches, 1000);
	assert_float_equal(r.laws->life[2].share, 0.8, 1e-6);
	/* Wilson, 800 of 1000 and 0 of 1000 */
	assert_float_equal(r.laws->life[2].lo, 0.7741, 1e-3);
	assert_float_equal(r.laws->life[2].hi, 0.8236, 1e-3);
	assert_float_equal(r.laws->life[0].hi, 0.0038, 1e-3);
	assert_int_equal(r.laws->nhalves, 1);
	h = &r.laws->half[0];
	assert_int_equal(h->state, HALF_FOUND);
	assert_float_equal(h->ns, 200000, 1);
	assert_true(h->lo_ns < h->ns && h->ns < h->hi_ns);
	assert_true(h->lo_ns > 180000 && h->hi_ns < 220000);
	result_free(&r);
}

/* 60 % at 100 us and 40 % at 200 us are noise: together 50 %, reached between 50 and 100 us. */
static void half_is_found_on_a_rising_curve(void **state)
{
	struct result r = { 0 };

	(void)state;
	life_add(&r, 50, 1000, 100);
	life_add(&r, 100, 1000, 600);
	life_add(&r, 200, 1000, 400);
	life_add(&r, 400, 1000, 900);
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.laws->half[0].state, HALF_FOUND);
	assert_float_equal(r.laws->half[0].ns, 100000, 1);
	result_free(&r);
}

/* Rounds of 20 % and 60 %: 40 % is no figure that is known to 3 %. */
static void rounds_that_differ_widen_the_interval(void **state)
{
	struct result r = { 0 };

	(void)state;
	life_add(&r, 50, 1000, 200);
	life_add(&r, 50, 1000, 600);
	assert_int_equal(result_summarise(&r), 0);
	assert_float_equal(r.laws->life[0].share, 0.4, 1e-6);
	assert_float_equal(r.laws->life[0].lo, 0.2, 1e-6);
	assert_float_equal(r.laws->life[0].hi, 0.6, 1e-6);
	result_free(&r);
}

static void half_may_lie_outside(void **state)
{
	struct result r = { 0 };

	(void)state;
	life_add(&r, 0, 100, 90);
	life_add(&r, 100, 100, 100);
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.laws->half[0].state, HALF_ALWAYS_MORE);
	result_free(&r);
	life_add(&r, 0, 100, 0);
	life_add(&r, 100, 100, 10);
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.laws->half[0].state, HALF_ALWAYS_LESS);
	result_free(&r);
}

/* One table for the scenarios of a study, none of their own, no say in the verdict; a reason for what is missing. */
static void cells_of_a_study_make_one_table(void **state)
{
	struct result r = { 0 };
	struct result_run *run;
	char *text;

	(void)state;
	run = run_add(&r, "starved", "starved-nice", "netlink");
	run->rate_per_s = 1000;
	run->source[0].ledger.all =
		(struct ledger_line){ .expected = 2000, .matched = 1500, .lost = 500 };
	run = run_add(&r, "starved", "starved-limited", "netlink");
	run->nsources = 0;
	strcpy(run->skipped, "no cgroup can be made here");
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.nsummaries, 1);
	text = text_of(&r);
	assert_non_null(strstr(text, "Starved"));
	assert_non_null(strstr(text, "  nice  netlink"));
	assert_non_null(
		strstr(text, "starved-limited was not measured: no cgroup can be made here."));
	assert_null(strstr(text, "netlink lost"));
	assert_null(strstr(text, "Burst"));
	free(text);
	result_free(&r);
}

/* What is added up counts only what was measured in full. */
static void interrupted_runs_do_not_count(void **state)
{
	struct result r = { 0 };

	(void)state;
	stall_add(&r, 500, 500);
	stall_add(&r, 100, 100)->interrupted = true;
	assert_int_equal(result_summarise(&r), 0);
	assert_int_equal(r.laws->stall[0].rounds, 1);
	assert_float_equal(r.laws->stall[0].onset_s, 0.5, 1e-6);
	result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stall_is_predicted),
		cmocka_unit_test(stall_counts_the_events_of_others),
		cmocka_unit_test(stall_shows_a_buffer_that_is_too_small),
		cmocka_unit_test(stall_without_a_loss_is_no_measurement),
		cmocka_unit_test(buffers_follow_from_the_law),
		cmocka_unit_test(knee_is_where_a_monitor_first_fails),
		cmocka_unit_test(half_lies_between_two_lifetimes),
		cmocka_unit_test(half_is_found_on_a_rising_curve),
		cmocka_unit_test(rounds_that_differ_widen_the_interval),
		cmocka_unit_test(half_may_lie_outside),
		cmocka_unit_test(cells_of_a_study_make_one_table),
		cmocka_unit_test(interrupted_runs_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
