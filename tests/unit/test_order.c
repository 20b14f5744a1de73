// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "bench/plan.h"

#define ROUNDS 8

static void plan_make(struct plan *p, const char *const *monitors)
{
	struct load_cfg load = { .workers = 1, .count = 1 };
	struct err e;

	*p = (struct plan){ 0 };
	for (; *monitors; monitors++)
		assert_int_equal(plan_add_monitor(p, *monitors, &e), 0);
	assert_int_equal(plan_add_custom(p, "a", &load, &e), 0);
	assert_int_equal(plan_add_custom(p, "b", &load, &e), 0);
	assert_int_equal(plan_order(p, ROUNDS, 2003), 0);
}

static const char *const all[] = { "bpf", "none", "netlink", "bpf+netlink", NULL };

static bool is_none(const struct plan *p, size_t i)
{
	return strcmp(p->monitor[p->cell[i].monitor].name, "none") == 0;
}

static void each_slice_has_neighbours_that_nobody_watched(void **state)
{
	struct plan p;
	unsigned watched[2][PLAN_MAX_MONITORS] = { 0 };

	(void)state;
	plan_make(&p, all);
	for (size_t i = 0; i < p.ncells; i++) {
		const struct plan_cell *c = &p.cell[i];

		if (c->purpose != SLICE_MEASURE || is_none(&p, i))
			continue;
		watched[c->scenario][c->monitor]++;
		for (int k = -1; k <= 1; k += 2) {
			const struct plan_cell *n = c + k;

			assert_true(is_none(&p, i + (size_t)k));
			assert_int_equal(n->purpose, SLICE_MEASURE);
			assert_int_equal(n->scenario, c->scenario);
			assert_int_equal(n->round, c->round);
		}
	}
	for (unsigned s = 0; s < 2; s++)
		for (unsigned m = 0; m < p.nmonitors; m++)
			assert_int_equal(watched[s][m],
					 strcmp(p.monitor[m].name, "none") ? ROUNDS : 0);
	plan_free(&p);
}

static void the_first_slice_of_a_scenario_warms_up(void **state)
{
	struct plan p;

	(void)state;
	plan_make(&p, all);
	for (size_t i = 0; i < p.ncells; i++) {
		bool begins = i == 0 || p.cell[i].scenario != p.cell[i - 1].scenario;

		assert_int_equal(p.cell[i].purpose == SLICE_WARM_UP, begins);
	}
	plan_free(&p);
}

/* Only one that is eBPF alone, and in slices of their own. */
static void the_kernel_times_programs_apart(void **state)
{
	struct plan p;
	unsigned n = 0;

	(void)state;
	plan_make(&p, all);
	for (size_t i = 0; i < p.ncells; i++)
		if (p.cell[i].purpose == SLICE_KERNEL) {
			assert_string_equal(p.monitor[p.cell[i].monitor].name, "bpf");
			n++;
		}
	assert_int_equal(n, 4);
	plan_free(&p);
}

static void without_none_each_monitor_runs_once_a_round(void **state)
{
	static const char *const two[] = { "bpf", "netlink", NULL };
	static const char *const nobody[] = { "none", NULL };
	struct plan p;

	(void)state;
	plan_make(&p, two);
	assert_int_equal(p.ncells, ROUNDS * 2 * 2);
	plan_free(&p);
	plan_make(&p, nobody);
	assert_int_equal(p.ncells, ROUNDS * 2);
	plan_free(&p);
}

static void the_order_changes_from_round_to_round(void **state)
{
	struct plan p;
	unsigned first[ROUNDS + 1] = { 0 }, changes = 0;

	(void)state;
	plan_make(&p, all);
	for (size_t i = 2; i < p.ncells; i++)
		if (p.cell[i - 2].purpose == SLICE_WARM_UP && p.cell[i].scenario == 0)
			first[p.cell[i].round] = p.cell[i].monitor;
	for (unsigned r = 2; r <= ROUNDS; r++)
		changes += first[r] != first[r - 1];
	assert_true(changes > 0);
	plan_free(&p);
}

static void a_round_more_of_what_is_wanted(void **state)
{
	const bool wanted[] = { false, true };
	struct plan p, whole;
	size_t before;

	(void)state;
	plan_make(&p, all);
	plan_make(&whole, all);
	before = p.ncells;
	assert_int_equal(plan_append(&p, ROUNDS + 1, 2003, wanted), 0);
	assert_int_equal(p.ncells - before, 8); /* warm-up, 3 monitors, 4 × none */
	for (size_t i = before; i < p.ncells; i++) {
		assert_int_equal(p.cell[i].scenario, 1);
		assert_int_equal(p.cell[i].round, ROUNDS + 1);
	}
	/* As if it had been planned from the start. */
	assert_int_equal(plan_order(&whole, ROUNDS + 1, 2003), 0);
	assert_memory_equal(&p.cell[before], &whole.cell[whole.ncells - 8], 8 * sizeof(*p.cell));
	plan_free(&p);
	plan_free(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_slice_has_neighbours_that_nobody_watched),
		cmocka_unit_test(the_first_slice_of_a_scenario_warms_up),
		cmocka_unit_test(the_kernel_times_programs_apart),
		cmocka_unit_test(without_none_each_monitor_runs_once_a_round),
		cmocka_unit_test(the_order_changes_from_round_to_round),
		cmocka_unit_test(a_round_more_of_what_is_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
