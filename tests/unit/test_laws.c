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
	assert_non_null(strstr(text, "50 % away"));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stall_is_predicted),
		cmocka_unit_test(stall_counts_the_events_of_others),
		cmocka_unit_test(stall_shows_a_buffer_that_is_too_small),
		cmocka_unit_test(stall_without_a_loss_is_no_measurement),
		cmocka_unit_test(buffers_follow_from_the_law),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
