// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sink/lineage.h"
#include "sink/pidtab.h"

#define ENTRIES 64

static unsigned gone_count;
static uint64_t gone_sum;

static void gone(void *ctx, pid_t pid, void *value)
{
	assert_ptr_equal(ctx, &gone_count);
	assert_int_equal(*(uint64_t *)value, (uint64_t)pid * 3);
	gone_count++;
	gone_sum += (uint64_t)pid;
}

static struct pidtab *new_tab(void)
{
	gone_count = 0;
	gone_sum = 0;
	return pidtab_new(ENTRIES, sizeof(uint64_t), gone, &gone_count);
}

static void add(struct pidtab *t, pid_t pid)
{
	uint64_t *value = pidtab_add(t, pid);

	assert_int_equal(*value, 0);
	*value = (uint64_t)pid * 3;
}

static void what_was_added_is_found_till_it_is_removed(void **state)
{
	struct pidtab *t = new_tab();

	(void)state;
	add(t, 5);
	add(t, 6);
	assert_int_equal(*(uint64_t *)pidtab_find(t, 5), 15);
	assert_null(pidtab_find(t, 7));
	assert_null(pidtab_find(t, -1));
	pidtab_remove(t, 5);
	pidtab_remove(t, 5);
	assert_null(pidtab_find(t, 5));
	assert_int_equal(gone_count, 1);
	add(t, 6); /* replaced */
	assert_int_equal(gone_count, 2);
	assert_int_equal(gone_sum, 5 + 6);
	pidtab_free(t);
	assert_int_equal(gone_count, 3);
	pidtab_free(NULL);
}

/* Every value goes exactly once, however many there are; what is used again and again stays. */
static void it_does_not_grow(void **state)
{
	struct pidtab *t = new_tab();
	uint64_t sum = 0;
	unsigned there = 0;

	(void)state;
	for (pid_t pid = 0; pid < 10000; pid++) {
		add(t, pid);
		sum += (uint64_t)pid;
		assert_non_null(pidtab_find(t, 0));
	}
	for (pid_t pid = 0; pid < 10000; pid++)
		there += pidtab_find(t, pid) != NULL;
	assert_int_equal(there, ENTRIES);
	assert_int_equal(gone_count, 10000 - ENTRIES);
	pidtab_free(t);
	assert_int_equal(gone_count, 10000);
	assert_int_equal(gone_sum, sum);
}

static unsigned take(struct lineage *l, enum event_kind kind, uint64_t ts, pid_t pid, pid_t ppid)
{
	struct event ev = event_empty(kind);

	ev.ts_ns = ts;
	ev.pid = ev.tid = pid;
	ev.ppid = ppid;
	return lineage_take(l, &ev);
}

static void depth_follows_the_parents(void **state)
{
	struct lineage *l = lineage_new();

	(void)state;
	assert_int_equal(take(l, EV_EXEC, 1, 10, 1), 0); /* was there, or its parent was */
	assert_int_equal(take(l, EV_FORK, 2, 11, 10), 1);
	assert_int_equal(take(l, EV_FORK, 3, 12, 11), 2);
	assert_int_equal(take(l, EV_EXIT, 4, 11, 10), 1);
	/* Given to another parent, it stays where it stood. */
	assert_int_equal(take(l, EV_EXEC, 5, 12, 1), 2);
	assert_int_equal(take(l, EV_EXIT, 6, 12, 1), 2);
	assert_int_equal(take(l, EV_EXEC, 7, 13, 12), 0);
	lineage_free(l);
	lineage_free(NULL);
}

static void depth_is_right_after_reuse(void **state)
{
	struct lineage *l = lineage_new();

	(void)state;
	take(l, EV_EXEC, 1, 10, 1);
	take(l, EV_FORK, 2, 11, 10);
	assert_int_equal(take(l, EV_FORK, 3, 12, 11), 2);
	/* Pid 12 again, without its end having been seen. */
	assert_int_equal(take(l, EV_FORK, 9, 12, 10), 1);
	assert_int_equal(take(l, EV_EXEC, 10, 12, 10), 1);
	/* A fork that comes behind the exec of the same process tells nothing new. */
	assert_int_equal(take(l, EV_EXEC, 21, 13, 12), 2);
	assert_int_equal(take(l, EV_FORK, 20, 13, 10), 2);
	lineage_free(l);
}

static void threads_change_nothing(void **state)
{
	struct lineage *l = lineage_new();
	struct event ev = event_empty(EV_FORK);

	(void)state;
	take(l, EV_EXEC, 1, 10, 1);
	take(l, EV_FORK, 2, 11, 10);
	ev.pid = 11;
	ev.tid = 99;
	ev.ppid = 10;
	ev.flags = EVF_THREAD;
	assert_int_equal(lineage_take(l, &ev), 1);
	ev.kind = EV_EXIT;
	assert_int_equal(lineage_take(l, &ev), 1);
	assert_int_equal(take(l, EV_FORK, 5, 12, 11), 2);
	lineage_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_added_is_found_till_it_is_removed),
		cmocka_unit_test(it_does_not_grow),
		cmocka_unit_test(depth_follows_the_parents),
		cmocka_unit_test(depth_is_right_after_reuse),
		cmocka_unit_test(threads_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
