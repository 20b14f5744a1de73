// SPDX-License-Identifier: MIT
/* Reports of a made-up machine, in fixed pseudo-random sequences: what compare claims, and how often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/findings.h"
#include "report/judge.h"
#include "world.h"

#define PAIRS 400 /* 20 times 20 */
#define SCENARIOS 4
#define ROUNDS 9

static const char *const monitors[] = { "bpf", "netlink", "netlink-names" };
#define MONITORS 3

/* What is not the same on the other machine. */
struct change {
	double speed, bpf_speed;
	bool loses;
};

static const struct change same = { 1, 1, false };

static double uniform(uint64_t *rng)
{
	return (double)(rng_next(rng) >> 11) / 9007199254740992.0;
}

/* Neighbouring slices differ by some per cent, and now and then one is disturbed. */
static double noisy(uint64_t *rng, double v)
{
	double sum = 0;

	for (int i = 0; i < 6; i++)
		sum += uniform(rng) - 0.5;
	v *= 1 + 0.04 * sum;
	return uniform(rng) < 0.05 ? v * 0.8 : v;
}

static struct result_run *add_run(struct result *r, unsigned scenario, const char *monitor,
				  uint32_t round, double rate)
{
	struct result_run *run = result_add_run(r);

	assert_non_null(run);
	snprintf(run->scenario, sizeof(run->scenario), "load %u", scenario);
	snprintf(run->monitor, sizeof(run->monitor), "%s", monitor);
	strcpy(run->method, "vfork");
	strcpy(run->mode, "wait");
	run->round = round;
	run->sequence = (uint32_t)r->nruns;
	run->workers = 1;
	run->rate_per_s = rate;
	run->launches = 1000;
	return run;
}

static void add_source(struct result_run *run, const char *monitor, uint64_t lost, uint64_t named)
{
	struct result_source *s = &run->source[0];

	run->nsources = 1;
	snprintf(s->name, sizeof(s->name), "%s", monitor);
	s->names = strcmp(monitor, "netlink") != 0;
	s->ledger.kinds = EV_MASK(EV_EXEC);
	s->ledger.kind[EV_EXEC] = (struct ledger_line){
		.expected = 1000, .matched = 1000 - lost, .lost = lost, .reported = lost
	};
	s->ledger.all = s->ledger.kind[EV_EXEC];
	s->ledger.identified = named < 1000 - lost ? named : 1000 - lost;
	s->ledger.identities_hold = s->checks_ok = true;
}

static void add_monitor(struct result *r, unsigned scenario, unsigned m, uint32_t round,
			const struct change *change, uint64_t *rng)
{
	static const double speed[MONITORS] = { 0.99, 0.95, 0.65 };
	const double rate = 12000 * change->speed * speed[m] * (m ? 1 : change->bpf_speed);
	struct result_run *run = add_run(r, scenario, monitors[m], round, noisy(rng, rate));
	uint64_t lost = 0;

	/* netlink loses in some rounds, a very different number each time. */
	if (m == 1 && uniform(rng) < 0.4)
		lost = (uint64_t)(300 * uniform(rng) * uniform(rng));
	if (change->loses && m == 0)
		lost = 1 + rng_next(rng) % 5;
	add_source(run, monitors[m], lost, m == 2 ? 900 + rng_next(rng) % 90 : 1000);
}

static void report_make(struct result *r, const struct change *change, unsigned rounds,
			uint64_t *rng)
{
	memset(r, 0, sizeof(*r));
	for (uint32_t round = 1; round <= rounds; round++)
		for (unsigned s = 0; s < SCENARIOS; s++)
			for (unsigned m = 0; m < MONITORS; m++) {
				add_run(r, s, "none", round, noisy(rng, 12000 * change->speed));
				add_monitor(r, s, m, round, change, rng);
			}
	assert_int_equal(result_summarise(r), 0);
}

static void keep(void *ctx, const char *sentence)
{
	char *text = ctx;

	snprintf(text + strlen(text), 8192 - strlen(text), "%s\n", sentence);
}

/* How many differences are claimed between two such reports; @text: which. */
static size_t claims(const struct result *a, const struct result *b, char text[8192])
{
	struct compare c = { .result = { a, b }, .name = { "a", "b" }, .n = 2 };
	struct judgement j;
	size_t n = 0;

	text[0] = '\0';
	assert_int_equal(judge(&c, &j), 0);
	for (size_t i = 0; i < a->nsummaries; i++)
		n += findings_measured(&c, &j, a->summary[i].scenario, a->summary[i].monitor, keep,
				       text);
	judgement_free(&j);
	return n;
}

static size_t claims_between(const struct change *a, const struct change *b, unsigned rounds,
			     uint64_t seed, char text[8192])
{
	uint64_t rng = seed * 1234577 + 1;
	struct result ra, rb;
	size_t n;

	for (int i = 0; i < 10; i++)
		rng_next(&rng);
	report_make(&ra, a, rounds, &rng);
	report_make(&rb, b, rounds, &rng);
	n = claims(&ra, &rb, text);
	result_free(&ra);
	result_free(&rb);
	return n;
}

static void same_machine_no_false_alarm_in_19_of_20(void **state)
{
	static const unsigned rounds[] = { 3, 6, ROUNDS };
	char text[8192];

	(void)state;
	for (size_t i = 0; i < sizeof(rounds) / sizeof(*rounds); i++) {
		const unsigned pairs = rounds[i] == ROUNDS ? PAIRS : PAIRS / 10;
		unsigned alarms = 0;

		for (uint64_t seed = 1; seed <= pairs; seed++)
			alarms += claims_between(&same, &same, rounds[i], seed, text) > 0;
		print_message("%u rounds: %u false alarms in %u pairs of reports\n", rounds[i],
			      alarms, pairs);
		assert_true(20 * alarms <= pairs);
		/* A test that never can say anything would pass, too. */
		if (rounds[i] == ROUNDS)
			assert_true(alarms > 0);
	}
}

static void real_differences_are_claimed(void **state)
{
	const struct change faster = { 1.12, 1, false }, slower = { 1, 0.9, false },
			    lossy = { 1, 1, true };
	unsigned found = 0;
	char text[8192];

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		/* Each scenario's "none" alone. */
		assert_true(claims_between(&same, &faster, ROUNDS, seed, text) >= SCENARIOS);
		assert_non_null(strstr(text, "faster than A"));
		claims_between(&same, &slower, ROUNDS, seed, text);
		found += strstr(text, "it slows the launcher more in B") != NULL;
		assert_true(claims_between(&same, &lossy, ROUNDS, seed, text) >= SCENARIOS);
		assert_non_null(strstr(text, "B lost"));
	}
	assert_true(found >= 18);
}

/* Someone else's load is no difference of the machine, nor is what it drifts by from run to run. */
static void disturbed_rounds_and_drift_are_no_difference(void **state)
{
	const struct change half = { 0.5, 1, false }, drift = { 1.015, 1, false };
	char text[8192];

	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		uint64_t rng = seed * 77;
		struct result a, b;

		report_make(&a, &same, ROUNDS, &rng);
		report_make(&b, &half, ROUNDS, &rng);
		claims(&a, &b, text);
		assert_non_null(strstr(text, "slower than A"));
		for (size_t i = 0; i < b.nruns; i++)
			b.run[i].disturbance.load = i % 7 != 0;
		assert_int_equal(result_summarise(&b), 0);
		claims(&a, &b, text);
		assert_null(strstr(text, "slower than A"));
		result_free(&a);
		result_free(&b);
		report_make(&a, &same, 6 * ROUNDS, &rng);
		report_make(&b, &drift, 6 * ROUNDS, &rng);
		claims(&a, &b, text);
		if (strstr(text, "faster than A"))
			fail_msg("%s", text);
		result_free(&a);
		result_free(&b);
	}
}

/* One loss in one round is no proof; but nobody would want not to be told. */
static void a_rare_loss_is_a_remark(void **state)
{
	struct result a, b;
	uint64_t rng = 99;
	char text[8192];
	size_t before;

	(void)state;
	report_make(&a, &same, ROUNDS, &rng);
	report_make(&b, &same, ROUNDS, &rng);
	before = claims(&a, &b, text);
	assert_null(strstr(text, "B lost 0.01 %"));
	for (size_t i = 0; i < b.nruns; i++)
		if (strcmp(b.run[i].monitor, "bpf") == 0) {
			add_source(&b.run[i], "bpf", 1, 1000);
			break;
		}
	assert_int_equal(result_summarise(&b), 0);
	assert_int_equal(claims(&a, &b, text), before);
	assert_non_null(strstr(text, "this may be chance"));
	result_free(&a);
	result_free(&b);
}

static void too_many_figures_for_the_rounds_is_said(void **state)
{
	uint64_t rng = 7;
	struct result a, b;
	struct compare c = { .result = { &a, &b }, .name = { "a", "b" }, .n = 2 };
	struct judgement j;

	(void)state;
	for (unsigned rounds = 6; rounds <= ROUNDS; rounds += ROUNDS - 6) {
		report_make(&a, &same, rounds, &rng);
		report_make(&b, &same, rounds, &rng);
		assert_int_equal(judge(&c, &j), 0);
		assert_true(j.judged > 25);
		assert_int_equal(j.powerless, rounds == 6);
		judgement_free(&j);
		result_free(&a);
		result_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_machine_no_false_alarm_in_19_of_20),
		cmocka_unit_test(real_differences_are_claimed),
		cmocka_unit_test(disturbed_rounds_and_drift_are_no_difference),
		cmocka_unit_test(a_rare_loss_is_a_remark),
		cmocka_unit_test(too_many_figures_for_the_rounds_is_said),
	};

	return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
