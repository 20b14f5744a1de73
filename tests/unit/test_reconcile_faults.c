// SPDX-License-Identifier: MIT
/* Faults injected at random, with fixed seeds: reconcile must find exactly those, in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

#define SEEDS 40

/* What was injected, counted at injection. */
struct injected {
	uint64_t expected[EV_KINDS], lost[EV_KINDS], silent[EV_KINDS], dropped[EV_KINDS];
	uint64_t duplicate[EV_KINDS], wrong[EV_KINDS];
	uint64_t foreign, foreign_dropped, status, order, future, misnamed, identified;
};

struct run {
	struct world *w;
	struct injected in;
	uint64_t rng;
	enum fate drop; /* what the mechanism does when it has no room */
	unsigned rarity; /* one event in so many is hit by each fault */
};

static bool hit(struct run *r)
{
	return rng_next(&r->rng) % r->rarity == 0;
}

/* Changes an event that will be delivered; returns whether it still belongs to its launch. */
static bool event_spoil(struct run *r, struct rec *ev, size_t i, bool exec_delivered)
{
	enum event_kind kind = rec_kind(ev);
	bool status = false, order = false, future = hit(r);

	if (hit(r)) {
		ev->pid = WORLD_NO_PID;
		return false;
	}
	if (hit(r)) { /* before the launch began, in no window of its pid */
		ev->ts_ns = world_launch(r->w, i)->start_ns - 1;
		return false;
	}
	if (kind == EV_EXIT && hit(r)) {
		ev->status ^= 0x100;
		status = true;
	}
	if (kind == EV_EXIT && exec_delivered && hit(r)) {
		ev->ts_ns = world_rec(r->w, i, EV_EXEC).ts_ns - 1;
		order = true;
	}
	if (future)
		ev->kind |= REC_FROM_FUTURE;
	if (kind == EV_EXEC && hit(r))
		ev->name = REC_NAME_OTHER;
	r->in.misnamed += kind == EV_EXEC && ev->name == REC_NAME_OTHER;
	r->in.identified += kind == EV_EXEC && ev->name != REC_NAME_OTHER;
	r->in.status += status;
	r->in.order += order;
	r->in.future += future;
	r->in.wrong[kind] += status || order || future;
	return true;
}

/* Returns whether the event arrived where it belongs. */
static bool event_inject(struct run *r, size_t i, enum event_kind kind, bool exec_delivered)
{
	struct rec ev = world_rec(r->w, i, kind);

	r->in.expected[kind]++;
	if (hit(r)) {
		world_event(r->w, ev, r->drop, true);
		r->in.dropped[kind]++;
		r->in.lost[kind]++;
		return false;
	}
	if (hit(r)) {
		world_event(r->w, ev, VANISHED, true);
		r->in.lost[kind]++;
		return false;
	}
	if (!event_spoil(r, &ev, i, exec_delivered)) {
		world_event(r->w, ev, DELIVERED, true);
		r->in.foreign++;
		r->in.lost[kind]++;
		return false;
	}
	world_event(r->w, ev, DELIVERED, true);
	if (hit(r)) {
		world_event(r->w, ev, DELIVERED, true);
		r->in.duplicate[kind]++;
	}
	return true;
}

static void foreign_inject(struct run *r, size_t i)
{
	struct rec ev = world_rec(r->w, i, rng_next(&r->rng) % EV_KINDS);

	ev.ts_ns = world_launch(r->w, i)->end_ns + 1;
	if (hit(r)) {
		world_event(r->w, ev, r->drop, false);
		r->in.foreign_dropped++;
	} else {
		world_event(r->w, ev, DELIVERED, false);
		r->in.foreign++;
	}
}

static struct run run_make(enum world_style style, uint64_t seed)
{
	struct run r = { .rng = seed * 7919,
			 .drop = style == WORLD_BPF ? RING_FULL : SOCKET_DROPPED };
	unsigned workers = 1 + rng_next(&r.rng) % 8;

	r.rarity = 3 + rng_next(&r.rng) % 50;
	r.w = world_new(style, 500 + rng_next(&r.rng) % 2000, workers,
			2 * workers + 1 + rng_next(&r.rng) % 300);
	for (size_t i = 0; i < r.w->n; i++) {
		bool exec;

		event_inject(&r, i, EV_FORK, false);
		exec = event_inject(&r, i, EV_EXEC, false);
		event_inject(&r, i, EV_EXIT, exec);
		if (hit(&r))
			foreign_inject(&r, i);
	}
	return r;
}

static void assert_common(const struct run *r, const struct ledger *l)
{
	uint64_t wrong = 0;

	for (int k = 0; k < EV_KINDS; k++) {
		assert_int_equal(l->kind[k].expected, r->in.expected[k]);
		assert_int_equal(l->kind[k].lost, r->in.lost[k]);
		assert_int_equal(l->kind[k].duplicate, r->in.duplicate[k]);
		assert_int_equal(l->kind[k].wrong, r->in.wrong[k]);
		wrong += r->in.wrong[k];
	}
	assert_int_equal(l->all.wrong, wrong);
	assert_int_equal(l->all.wrong_status, r->in.status);
	assert_int_equal(l->all.wrong_order, r->in.order);
	assert_int_equal(l->all.wrong_time, r->in.future);
	assert_int_equal(l->foreign, r->in.foreign);
	assert_int_equal(l->identified, r->in.identified);
	assert_int_equal(l->misnamed, r->in.misnamed);
	assert_true(l->identities_hold);
}

static void bpf_faults_are_found(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct run r = run_make(WORLD_BPF, seed);
		struct ledger l = world_reconcile(r.w);

		assert_common(&r, &l);
		assert_true(l.books_balance);
		for (int k = 0; k < EV_KINDS; k++) {
			uint64_t lost = r.in.lost[k], dropped = r.in.dropped[k];

			assert_line(l.kind[k], r.in.expected[k], r.in.expected[k] - lost, dropped,
				    lost - dropped, 0, 0);
		}
		world_free(r.w);
	}
}

static void netlink_faults_are_found(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct run r = run_make(WORLD_NETLINK, seed);
		struct ledger l = world_reconcile(r.w);
		uint64_t lost = 0, dropped = r.in.foreign_dropped;

		for (int k = 0; k < EV_KINDS; k++) {
			lost += r.in.lost[k];
			dropped += r.in.dropped[k];
			assert_int_equal(l.kind[k].reported, LEDGER_UNKNOWN);
		}
		assert_common(&r, &l);
		assert_int_equal(l.all.lost, lost);
		assert_int_equal(l.all.reported, dropped < lost ? dropped : lost);
		assert_int_equal(l.all.unexplained, dropped < lost ? lost - dropped : 0);
		world_free(r.w);
	}
}

/* The ledger, the masks and the times, to the last byte. */
static void order_of_delivery_does_not_matter(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct run r = run_make(seed % 2 ? WORLD_BPF : WORLD_NETLINK, seed);
		const struct world *w = r.w;
		uint8_t *seen = calloc(2, w->n);
		uint64_t *ts = calloc(2 * w->n, sizeof(*ts));
		struct ledger l[2];

		assert_non_null(seen);
		assert_non_null(ts);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(reconcile(&w->truth, &w->rec, &w->stats, &w->cfg, &l[i],
						   seen + i * w->n, ts + i * w->n),
					 0);
			world_shuffle(r.w, seed);
		}
		assert_memory_equal(&l[0], &l[1], sizeof(l[0]));
		assert_memory_equal(seen, seen + w->n, w->n);
		assert_memory_equal(ts, ts + w->n, w->n * sizeof(*ts));
		free(seen);
		free(ts);
		world_free(r.w);
	}
}

/* Whatever the k-th event is: losing just that one is seen, and nothing else is. */
static void each_single_loss_is_found(void **state)
{
	(void)state;
	for (size_t k = 0; k < 3 * 50; k++) {
		struct world *w = world_new(WORLD_BPF, 50, 3, 11);
		struct ledger l;

		for (size_t i = 0; i < w->n; i++)
			world_launch_events(w, i, i == k / 3 ? EV_MASK(k % 3) : 0, VANISHED);
		l = world_reconcile(w);
		for (size_t kind = 0; kind < EV_KINDS; kind++)
			assert_line(l.kind[kind], 50, 50 - (kind == k % 3), 0, kind == k % 3, 0, 0);
		assert_int_equal(l.foreign + l.all.duplicate + l.all.wrong, 0);
		world_free(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bpf_faults_are_found),
		cmocka_unit_test(netlink_faults_are_found),
		cmocka_unit_test(order_of_delivery_does_not_matter),
		cmocka_unit_test(each_single_loss_is_found),
	};

	return cmocka_run_group_tests_name("reconcile_faults", tests, NULL, NULL);
}
