// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "source/cross.h"

#define MS 1000000ULL

static struct cross_event told[64];
static unsigned ntold;

static void tell(void *ctx, const struct cross_event *ev)
{
	assert_ptr_equal(ctx, told);
	assert_true(ntold < 64);
	told[ntold++] = *ev;
}

static void take(struct cross *c, unsigned side, enum event_kind kind, pid_t pid, uint64_t ts,
		 uint64_t now)
{
	const struct cross_event ev = { .kind = kind, .side = side, .pid = pid, .ts_ns = ts };

	cross_take(c, &ev, now);
}

static unsigned expire(struct cross *c, uint64_t before)
{
	ntold = 0;
	cross_expire(c, before, tell, told);
	return ntold;
}

static void twins_meet_whoever_comes_first(void **state)
{
	struct cross *c = cross_new(16);

	(void)state;
	take(c, 0, EV_EXEC, 10, 5 * MS, 6 * MS);
	take(c, 0, EV_EXIT, 10, 7 * MS, 8 * MS);
	take(c, 1, EV_EXIT, 10, 9 * MS, 10 * MS);
	take(c, 1, EV_EXEC, 10, 5 * MS, 11 * MS);
	take(c, 1, EV_EXEC, 11, 5 * MS, 11 * MS);
	take(c, 0, EV_EXEC, 11, 5 * MS, 12 * MS);
	assert_int_equal(cross_waiting(c), 0);
	assert_int_equal(expire(c, UINT64_MAX), 0);
	assert_int_equal(cross_counts(c).both, 3);
	cross_free(c);
	cross_free(NULL);
}

static void who_stays_alone_is_told_in_time(void **state)
{
	struct cross *c = cross_new(16);

	(void)state;
	take(c, 1, EV_EXEC, 10, 5 * MS, 6 * MS);
	take(c, 0, EV_EXEC, 11, 5 * MS, 7 * MS);
	take(c, 0, EV_EXIT, 10, 5 * MS, 8 * MS); /* another kind */
	take(c, 1, EV_EXEC, 10, 6 * MS, 9 * MS); /* the same side */
	assert_int_equal(cross_waiting(c), 4);
	assert_int_equal(expire(c, 6 * MS), 0);
	assert_int_equal(expire(c, 8 * MS), 2);
	assert_int_equal(told[0].side, 1);
	assert_int_equal(told[0].pid, 10);
	assert_int_equal(told[1].side, 0);
	assert_int_equal(told[1].pid, 11);
	assert_int_equal(expire(c, UINT64_MAX), 2);
	assert_int_equal(cross_counts(c).only[0], 2);
	assert_int_equal(cross_counts(c).only[1], 2);
	assert_int_equal(cross_counts(c).both, 0);
	cross_free(c);
}

/* One of two execs of a process was missed by one side: the other one has its twin. */
static void the_nearest_life_of_a_pid_counts(void **state)
{
	struct cross *c = cross_new(16);

	(void)state;
	take(c, 0, EV_EXEC, 10, 1 * MS, 1 * MS);
	take(c, 0, EV_EXEC, 10, 3000 * MS, 3000 * MS); /* the pid again */
	take(c, 1, EV_EXEC, 10, 3000 * MS, 3001 * MS);
	assert_int_equal(cross_counts(c).both, 1);
	assert_int_equal(expire(c, UINT64_MAX), 1);
	assert_int_equal(told[0].ts_ns, 1 * MS);
	cross_free(c);
}

static void it_does_not_grow_and_counts_what_it_drops(void **state)
{
	struct cross *c = cross_new(16);
	struct cross_counts n;

	(void)state;
	for (pid_t pid = 0; pid < 1000; pid++)
		take(c, 0, EV_EXEC, pid, 1 * MS, 1 * MS);
	assert_int_equal(cross_waiting(c), 16);
	for (pid_t pid = 0; pid < 1000; pid++)
		take(c, 1, EV_EXEC, pid, 1 * MS, 2 * MS);
	n = cross_counts(c);
	assert_int_equal(n.both + cross_waiting(c) + n.unchecked + n.both, 2000);
	assert_true(n.unchecked > 1900);
	while (cross_waiting(c))
		expire(c, UINT64_MAX);
	cross_free(c);
}

/* Many of one hash chain, met and expired in every order. */
static void long_runs_keep_their_books(void **state)
{
	struct cross *c = cross_new(64);
	uint64_t only = 0;
	struct cross_counts n;

	(void)state;
	for (unsigned i = 0; i < 100000; i++) {
		pid_t pid = (pid_t)(i * 7919 % 97);

		take(c, 0, EV_EXIT, pid, i * MS, i * MS);
		if (i % 10)
			take(c, 1, EV_EXIT, pid, i * MS, i * MS + 1);
		only += expire(c, i > 20 ? (i - 20) * MS : 0);
	}
	only += expire(c, UINT64_MAX);
	n = cross_counts(c);
	assert_int_equal(only, 10000);
	assert_int_equal(n.only[0], 10000);
	assert_int_equal(n.both, 90000);
	assert_int_equal(n.unchecked, 0);
	cross_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twins_meet_whoever_comes_first),
		cmocka_unit_test(who_stays_alone_is_told_in_time),
		cmocka_unit_test(the_nearest_life_of_a_pid_counts),
		cmocka_unit_test(it_does_not_grow_and_counts_what_it_drops),
		cmocka_unit_test(long_runs_keep_their_books),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
