/* SPDX-License-Identifier: MIT */
/*
 * losses: which events a mechanism lost, in order of time: from the masks that reconcile() leaves. Pure.
 */
#ifndef PT_BENCH_LOSSES_H
#define PT_BENCH_LOSSES_H

#include <stddef.h>
#include <stdint.h>

#include "bench/recording.h"
#include "load/truth.h"

#define LOSSES_NEVER UINT64_MAX /* null in JSON */

/* A launch is hit if any of its events was lost. Times are ns since the load began. */
struct losses {
	uint64_t hit; /* launches */
	uint64_t exec_only, exit_only; /* … that lost this one alone */
	uint64_t runs, longest; /* unbroken runs of launches that were hit */
	uint64_t first_ns, last_ns; /* starts of the first and the last one hit */
	/* Of an injected stall: when the reader really stood still, and went on. */
	uint64_t stall_begin_ns, stall_end_ns;
	/* Between the stall's begin and the first launch hit: events delivered, which the buffer held, and
	 * launches started; until the end if none was hit. */
	uint64_t held_events, held_launches;
	/* All processes' events: on how many CPUs some were dropped, and how many on the one with most; 0 CPUs
	 * where the mechanism does not tell. */
	uint64_t cpus, cpu_most;
	/* Launches hit that started after the reader had gone on. */
	uint64_t hit_after;
};

struct losses_cfg {
	unsigned kinds; /* mask of those watched */
	uint64_t began_ns; /* of the load, CLOCK_MONOTONIC */
	uint64_t stall_begin_ns, stall_end_ns; /* CLOCK_MONOTONIC; 0: no stall */
};

/* @seen as reconcile() filled it. 0 or -ENOMEM. */
int losses_find(const struct truth *truth, const uint8_t *seen, const struct recording *rec,
		const struct losses_cfg *cfg, struct losses *out);

#endif
