// SPDX-License-Identifier: MIT
/* Where the lost events are said to have gone, and whether the books balance. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

/* 100 launches; every tenth loses its events of @kinds to @fate. */
static struct world *world_losing(enum world_style style, unsigned kinds, enum fate fate)
{
	struct world *w = world_new(style, 100, 2, 30);

	for (size_t i = 0; i < w->n; i++)
		world_launch_events(w, i, i % 10 ? 0 : kinds, fate);
	return w;
}

/* Foreign events, @n of each kind, that all meet @fate. */
static void world_foreign(struct world *w, size_t n, enum fate fate)
{
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < EV_KINDS; k++)
			world_event(w, (struct rec){ .ts_ns = i, .pid = WORLD_NO_PID, .kind = k },
				    fate, false);
}

static void bpf_ring_full_is_reported(void **state)
{
	struct world *w = world_losing(WORLD_BPF, EV_MASK(EV_EXEC), RING_FULL);
	struct ledger l;

	(void)state;
	world_foreign(w, 4, RING_FULL);
	l = world_reconcile(w);
	assert_line(l.kind[EV_EXEC], 100, 90, 10, 0, 0, 0);
	assert_line(l.kind[EV_EXIT], 100, 100, 0, 0, 0, 0);
	assert_line(l.all, 300, 290, 10, 0, 0, 0);
	assert_int_equal(l.lost_at[LOST_RING_FULL], 22);
	assert_int_equal(l.foreign_generated, 12);
	assert_int_equal(l.foreign, 0);
	assert_true(l.books_balance);
	world_free(w);
}

/* The sum must not hide that one kind's counter says too little and another's too much. */
static void bpf_counters_off_by_some(void **state)
{
	struct world *w = world_losing(WORLD_BPF, EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT), RING_FULL);
	struct ledger l;

	(void)state;
	w->stats.account[EV_EXEC].ring_full_ours -= 3;
	w->stats.account[EV_EXIT].ring_full_ours += 2;
	l = world_reconcile(w);
	assert_line(l.kind[EV_EXEC], 100, 90, 7, 3, 0, 0);
	assert_line(l.kind[EV_EXIT], 100, 90, 10, 0, 2, 0);
	assert_line(l.all, 300, 280, 17, 3, 2, 0);
	assert_false(l.books_balance); /* more of ours than of all */
	assert_non_null(strstr(l.books_why, "exit: ring full 10"));
	world_free(w);
}

/* Before Linux 5.12: what nobody counted is not 0, and what is gone has no explanation. */
static void bpf_that_cannot_tell_not_run(void **state)
{
	struct world *w = world_losing(WORLD_BPF, EV_MASK(EV_EXEC), VANISHED);
	struct ledger l;

	(void)state;
	w->stats.not_run_unknown = true;
	l = world_reconcile(w);
	assert_int_equal(l.lost_at[LOST_NOT_RUN], LEDGER_UNKNOWN);
	assert_int_equal(l.lost_at[LOST_RING_FULL], 0);
	assert_int_equal(l.all.unexplained, 10);
	world_free(w);
}

static void bpf_that_cannot_tell_ours(void **state)
{
	struct world *w = world_losing(WORLD_BPF, EV_MASK(EV_EXEC), RING_FULL);
	struct ledger l;

	(void)state;
	w->stats.knows_ours = false;
	world_foreign(w, 4, RING_FULL);
	l = world_reconcile(w);
	assert_line(l.kind[EV_EXEC], 100, 90, 10, 0, 0, 14);
	assert_line(l.kind[EV_EXIT], 100, 100, 0, 0, 0, 4);
	assert_int_equal(l.foreign_generated, LEDGER_UNKNOWN);
	world_free(w);
}

static void vanished_is_unexplained(void **state)
{
	struct world *w = world_losing(WORLD_BPF, EV_MASK(EV_EXIT), VANISHED);
	struct ledger l = world_reconcile(w);

	(void)state;
	assert_line(l.kind[EV_EXIT], 100, 90, 0, 10, 0, 0);
	assert_line(l.all, 300, 290, 0, 10, 0, 0);
	assert_int_equal(l.foreign_generated, LEDGER_UNKNOWN);
	world_free(w);
}

/* A skipped program does not know whose event it was. */
static void not_run_is_uncertain(void **state)
{
	struct world *w = world_losing(WORLD_BPF, EV_MASK(EV_EXIT), NOT_RUN);
	struct ledger l;

	(void)state;
	world_foreign(w, 5, NOT_RUN);
	l = world_reconcile(w);
	assert_line(l.kind[EV_EXIT], 100, 90, 10, 0, 0, 15);
	assert_line(l.kind[EV_EXEC], 100, 100, 0, 0, 0, 5);
	assert_line(l.all, 300, 290, 10, 0, 0, 25);
	assert_int_equal(l.lost_at[LOST_NOT_RUN], 25);
	assert_int_equal(l.foreign_generated, LEDGER_UNKNOWN);
	assert_true(l.books_balance);
	world_free(w);
}

static void record_full_is_known_by_kind(void **state)
{
	struct world *w = world_losing(WORLD_BPF, EV_MASK(EV_EXEC), RECORD_FULL);
	struct ledger l;

	(void)state;
	for (size_t i = 0; i < 100; i += 10)
		w->stats.account[EV_EXIT].ring_full++; /* foreign */
	w->stats.account[EV_EXIT].generated += 10;
	l = world_reconcile(w);
	assert_line(l.kind[EV_EXEC], 100, 90, 10, 0, 0, 10);
	assert_line(l.kind[EV_EXIT], 100, 100, 0, 0, 0, 0);
	assert_int_equal(l.lost_at[LOST_RECORD_FULL], 10);
	assert_int_equal(l.lost_at[LOST_RING_FULL], 10);
	assert_true(l.books_balance);
	world_free(w);
}

/* The exit of a launch still running may be among those dropped; it is not expected. */
static void dropped_exit_of_open_launch(void **state)
{
	struct world *w = world_new(WORLD_BPF, 20, 1, 40);
	struct ledger l;

	(void)state;
	world_launch(w, 19)->end_ns = 0;
	world_launch(w, 18)->end_ns = 0;
	for (size_t i = 0; i < w->n; i++)
		world_launch_events(w, i, i < 19 ? 0 : EV_MASK(EV_EXIT), RING_FULL);
	l = world_reconcile(w);
	assert_line(l.kind[EV_EXIT], 18, 18, 0, 0, 0, 1);
	w->stats.account[EV_EXIT].ring_full_ours++;
	assert_line(world_reconcile(w).kind[EV_EXIT], 18, 18, 0, 0, 1, 1);
	world_free(w);
}

static void netlink_closes_all_only(void **state)
{
	struct world *w = world_losing(WORLD_NETLINK, EV_MASK(EV_EXEC), SOCKET_DROPPED);
	struct ledger l = world_reconcile(w);

	(void)state;
	assert_line_unknown(l.kind[EV_FORK], 100, 100);
	assert_line_unknown(l.kind[EV_EXEC], 100, 90);
	assert_line_unknown(l.kind[EV_EXIT], 100, 100);
	assert_line(l.all, 300, 290, 10, 0, 0, 0);
	assert_int_equal(l.lost_at[LOST_SOCKET_DROPPED], 10);
	assert_int_equal(l.foreign_generated, 0);
	assert_true(l.books_balance);
	world_free(w);
}

static void netlink_counter_off(void **state)
{
	struct world *w = world_losing(WORLD_NETLINK, EV_MASK_ALL, SOCKET_DROPPED);

	(void)state;
	w->stats.account[0].socket_dropped -= 4;
	assert_line(world_reconcile(w).all, 300, 270, 26, 4, 0, 0);
	assert_false(world_reconcile(w).books_balance);
	w->stats.account[0].socket_dropped += 4 + 7;
	assert_line(world_reconcile(w).all, 300, 270, 30, 0, 7, 0);
	assert_false(world_reconcile(w).books_balance);
	world_free(w);
}

/* 12 foreign dropped beside 30 of ours: netlink cannot say which, but not more than 12 are. */
static void netlink_foreign_dropped_is_uncertain(void **state)
{
	struct world *w = world_losing(WORLD_NETLINK, EV_MASK_ALL, SOCKET_DROPPED);
	struct ledger l;

	(void)state;
	world_foreign(w, 4, SOCKET_DROPPED);
	l = world_reconcile(w);
	assert_line(l.all, 300, 270, 30, 0, 0, 12);
	assert_int_equal(l.foreign_generated, 12);
	assert_true(l.books_balance);
	world_free(w);
}

/* Foreign events that were delivered excuse no drop. */
static void netlink_foreign_delivered_is_certain(void **state)
{
	struct world *w = world_losing(WORLD_NETLINK, EV_MASK_ALL, SOCKET_DROPPED);
	struct ledger l;

	(void)state;
	world_foreign(w, 3, DELIVERED);
	world_foreign(w, 1, SOCKET_DROPPED);
	w->rec.threads += 5;
	w->stats.account[0].delivered += 5;
	w->stats.account[0].generated += 5;
	world_event(w, world_rec(w, 1, EV_EXEC), DELIVERED, true); /* a duplicate */
	l = world_reconcile(w);
	assert_line(l.all, 300, 270, 30, 0, 0, 3);
	assert_int_equal(l.foreign, 9);
	assert_int_equal(l.foreign_generated, 18);
	assert_true(l.books_balance);
	/* A counter that says 5 more than there were is found out. */
	w->stats.account[0].socket_dropped += 5;
	assert_line(world_reconcile(w).all, 300, 270, 30, 0, 5, 3);
	world_free(w);
}

/* Forks are made, but not watched: filtered in the kernel they cannot have been dropped; else they can. */
static void netlink_unwatched_kind(void **state)
{
	struct world *w = world_losing(WORLD_NETLINK, EV_MASK(EV_FORK), SOCKET_DROPPED);
	struct ledger l;

	(void)state;
	w->stats.account[0].kinds = EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT);
	w->rec.n = 0;
	for (size_t i = 0; i < w->n; i++)
		for (int k = EV_EXEC; k <= EV_EXIT; k++)
			w->rec.rec[w->rec.n++] = world_rec(w, i, k);
	l = world_reconcile(w);
	assert_line(l.all, 200, 200, 0, 0, 0, 10);
	assert_int_equal(l.kinds, EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT));
	assert_int_equal(l.kind[EV_FORK].expected, 0);
	w->stats.account[0].delivered -= 90;
	w->stats.account[0].filtered += 100;
	w->stats.account[0].generated += 10;
	w->stats.seq_gaps += 100;
	l = world_reconcile(w);
	assert_true(l.books_balance);
	assert_line(l.all, 200, 200, 0, 0, 0, 10); /* 10 more generated than the launches explain */
	w->stats.account[0].generated -= 10;
	assert_line(world_reconcile(w).all, 200, 200, 0, 0, 10, 0);
	world_free(w);
}

/* Unwatched events that were delivered all the same cannot have been dropped. */
static void netlink_unwatched_but_delivered(void **state)
{
	struct world *w = world_losing(WORLD_NETLINK, EV_MASK(EV_FORK), SOCKET_DROPPED);

	(void)state;
	w->stats.account[0].kinds = EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT);
	w->stats.account[0].socket_dropped += 2;
	assert_line(world_reconcile(w).all, 200, 200, 0, 0, 2, 10);
	world_free(w);
}

/* A launch still running made two messages, and a third if its EXIT came or was dropped. */
static void netlink_open_launches(void **state)
{
	struct world *w = world_new(WORLD_NETLINK, 20, 1, 40);
	struct ledger l;

	(void)state;
	world_launch(w, 18)->end_ns = 0;
	world_launch(w, 19)->end_ns = 0;
	for (size_t i = 0; i < w->n; i++)
		world_launch_events(w, i, i < 18 ? 0 : EV_MASK(EV_EXIT), VANISHED);
	l = world_reconcile(w);
	assert_line(l.all, 58, 58, 0, 0, 0, 0);
	assert_int_equal(l.foreign_generated, 0);
	assert_true(l.books_balance);
	world_event(w, world_rec(w, 18, EV_EXIT), DELIVERED, true);
	l = world_reconcile(w);
	assert_line(l.all, 58, 58, 0, 0, 0, 0);
	assert_int_equal(l.foreign_generated, 0);
	assert_true(l.books_balance);
	world_event(w, world_rec(w, 19, EV_EXIT), SOCKET_DROPPED, true);
	l = world_reconcile(w);
	assert_line(l.all, 58, 58, 0, 0, 0, 1);
	assert_true(l.books_balance);
	w->stats.account[0].socket_dropped++; /* one more than were generated */
	assert_line(world_reconcile(w).all, 58, 58, 0, 0, 1, 1);
	world_free(w);
}

/* One account for two kinds, one for the third: each closes at its own level. */
static void accounts_of_both_widths(void **state)
{
	struct world *w = world_new(WORLD_BPF, 100, 1, 30);
	struct ledger l;

	(void)state;
	w->stats.naccounts = 2;
	w->stats.account[0].kinds = EV_MASK(EV_FORK) | EV_MASK(EV_EXIT);
	for (size_t i = 0; i < w->n; i++)
		world_launch_events(w, i, i % 10 ? 0 : EV_MASK_ALL, RING_FULL);
	w->stats.account[1].ring_full_ours -= 2;
	l = world_reconcile(w);
	assert_line_unknown(l.kind[EV_FORK], 100, 90);
	assert_line(l.kind[EV_EXEC], 100, 90, 8, 2, 0, 0);
	assert_line_unknown(l.kind[EV_EXIT], 100, 90);
	assert_line(l.all, 300, 270, 28, 2, 0, 0);
	world_free(w);
}

static void unwatched_kinds_are_left_out(void **state)
{
	struct world *w = world_new(WORLD_BPF, 100, 1, 30);
	struct ledger l;

	(void)state;
	world_deliver_all(w);
	w->stats.naccounts = 2; /* fork and exec */
	l = world_reconcile(w);
	assert_line(l.all, 200, 200, 0, 0, 0, 0);
	assert_int_equal(l.kind[EV_EXIT].expected, 0);
	assert_int_equal(l.foreign, 0);
	w->stats.naccounts = 0;
	l = world_reconcile(w);
	assert_line(l.all, 0, 0, 0, 0, 0, 0);
	assert_int_equal(l.kinds, 0);
	world_free(w);
}

/* Each counter off by one, in both directions: the books must say so, and how much. */
static void books_find_each_imbalance(void **state)
{
	static const size_t field[] = {
		offsetof(struct source_account, generated),
		offsetof(struct source_account, delivered),
		offsetof(struct source_account, filtered),
		offsetof(struct source_account, ring_full),
		offsetof(struct source_account, socket_dropped),
		offsetof(struct source_account, not_run),
		offsetof(struct source_account, alloc_failed),
	};
	struct world *w = world_new(WORLD_BPF, 70, 1, 30);
	struct ledger l;

	(void)state;
	for (size_t i = 0; i < w->n; i++)
		world_launch_events(w, i, EV_MASK(EV_EXEC), i % RECORD_FULL);
	assert_true(world_reconcile(w).books_balance);
	assert_string_equal(world_reconcile(w).books_why, "");
	for (size_t i = 0; i < sizeof(field) / sizeof(*field); i++) {
		for (int by = -1; by <= 1; by += 2) {
			uint64_t *v = (uint64_t *)((char *)&w->stats.account[EV_EXEC] + field[i]);

			*v += by;
			l = world_reconcile(w);
			assert_true(l.books_checked);
			assert_false(l.books_balance);
			assert_non_null(strstr(l.books_why, "exec: "));
			if (i)
				assert_non_null(strstr(l.books_why, by > 0 ? "(+1)" : "(-1)"));
			w->stats.books_audited = false;
			l = world_reconcile(w);
			assert_false(l.books_checked);
			w->stats.books_audited = true;
			*v -= by;
		}
	}
	world_free(w);
}

static void books_of_the_reader(void **state)
{
	struct world *w = world_losing(WORLD_BPF, EV_MASK(EV_EXEC), RECORD_FULL);
	struct ledger l;

	(void)state;
	assert_true(world_reconcile(w).books_balance);
	w->rec.threads = 1;
	l = world_reconcile(w);
	assert_false(l.books_balance);
	assert_string_equal(l.books_why, "delivered 300, but the reader took 301 (+1)");
	world_free(w);
}

static void books_of_netlink(void **state)
{
	struct world *w = world_losing(WORLD_NETLINK, EV_MASK(EV_EXEC), SOCKET_DROPPED);
	struct ledger l;

	(void)state;
	w->stats.seq_gaps += 2;
	l = world_reconcile(w);
	assert_false(l.books_balance);
	assert_non_null(strstr(l.books_why, "12 messages, the socket dropped 10 (-2)"));
	w->stats.seq_gaps -= 2;
	assert_true(world_reconcile(w).books_balance);
	/* Balanced in itself, but fewer than the launches made: some CPU was not primed. */
	w->stats.account[0].generated -= 10;
	w->stats.account[0].socket_dropped = 0;
	w->stats.seq_gaps = 0;
	l = world_reconcile(w);
	assert_false(l.books_balance);
	assert_non_null(strstr(l.books_why, "290 messages, but the launches alone make 300"));
	assert_int_equal(l.foreign_generated, 0);
	assert_line(l.all, 300, 290, 0, 10, 0, 0);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bpf_ring_full_is_reported),
		cmocka_unit_test(bpf_counters_off_by_some),
		cmocka_unit_test(bpf_that_cannot_tell_ours),
		cmocka_unit_test(bpf_that_cannot_tell_not_run),
		cmocka_unit_test(vanished_is_unexplained),
		cmocka_unit_test(not_run_is_uncertain),
		cmocka_unit_test(record_full_is_known_by_kind),
		cmocka_unit_test(dropped_exit_of_open_launch),
		cmocka_unit_test(netlink_closes_all_only),
		cmocka_unit_test(netlink_counter_off),
		cmocka_unit_test(netlink_foreign_dropped_is_uncertain),
		cmocka_unit_test(netlink_foreign_delivered_is_certain),
		cmocka_unit_test(netlink_unwatched_kind),
		cmocka_unit_test(netlink_unwatched_but_delivered),
		cmocka_unit_test(netlink_open_launches),
		cmocka_unit_test(accounts_of_both_widths),
		cmocka_unit_test(unwatched_kinds_are_left_out),
		cmocka_unit_test(books_find_each_imbalance),
		cmocka_unit_test(books_of_the_reader),
		cmocka_unit_test(books_of_netlink),
	};

	return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
