/* SPDX-License-Identifier: MIT */
/*
 * world: launches and a mechanism that watches them, made up for tests of reconcile.
 *
 * The mechanism keeps its own counters, as a real one does: they never come from truth. Launch i is
 * by worker i % workers, with pid 100 + i % pids; a window has room before, between and behind its
 * events, and before the next window of its pid.
 */
#ifndef PT_TESTS_WORLD_H
#define PT_TESTS_WORLD_H

#include "bench/reconcile.h"

#define WORLD_STEP 1000 /* ns from one launch to the next */
#define WORLD_NO_PID 4000000 /* a pid that no launch has */

enum world_style {
	WORLD_BPF, /* one account a kind, knows ours */
	WORLD_NETLINK, /* one account for all, counts messages of every type */
};

enum fate {
	DELIVERED,
	RING_FULL,
	SOCKET_DROPPED,
	NOT_RUN,
	ALLOC_FAILED,
	FILTERED,
	RECORD_FULL, /* delivered, but the recording has no room */
	VANISHED, /* the mechanism never knew of it */
	FATES
};

struct world {
	struct truth truth;
	struct truth_launch *launch; /* in segment order */
	size_t n, index[TRUTH_MAX_SEGMENTS]; /* index: first launch of a worker */
	unsigned workers;
	struct recording rec;
	struct source_stats stats;
	struct reconcile_cfg cfg;
};

struct world *world_new(enum world_style style, size_t n, unsigned workers, unsigned pids);
void world_free(struct world *w);

/* Index in segment order of launch i in order of time, and the launch. */
size_t world_index(const struct world *w, size_t i);
struct truth_launch *world_launch(const struct world *w, size_t i);
/* The event that launch i really caused. */
struct rec world_rec(const struct world *w, size_t i, enum event_kind kind);
/* The mechanism meets an event. */
void world_event(struct world *w, struct rec r, enum fate fate, bool ours);
/* The events of launch i in their order: each of @kinds meets @fate, the others are delivered. */
void world_launch_events(struct world *w, size_t i, unsigned kinds, enum fate fate);
/* Delivers all events of all launches. */
void world_deliver_all(struct world *w);
void world_shuffle(struct world *w, uint64_t seed);
/* Reconciles; the identities must hold. */
struct ledger world_reconcile(const struct world *w);

/* A fixed sequence of pseudo-random numbers (xorshift); @state is not 0. */
uint64_t rng_next(uint64_t *state);

#define assert_line(line, exp, mat, rep, unexp, over, unc)   \
	do {                                                 \
		const struct ledger_line line_ = (line);     \
		assert_int_equal(line_.expected, exp);       \
		assert_int_equal(line_.matched, mat);        \
		assert_int_equal(line_.lost, (exp) - (mat)); \
		assert_int_equal(line_.reported, rep);       \
		assert_int_equal(line_.unexplained, unexp);  \
		assert_int_equal(line_.over_reported, over); \
		assert_int_equal(line_.uncertain, unc);      \
	} while (0)

#define assert_line_unknown(line, exp, mat) \
	assert_line(line, exp, mat, LEDGER_UNKNOWN, LEDGER_UNKNOWN, LEDGER_UNKNOWN, LEDGER_UNKNOWN)

#endif
