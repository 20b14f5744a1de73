// SPDX-License-Identifier: MIT
/* suite: what the full suite plans, and how a part of it is chosen. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "bench/suite.h"

#define BASE ((struct load_cfg){ .workers = 1, .duration_ns = 500 * NSEC_PER_MSEC })

static struct plan *plan_full(const char *const *monitors)
{
	static const char *const usual[] = { "none", "bpf", "netlink", "netlink-names", NULL };
	struct plan *p = calloc(1, sizeof(*p));
	const struct load_cfg base = BASE;
	struct err e;

	assert_non_null(p);
	for (const char *const *m = monitors ? monitors : usual; *m; m++)
		assert_int_equal(plan_add_monitor(p, *m, &e), 0);
	assert_int_equal(suite_full_add(p, 2, &base, &e), 0);
	return p;
}

static void plan_end(struct plan *p)
{
	plan_free(p);
	free(p);
}

static unsigned count_study(const struct plan *p, const char *study)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->nscenarios; i++)
		n += strcmp(p->scenario[i].study, study) == 0;
	return n;
}

static void names_are_unique(void **state)
{
	struct plan *p = plan_full(NULL);

	(void)state;
	for (unsigned i = 0; i < p->nscenarios; i++)
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(p->scenario[i].name, p->scenario[k].name);
	plan_end(p);
}

/* Three buffers at two rates for each of two mechanisms; each stall is longer than the buffer lasts. */
static void stalls_outlast_the_buffers(void **state)
{
	struct plan *p = plan_full(NULL);

	(void)state;
	assert_int_equal(count_study(p, "stall"), 12);
	for (unsigned i = 0; i < p->nscenarios; i++) {
		const struct scenario *s = &p->scenario[i];
		const double bytes = (double)(s->cond.ring_bytes + s->cond.rcvbuf_bytes);
		const double charge = s->cond.ring_bytes ? 2 * 72 : 3 * 832;

		if (strcmp(s->study, "stall") != 0)
			continue;
		assert_true((double)s->cond.stall_ns / 1e9 > 1.2 * bytes / charge / s->load.rate);
		assert_true(s->load.duration_ns > s->cond.stall_after_ns + s->cond.stall_ns);
	}
	plan_end(p);
}

static void studies_take_only_monitors_that_are_there(void **state)
{
	static const char *const only_bpf[] = { "bpf", NULL };
	struct plan *p = plan_full(only_bpf);

	(void)state;
	assert_int_equal(count_study(p, "stall"), 6);
	assert_int_equal(p->nmonitors, 1);
	for (unsigned i = 0; i < p->nscenarios; i++)
		assert_int_equal(p->scenario[i].monitors, 1);
	plan_end(p);
}

static void parts_are_chosen_by_scenario_or_study(void **state)
{
	static const char *const wanted[] = { "burst", "lifetime-20" };
	static const char *const unknown[] = { "burst", "nonsense" };
	struct plan *p = plan_full(NULL);
	const unsigned all = p->nscenarios;
	struct err e;

	(void)state;
	assert_int_equal(plan_keep(p, unknown, 2, &e), -EINVAL);
	assert_non_null(strstr(e.text, "nonsense"));
	assert_int_equal(p->nscenarios, all);
	assert_int_equal(plan_keep(p, wanted, 2, &e), 0);
	assert_int_equal(p->nscenarios, 5);
	assert_int_equal(count_study(p, "burst"), 4);
	plan_end(p);
}

static void masks_name_whole_monitors(void **state)
{
	struct plan *p = plan_full(NULL);

	(void)state;
	assert_int_equal(plan_monitors(p, "netlink"), 1 << 2);
	assert_int_equal(plan_monitors(p, "none,netlink-names"), 1 << 0 | 1 << 3);
	assert_int_equal(plan_monitors(p, "net"), 0);
	plan_end(p);
}

/* The time that is measured in three rounds, without what opening and closing take. */
static void it_takes_less_than_a_quarter_of_an_hour(void **state)
{
	struct plan *p = plan_full(NULL);
	double s = 0;

	(void)state;
	assert_int_equal(plan_order(p, 3, 42), 0);
	for (size_t i = 0; i < p->ncells; i++) {
		const struct load_cfg *l = &p->scenario[p->cell[i].scenario].load;

		s += l->duration_ns ? (double)l->duration_ns / 1e9 : (double)l->count / 5000;
		s += 0.3;
	}
	assert_true(s < 900);
	plan_end(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_unique),
		cmocka_unit_test(stalls_outlast_the_buffers),
		cmocka_unit_test(studies_take_only_monitors_that_are_there),
		cmocka_unit_test(parts_are_chosen_by_scenario_or_study),
		cmocka_unit_test(masks_name_whole_monitors),
		cmocka_unit_test(it_takes_less_than_a_quarter_of_an_hour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
