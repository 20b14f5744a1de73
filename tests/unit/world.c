// SPDX-License-Identifier: MIT
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define EPOCH 1000000

uint64_t rng_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void stats_init(struct source_stats *s, enum world_style style)
{
	s->books_audited = true;
	if (style == WORLD_NETLINK) {
		s->generated_all_types = true;
		s->naccounts = 1;
		s->account[0].kinds = EV_MASK_ALL;
		return;
	}
	s->knows_ours = true;
	s->naccounts = EV_KINDS;
	for (int k = 0; k < EV_KINDS; k++)
		s->account[k].kinds = EV_MASK(k);
}

static void segments_init(struct world *w)
{
	size_t next = 0;

	w->truth.nsegments = w->workers;
	for (unsigned s = 0; s < w->workers; s++) {
		struct truth_segment *seg = &w->truth.segment[s];

		w->index[s] = next;
		seg->launch = w->launch + next;
		seg->n = w->n / w->workers + (s < w->n % w->workers);
		next += seg->n;
	}
}

struct world *world_new(enum world_style style, size_t n, unsigned workers, unsigned pids)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	assert_true(pids > workers);
	w->n = n;
	w->workers = workers;
	w->launch = calloc(n + 1, sizeof(*w->launch));
	assert_non_null(w->launch);
	assert_int_equal(recording_init(&w->rec, 4 * EV_KINDS * n + 64), 0);
	segments_init(w);
	stats_init(&w->stats, style);
	for (size_t i = 0; i < n; i++) {
		struct truth_launch *l = world_launch(w, i);

		l->start_ns = EPOCH + i * WORLD_STEP;
		l->end_ns = l->start_ns + workers * WORLD_STEP - 100;
		l->pid = 100 + i % pids;
		l->status = (i % 251) << 8;
		l->worker = i % workers;
		l->name = l->worker + 1;
	}
	w->truth.nnames = workers;
	for (unsigned i = 0; i < workers && i < TRUTH_MAX_NAMES; i++)
		snprintf(w->truth.name[i], sizeof(w->truth.name[i]), "testApp%u", i + 1);
	return w;
}

void world_free(struct world *w)
{
	recording_free(&w->rec);
	free(w->launch);
	free(w);
}

size_t world_index(const struct world *w, size_t i)
{
	return w->index[i % w->workers] + i / w->workers;
}

struct truth_launch *world_launch(const struct world *w, size_t i)
{
	return &w->launch[world_index(w, i)];
}

struct rec world_rec(const struct world *w, size_t i, enum event_kind kind)
{
	const struct truth_launch *l = world_launch(w, i);
	uint64_t end = l->end_ns ? l->end_ns : l->start_ns + 900;
	const uint64_t ts[EV_KINDS] = { l->start_ns + 50, l->start_ns + 100, end - 50 };

	return (struct rec){
		.ts_ns = ts[kind],
		.pid = l->pid,
		.kind = kind,
		.status = kind == EV_EXIT ? l->status : REC_NO_STATUS,
		.name = kind == EV_EXEC ? l->name : 0,
	};
}

static struct source_account *account_of(struct world *w, enum event_kind kind)
{
	for (unsigned i = 0; i < w->stats.naccounts; i++)
		if (w->stats.account[i].kinds & EV_MASK(kind))
			return &w->stats.account[i];
	fail_msg("kind %d is not watched", kind);
	return NULL;
}

void world_event(struct world *w, struct rec r, enum fate fate, bool ours)
{
	enum event_kind kind = rec_kind(&r);
	struct source_account *a = account_of(w, kind);
	uint64_t *const count[FATES] = {
		[DELIVERED] = &a->delivered,	       [RING_FULL] = &a->ring_full,
		[SOCKET_DROPPED] = &a->socket_dropped, [NOT_RUN] = &a->not_run,
		[ALLOC_FAILED] = &a->alloc_failed,     [FILTERED] = &a->filtered,
		[RECORD_FULL] = &a->delivered,
	};

	if (fate == VANISHED)
		return;
	a->generated++;
	++*count[fate];
	w->stats.seq_gaps += fate == SOCKET_DROPPED || fate == ALLOC_FAILED || fate == FILTERED;
	a->ring_full_ours += fate == RING_FULL && ours;
	if (fate == RECORD_FULL) {
		w->rec.full++;
		w->rec.full_by_kind[kind]++;
	}
	if (fate == DELIVERED) {
		assert_true(w->rec.n < w->rec.cap);
		w->rec.rec[w->rec.n++] = r;
	}
}

void world_launch_events(struct world *w, size_t i, unsigned kinds, enum fate fate)
{
	for (int k = 0; k < EV_KINDS; k++)
		world_event(w, world_rec(w, i, k), kinds & EV_MASK(k) ? fate : DELIVERED, true);
}

void world_deliver_all(struct world *w)
{
	for (size_t i = 0; i < w->n; i++)
		world_launch_events(w, i, 0, DELIVERED);
}

void world_shuffle(struct world *w, uint64_t seed)
{
	for (size_t i = w->rec.n; i > 1; i--) {
		size_t j = rng_next(&seed) % i;
		struct rec swap = w->rec.rec[i - 1];

		w->rec.rec[i - 1] = w->rec.rec[j];
		w->rec.rec[j] = swap;
	}
}

struct ledger world_reconcile(const struct world *w)
{
	struct ledger l;

	assert_int_equal(reconcile(&w->truth, &w->rec, &w->stats, &w->cfg, &l, NULL, NULL), 0);
	assert_true(l.identities_hold);
	return l;
}
