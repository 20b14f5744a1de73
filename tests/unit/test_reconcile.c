// SPDX-License-Identifier: MIT
/* Which event belongs to which launch, and what is wrong with it. The books: test_ledger.c. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

static void nothing_at_all(void **state)
{
	struct world *w = world_new(WORLD_BPF, 0, 1, 2);
	struct ledger l = world_reconcile(w);

	(void)state;
	assert_int_equal(l.kinds, EV_MASK_ALL);
	assert_line(l.all, 0, 0, 0, 0, 0, 0);
	assert_int_equal(l.foreign, 0);
	assert_int_equal(l.foreign_generated, 0);
	assert_true(l.books_balance);
	w->truth.nsegments = 0;
	l = world_reconcile(w);
	assert_int_equal(l.all.expected, 0);
	world_free(w);
}

static void nothing_delivered(void **state)
{
	struct world *w = world_new(WORLD_BPF, 23, 1, 100);
	struct ledger l = world_reconcile(w);

	(void)state;
	for (int k = 0; k < EV_KINDS; k++)
		assert_line(l.kind[k], 23, 0, 0, 23, 0, 0);
	assert_line(l.all, 69, 0, 0, 69, 0, 0);
	assert_int_equal(l.identified, 0);
	world_free(w);
}

static void only_foreign(void **state)
{
	struct world *w = world_new(WORLD_BPF, 0, 1, 2);
	struct ledger l;

	(void)state;
	world_event(w, (struct rec){ .ts_ns = 5, .pid = 7, .kind = EV_EXEC }, DELIVERED, false);
	world_event(w, (struct rec){ .ts_ns = 9, .pid = UINT32_MAX, .kind = EV_EXIT }, DELIVERED,
		    false);
	l = world_reconcile(w);
	assert_int_equal(l.foreign, 2);
	assert_int_equal(l.foreign_generated, 2);
	world_free(w);
}

static void perfect_run(void **state)
{
	static const enum world_style style[] = { WORLD_BPF, WORLD_NETLINK };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct world *w = world_new(style[i], 2003, 4, 500);
		struct ledger l;

		world_deliver_all(w);
		l = world_reconcile(w);
		for (int k = 0; k < EV_KINDS; k++) {
			assert_int_equal(l.kind[k].matched, 2003);
			assert_int_equal(l.kind[k].lost, 0);
		}
		assert_line(l.all, 3 * 2003, 3 * 2003, 0, 0, 0, 0);
		assert_int_equal(l.all.duplicate + l.all.wrong, 0);
		assert_int_equal(l.foreign, 0);
		assert_int_equal(l.foreign_generated, 0);
		assert_int_equal(l.identified, 2003);
		assert_int_equal(l.misnamed, 0);
		assert_true(l.books_checked && l.books_balance);
		world_free(w);
	}
}

/* Each pid used about 1400 times; then every third exit is gone, and exactly those are missed. */
static void pids_wrap_many_times(void **state)
{
	struct world *w = world_new(WORLD_BPF, 10007, 3, 7);
	struct ledger l;

	(void)state;
	world_deliver_all(w);
	l = world_reconcile(w);
	assert_line(l.all, 3 * 10007, 3 * 10007, 0, 0, 0, 0);
	assert_int_equal(l.all.duplicate + l.foreign + l.all.wrong, 0);
	world_free(w);

	w = world_new(WORLD_BPF, 10007, 3, 7);
	for (size_t i = 0; i < w->n; i++)
		world_launch_events(w, i, i % 3 ? 0 : EV_MASK(EV_EXIT), VANISHED);
	l = world_reconcile(w);
	assert_line(l.kind[EV_EXIT], 10007, 10007 - 3336, 0, 3336, 0, 0);
	assert_line(l.kind[EV_EXEC], 10007, 10007, 0, 0, 0, 0);
	assert_int_equal(l.all.duplicate + l.foreign + l.all.wrong, 0);
	world_free(w);
}

static void last_events_missing(void **state)
{
	struct world *w = world_new(WORLD_NETLINK, 100, 2, 50);
	struct ledger l;

	(void)state;
	world_deliver_all(w);
	w->rec.n -= 4; /* exit of 98, all of 99 */
	l = world_reconcile(w);
	assert_line_unknown(l.kind[EV_FORK], 100, 99);
	assert_line_unknown(l.kind[EV_EXEC], 100, 99);
	assert_line_unknown(l.kind[EV_EXIT], 100, 98);
	assert_line(l.all, 300, 296, 0, 4, 0, 0);
	world_free(w);
}

static void window_edges_belong_to_it(void **state)
{
	static const struct {
		int64_t from_start; /* else from end */
		int64_t offset;
		bool match;
	} table[] = { { 1, -1, false }, { 1, 0, true }, { 0, 0, true }, { 0, 1, false } };

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct world *w = world_new(WORLD_BPF, 10, 1, 3);
		struct rec r = world_rec(w, 5, EV_EXEC);
		const struct truth_launch *launch = world_launch(w, 5);
		struct ledger l;

		r.ts_ns =
			(table[i].from_start ? launch->start_ns : launch->end_ns) + table[i].offset;
		world_event(w, r, DELIVERED, true);
		l = world_reconcile(w);
		assert_int_equal(l.kind[EV_EXEC].matched, table[i].match);
		assert_int_equal(l.foreign, !table[i].match);
		world_free(w);
	}
}

/* netlink: the EXIT may be stamped after wait(2) returned; but only the EXIT. */
static void late_exit(void **state)
{
	struct world *w = world_new(WORLD_NETLINK, 30, 1, 10);
	struct ledger l;

	(void)state;
	for (size_t i = 0; i < w->n; i++)
		for (int k = 0; k < EV_KINDS; k++) {
			struct rec r = world_rec(w, i, k);

			if (k != EV_FORK) /* all execs and exits are late */
				r.ts_ns = world_launch(w, i)->end_ns + 200;
			world_event(w, r, DELIVERED, true);
		}
	l = world_reconcile(w);
	assert_int_equal(l.kind[EV_EXIT].matched, 0);
	assert_int_equal(l.foreign, 60);
	w->cfg.exit_lag_ns = 199;
	assert_int_equal(world_reconcile(w).kind[EV_EXIT].matched, 0);
	w->cfg.exit_lag_ns = 200;
	l = world_reconcile(w);
	assert_int_equal(l.kind[EV_EXIT].matched, 30);
	assert_int_equal(l.kind[EV_EXIT].wrong, 0);
	assert_int_equal(l.kind[EV_EXEC].matched, 0);
	assert_int_equal(l.foreign, 30);
	w->cfg.exit_lag_ns = UINT64_MAX;
	assert_int_equal(world_reconcile(w).kind[EV_EXIT].matched, 30);
	world_free(w);
}

/* However long the lag, an EXIT after the start of the pid's next launch is that one's. */
static void late_exit_stops_at_next_launch(void **state)
{
	struct world *w = world_new(WORLD_NETLINK, 20, 1, 10);
	struct rec r = world_rec(w, 0, EV_EXIT);
	struct ledger l;

	(void)state;
	w->cfg.exit_lag_ns = 1000000000;
	r.ts_ns = world_launch(w, 10)->start_ns - 1;
	world_event(w, r, DELIVERED, true);
	l = world_reconcile(w);
	assert_int_equal(l.kind[EV_EXIT].matched, 1);
	assert_int_equal(l.kind[EV_EXIT].wrong, 0);
	w->rec.rec[0].ts_ns++;
	l = world_reconcile(w);
	assert_int_equal(l.kind[EV_EXIT].matched, 1);
	assert_int_equal(l.kind[EV_EXIT].wrong_status, 1);
	world_free(w);
}

static void duplicates_are_neither_matched_nor_foreign(void **state)
{
	struct world *w = world_new(WORLD_BPF, 50, 2, 20);
	struct ledger l;

	(void)state;
	world_deliver_all(w);
	for (size_t i = 0; i < 50; i += 5)
		for (size_t copies = 0; copies < 1 + i % 2; copies++)
			world_event(w, world_rec(w, i, EV_EXEC), DELIVERED, true);
	world_event(w, world_rec(w, 3, EV_EXIT), DELIVERED, true);
	l = world_reconcile(w);
	assert_line(l.kind[EV_EXEC], 50, 50, 0, 0, 0, 0);
	assert_int_equal(l.kind[EV_EXEC].duplicate, 15);
	assert_int_equal(l.kind[EV_EXIT].duplicate, 1);
	assert_int_equal(l.kind[EV_FORK].duplicate, 0);
	assert_int_equal(l.all.duplicate, 16);
	assert_int_equal(l.foreign, 0);
	assert_int_equal(l.foreign_generated, 0);
	world_free(w);
}

static void earliest_of_duplicates_is_matched(void **state)
{
	struct world *w = world_new(WORLD_BPF, 1, 1, 2);
	struct rec late = world_rec(w, 0, EV_EXIT);
	struct ledger l;

	(void)state;
	late.ts_ns++;
	late.status ^= 0x100;
	for (int first = 0; first < 2; first++) {
		atomic_store(&w->rec.n, 0);
		if (first)
			world_event(w, late, DELIVERED, true);
		world_event(w, world_rec(w, 0, EV_EXIT), DELIVERED, true);
		if (!first)
			world_event(w, late, DELIVERED, true);
		l = world_reconcile(w);
		assert_int_equal(l.kind[EV_EXIT].duplicate, 1);
		assert_int_equal(l.kind[EV_EXIT].wrong, 0);
	}
	world_free(w);
}

static void swapped_pids(void **state)
{
	struct world *w = world_new(WORLD_BPF, 100, 1, 50);
	struct ledger l;

	(void)state;
	world_deliver_all(w);
	w->rec.rec[3 * 10 + EV_EXEC].pid = world_launch(w, 20)->pid;
	w->rec.rec[3 * 20 + EV_EXEC].pid = world_launch(w, 10)->pid;
	w->rec.rec[3 * 30 + EV_EXIT].pid = WORLD_NO_PID;
	w->rec.rec[3 * 31 + EV_EXIT].pid = 0;
	l = world_reconcile(w);
	assert_line(l.kind[EV_EXEC], 100, 98, 0, 2, 0, 0);
	assert_line(l.kind[EV_EXIT], 100, 98, 0, 2, 0, 0);
	assert_int_equal(l.foreign, 4);
	assert_int_equal(l.foreign_generated, LEDGER_UNKNOWN);
	assert_int_equal(l.identified, 98);
	world_free(w);
}

static void falsified_status(void **state)
{
	struct world *w = world_new(WORLD_BPF, 100, 3, 50);
	struct ledger l;

	(void)state;
	world_deliver_all(w);
	w->rec.rec[3 * 7 + EV_EXIT].status ^= 0x80; /* the core bit alone */
	w->rec.rec[3 * 8 + EV_EXIT].status ^= 0x100;
	w->rec.rec[3 * 9 + EV_EXIT].status = REC_NO_STATUS; /* does not claim anything */
	w->rec.rec[3 * 10 + EV_EXEC].status = 23; /* an EXEC has none */
	l = world_reconcile(w);
	assert_int_equal(l.kind[EV_EXIT].wrong_status, 2);
	assert_int_equal(l.kind[EV_EXIT].wrong, 2);
	assert_int_equal(l.kind[EV_EXIT].matched, 100);
	assert_int_equal(l.all.wrong, 2);
	world_free(w);
}

static void order_and_time(void **state)
{
	struct world *w = world_new(WORLD_BPF, 100, 1, 50);
	struct ledger l;

	(void)state;
	world_deliver_all(w);
	/* exec before fork; exit before exec; both stamped alike is fine */
	w->rec.rec[3 * 1 + EV_EXEC].ts_ns = w->rec.rec[3 * 1 + EV_FORK].ts_ns - 1;
	w->rec.rec[3 * 2 + EV_EXIT].ts_ns = w->rec.rec[3 * 2 + EV_EXEC].ts_ns - 1;
	w->rec.rec[3 * 3 + EV_EXIT].ts_ns = w->rec.rec[3 * 3 + EV_EXEC].ts_ns;
	/* exit before fork, and its status and time wrong too: one wrong event */
	w->rec.rec[3 * 4 + EV_EXIT].ts_ns = w->rec.rec[3 * 4 + EV_FORK].ts_ns - 1;
	w->rec.rec[3 * 4 + EV_EXIT].status ^= 0x100;
	w->rec.rec[3 * 4 + EV_EXIT].kind |= REC_FROM_FUTURE;
	w->rec.rec[3 * 5 + EV_FORK].kind |= REC_FROM_FUTURE;
	l = world_reconcile(w);
	assert_int_equal(l.kind[EV_FORK].wrong_order, 0);
	assert_int_equal(l.kind[EV_FORK].wrong, 1);
	assert_int_equal(l.kind[EV_EXEC].wrong_order, 1);
	assert_int_equal(l.kind[EV_EXIT].wrong_order, 2);
	assert_int_equal(l.kind[EV_EXIT].wrong_status, 1);
	assert_int_equal(l.kind[EV_EXIT].wrong, 2);
	assert_int_equal(l.all.wrong_time, 2);
	assert_int_equal(l.all.wrong, 4);
	assert_int_equal(l.all.matched, 300);
	world_free(w);
}

static void foreign_on_reused_pids(void **state)
{
	struct world *w = world_new(WORLD_BPF, 40, 1, 10);
	struct ledger l;

	(void)state;
	for (size_t i = 0; i < w->n; i++) {
		world_launch_events(w, i, 0, DELIVERED);
		for (int k = 0; k < EV_KINDS; k++) {
			struct rec r = world_rec(w, i, k);

			r.ts_ns = world_launch(w, i)->end_ns + 1000 + k;
			world_event(w, r, DELIVERED, false);
		}
	}
	l = world_reconcile(w);
	assert_int_equal(l.foreign, 120);
	assert_int_equal(l.foreign_generated, 120);
	assert_line(l.all, 120, 120, 0, 0, 0, 0);
	assert_int_equal(l.all.duplicate + l.all.wrong, 0);
	world_free(w);
}

/* No EXIT is expected of them; if one comes, it is no foreign event either. */
static void launches_never_ended(void **state)
{
	struct world *w = world_new(WORLD_BPF, 20, 2, 40);
	uint8_t seen[20];
	struct ledger l;

	(void)state;
	for (size_t i = 0; i < w->n; i++) {
		if (i >= 15)
			world_launch(w, i)->end_ns = 0;
		world_launch_events(w, i, i < 18 ? 0 : EV_MASK(EV_EXIT), VANISHED);
	}
	world_event(w, world_rec(w, 16, EV_EXIT), DELIVERED, true);
	l = world_reconcile(w);
	assert_line(l.kind[EV_FORK], 20, 20, 0, 0, 0, 0);
	assert_line(l.kind[EV_EXIT], 15, 15, 0, 0, 0, 0);
	assert_int_equal(l.kind[EV_EXIT].duplicate, 1);
	assert_int_equal(l.kind[EV_EXIT].wrong, 0);
	assert_int_equal(l.foreign, 0);
	assert_int_equal(l.foreign_generated, LEDGER_UNKNOWN);
	assert_int_equal(reconcile(&w->truth, &w->rec, &w->stats, &w->cfg, &l, seen, NULL), 0);
	assert_int_equal(seen[world_index(w, 14)], EV_MASK_ALL);
	assert_int_equal(seen[world_index(w, 15)], EV_MASK_ALL & ~EV_MASK(EV_EXIT));
	world_free(w);
}

static void names(void **state)
{
	struct world *w = world_new(WORLD_BPF, 100, 2, 50);
	struct ledger l;

	(void)state;
	world_deliver_all(w);
	w->rec.rec[3 * 0 + EV_EXEC].name = 0;
	w->rec.rec[3 * 1 + EV_EXEC].name = REC_NAME_OTHER;
	w->rec.rec[3 * 2 + EV_EXEC].name = 2;
	world_launch(w, 3)->name = 0; /* not known to truth: nobody can judge */
	l = world_reconcile(w);
	assert_int_equal(l.identified, 96);
	assert_int_equal(l.misnamed, 2);
	assert_int_equal(l.all.wrong, 0);
	world_free(w);
}

static void seen_and_time_are_in_segment_order(void **state)
{
	struct world *w = world_new(WORLD_BPF, 101, 4, 9);
	uint8_t seen[101];
	uint64_t ts[101];
	struct ledger l;

	(void)state;
	for (size_t i = 0; i < w->n; i++)
		world_launch_events(w, i, i % 8, VANISHED);
	memset(seen, 0xee, sizeof(seen));
	memset(ts, 0xee, sizeof(ts));
	assert_int_equal(reconcile(&w->truth, &w->rec, &w->stats, &w->cfg, &l, seen, ts), 0);
	for (size_t i = 0; i < w->n; i++) {
		bool exec = !(i % 8 & EV_MASK(EV_EXEC));

		assert_int_equal(seen[world_index(w, i)], ~i & 7);
		assert_int_equal(ts[world_index(w, i)], exec ? world_rec(w, i, EV_EXEC).ts_ns : 0);
	}
	world_free(w);
}

static void unusable_input_is_refused(void **state)
{
	static const pid_t bad[] = { 0, -1, INT32_MIN, INT32_MAX, (4 << 20) + 1 };
	struct world *w = world_new(WORLD_BPF, 10, 1, 20);
	struct ledger l;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		world_launch(w, 5)->pid = bad[i];
		assert_int_equal(reconcile(&w->truth, &w->rec, &w->stats, &w->cfg, &l, NULL, NULL),
				 -EINVAL);
	}
	world_launch(w, 5)->pid = 4 << 20; /* PID_MAX_LIMIT */
	world_deliver_all(w);
	assert_line(world_reconcile(w).all, 30, 30, 0, 0, 0, 0);
	w->stats.account[1].kinds |= EV_MASK(EV_FORK);
	assert_int_equal(reconcile(&w->truth, &w->rec, &w->stats, &w->cfg, &l, NULL, NULL),
			 -EINVAL);
	w->stats.naccounts = EV_KINDS + 1;
	assert_int_equal(reconcile(&w->truth, &w->rec, &w->stats, &w->cfg, &l, NULL, NULL),
			 -EINVAL);
	world_free(w);
}

static void cross_counts_and_times(void **state)
{
	const unsigned x = EV_MASK(EV_EXEC), e = EV_MASK(EV_EXIT);
	const uint8_t seen_a[] = { x | e, x | e, x, 0, e, x | e };
	const uint8_t seen_b[] = { x | e, x, x | e, 0, x, e };
	const uint64_t ts_a[] = { 100, 250, 300, 0, 0, 77 };
	const uint64_t ts_b[] = { 110, 200, 300, 0, 500, 0 };
	struct cross c;

	(void)state;
	reconcile_cross(seen_a, ts_a, seen_b, ts_b, 6, &c);
	assert_int_equal(c.kind[EV_EXEC].both, 3);
	assert_int_equal(c.kind[EV_EXEC].only_a, 1);
	assert_int_equal(c.kind[EV_EXEC].only_b, 1);
	assert_int_equal(c.kind[EV_EXEC].neither, 1);
	assert_int_equal(c.kind[EV_EXIT].both, 2);
	assert_int_equal(c.kind[EV_EXIT].only_a, 2);
	assert_int_equal(c.kind[EV_EXIT].only_b, 1);
	assert_int_equal(c.kind[EV_EXIT].neither, 1);
	assert_int_equal(c.ts_n, 3);
	assert_int_equal(c.ts_p50_ns, 10);
	assert_int_equal(c.ts_max_ns, 50);
	assert_true(c.a_first > 0.333 && c.a_first < 0.334);
	reconcile_cross(NULL, NULL, NULL, NULL, 0, &c);
	assert_int_equal(c.ts_n, 0);
	assert_true(c.a_first == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(nothing_delivered),
		cmocka_unit_test(only_foreign),
		cmocka_unit_test(perfect_run),
		cmocka_unit_test(pids_wrap_many_times),
		cmocka_unit_test(last_events_missing),
		cmocka_unit_test(window_edges_belong_to_it),
		cmocka_unit_test(late_exit),
		cmocka_unit_test(late_exit_stops_at_next_launch),
		cmocka_unit_test(duplicates_are_neither_matched_nor_foreign),
		cmocka_unit_test(earliest_of_duplicates_is_matched),
		cmocka_unit_test(swapped_pids),
		cmocka_unit_test(falsified_status),
		cmocka_unit_test(order_and_time),
		cmocka_unit_test(foreign_on_reused_pids),
		cmocka_unit_test(launches_never_ended),
		cmocka_unit_test(names),
		cmocka_unit_test(seen_and_time_are_in_segment_order),
		cmocka_unit_test(unusable_input_is_refused),
		cmocka_unit_test(cross_counts_and_times),
	};

	return cmocka_run_group_tests_name("reconcile", tests, NULL, NULL);
}
