// SPDX-License-Identifier: MIT
/* losses: which launches were hit, in which order, and what a full buffer held. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench/losses.h"
#include "world.h"

#define BOTH (EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT))

static struct losses find(const struct world *w, uint64_t stall_begin, uint64_t stall_end)
{
	uint8_t *seen = calloc(w->n, 1);
	struct losses_cfg cfg = { .kinds = BOTH,
				  .began_ns = world_launch(w, 0)->start_ns,
				  .stall_begin_ns = stall_begin,
				  .stall_end_ns = stall_end };
	struct ledger l;
	struct losses out;

	assert_int_equal(reconcile(&w->truth, &w->rec, &w->stats, &w->cfg, &l, seen, NULL), 0);
	assert_int_equal(losses_find(&w->truth, seen, &w->rec, &cfg, &out), 0);
	free(seen);
	return out;
}

static void nothing_is_lost(void **state)
{
	struct world *w = world_new(WORLD_BPF, 100, 2, 50);
	struct losses l;

	(void)state;
	world_deliver_all(w);
	l = find(w, 0, 0);
	assert_int_equal(l.hit, 0);
	assert_int_equal(l.runs, 0);
	assert_true(l.first_ns == LOSSES_NEVER && l.stall_begin_ns == LOSSES_NEVER);
	world_free(w);
}

/* Launches of three workers are told apart by time, not by worker. */
static void runs_are_counted_in_order_of_time(void **state)
{
	struct world *w = world_new(WORLD_BPF, 100, 3, 50);
	struct losses l;

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		const unsigned lost = i == 7		  ? EV_MASK(EV_EXEC)
				      : i == 8		  ? EV_MASK(EV_EXIT)
				      : i >= 20 && i < 30 ? BOTH
							  : 0;

		world_launch_events(w, i, lost, RING_FULL);
	}
	l = find(w, 0, 0);
	assert_int_equal(l.hit, 12);
	assert_int_equal(l.exec_only, 1);
	assert_int_equal(l.exit_only, 1);
	assert_int_equal(l.runs, 2);
	assert_int_equal(l.longest, 10);
	assert_int_equal(l.first_ns, world_launch(w, 7)->start_ns - world_launch(w, 0)->start_ns);
	assert_int_equal(l.last_ns, world_launch(w, 29)->start_ns - world_launch(w, 0)->start_ns);
	world_free(w);
}

/* The reader stops before launch 10 and goes on before 50; the buffer holds 20 launches. */
static void a_buffer_holds_what_came_before_the_first_loss(void **state)
{
	struct world *w = world_new(WORLD_BPF, 100, 1, 50);
	struct losses l;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		world_launch_events(w, i, i >= 30 && i < 53 ? BOTH : 0, RING_FULL);
	l = find(w, world_launch(w, 10)->start_ns, world_launch(w, 50)->start_ns);
	assert_int_equal(l.held_launches, 20);
	assert_int_equal(l.held_events, 40);
	assert_int_equal(l.stall_begin_ns,
			 world_launch(w, 10)->start_ns - world_launch(w, 0)->start_ns);
	assert_int_equal(l.hit_after, 2); /* 51 and 52: 50 starts at the very moment */
	world_free(w);
}

static void without_a_loss_the_buffer_held_the_whole_stall(void **state)
{
	struct world *w = world_new(WORLD_BPF, 100, 1, 50);
	struct losses l;

	(void)state;
	world_deliver_all(w);
	l = find(w, world_launch(w, 10)->start_ns, world_launch(w, 50)->start_ns);
	assert_int_equal(l.held_launches, 40);
	assert_int_equal(l.hit_after, 0);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(runs_are_counted_in_order_of_time),
		cmocka_unit_test(a_buffer_holds_what_came_before_the_first_loss),
		cmocka_unit_test(without_a_loss_the_buffer_held_the_whole_stall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
