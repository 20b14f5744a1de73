// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "sink/tally.h"

static void quantiles_are_near(void **state)
{
	static struct sketch s;

	(void)state;
	assert_int_equal(sketch_quantile(&s, 0.5), 0);
	for (uint64_t i = 1; i <= 100000; i++)
		sketch_add(&s, i * 1000);
	for (int percent = 1; percent < 100; percent++) {
		double want = percent * 1e6, got = (double)sketch_quantile(&s, percent / 100.0);

		assert_true(got > want * (1 - 1 / 15.0) && got < want * (1 + 1 / 15.0));
	}
	assert_int_equal(sketch_quantile(&s, 1), 100000000);
	assert_true(sketch_quantile(&s, 1e-9) >= 1000);
	sketch_add(&s, UINT64_MAX);
	assert_int_equal(sketch_quantile(&s, 1), UINT64_MAX);
}

static void take(struct tally *t, enum event_kind kind, const char *comm, const char *parent_name,
		 pid_t ppid, int status, uint64_t duration)
{
	struct event ev = event_empty(kind);
	char parent[16] = "";

	strcpy(parent, parent_name);
	strcpy(ev.comm, comm);
	ev.pid = ev.tid = 77;
	ev.ppid = ppid;
	ev.ts_ns = 5;
	if (kind == EV_EXIT) {
		ev.status = status;
		ev.duration_ns = duration;
	}
	tally_take(t, &ev, parent);
}

static void programs_and_who_started_them(void **state)
{
	struct tally *t = tally_new();
	const struct tally_row *top[4];

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		take(t, EV_EXEC, "cc", "make", 100, 0, 0);
	take(t, EV_EXEC, "cc", "sh", 200, 0, 0);
	take(t, EV_EXEC, "ls", "sh", 200, 0, 0);
	take(t, EV_EXEC, "ls", "sh", 201, 0, 0);
	take(t, EV_EXIT, "cc", "make", 100, 0, 50000000);
	take(t, EV_EXIT, "cc", "make", 100, 1 << 8, 100000000); /* not under 100 ms */
	take(t, EV_EXIT, "cc", "make", 100, 9, 99999999);
	assert_int_equal(t->all.starts, 6);
	assert_int_equal(t->all.ended, 3);
	assert_int_equal(t->all.short_lived, 2);
	assert_int_equal(tally_top(&t->program, top, 4), 2);
	assert_string_equal(top[0]->comm, "cc");
	assert_int_equal(top[0]->starts, 4);
	assert_int_equal(top[0]->ok, 1);
	assert_int_equal(top[0]->failed, 1);
	assert_int_equal(top[0]->killed, 1);
	assert_int_equal(top[0]->life->n, 3);
	assert_int_equal(tally_top(&t->pair, top, 4), 3);
	assert_string_equal(top[0]->parent, "make");
	assert_int_equal(top[0]->ppid, 100);
	assert_string_equal(top[1]->comm, "ls");
	assert_int_equal(top[1]->ppid, EV_NO_PID); /* two of that name */
	assert_int_equal(tally_top(&t->pair, top, 1), 1);
	assert_string_equal(top[0]->parent, "make");
	tally_reset(t);
	assert_int_equal(tally_top(&t->program, top, 4), 0);
	tally_free(t);
	tally_free(NULL);
}

static void it_does_not_grow(void **state)
{
	struct tally *t = tally_new();
	uint64_t sum = 0;
	char name[16];

	(void)state;
	for (unsigned i = 0; i < 3 * TALLY_ROWS; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		take(t, EV_EXEC, name, name, 1, 0, 0);
		take(t, EV_EXIT, name, name, 1, 0, 7);
	}
	assert_int_equal(t->program.n, TALLY_ROWS);
	for (unsigned i = 0; i < t->program.n; i++)
		sum += t->program.row[i].starts;
	assert_int_equal(sum, TALLY_ROWS);
	assert_int_equal(t->program.other.starts, 2 * TALLY_ROWS);
	assert_int_equal(t->program.other.ended, 2 * TALLY_ROWS);
	assert_int_equal(t->all.starts, 3 * TALLY_ROWS);
	tally_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_near),
		cmocka_unit_test(programs_and_who_started_them),
		cmocka_unit_test(it_does_not_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
