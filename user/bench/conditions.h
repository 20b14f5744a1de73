/* SPDX-License-Identifier: MIT */
/*
 * conditions: what is special about one scenario, beyond its load: sizes, injected faults, where the
 * readers have to live. A scenario of zeros is measured as the command's own options say.
 *
 * The same struct stands in the plan, goes through the cell and is kept in each run of the report.
 */
#ifndef PT_BENCH_CONDITIONS_H
#define PT_BENCH_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

enum reader_place {
	READER_FREE, /* as the scheduler likes */
	READER_STARVED, /* at nice 19, with a spinning competitor of nice 0 on each CPU */
	READER_PINNED, /* on one CPU, and the launchers too */
	READER_LIMITED, /* in a cgroup that may use cpu_limit_pct of one CPU */
	READER_PLACES
};

struct conditions {
	uint64_t ring_bytes, rcvbuf_bytes; /* 0: as the options say */
	/* The reader stands still for stall_ns, stall_after_ns after the load began, and then each
	 * stall_every_ns (0: only once). stall_ns 0: as the options say. */
	uint64_t stall_ns, stall_after_ns, stall_every_ns;
	uint32_t place; /* enum reader_place */
	uint32_t cpu_limit_pct; /* READER_LIMITED */
	bool unwatched; /* the monitor filters for other processes: the load only feels that it is there */
	bool twice; /* the load runs again after a pause of pause_ns, before the same monitor */
	uint64_t pause_ns;
	uint64_t lifetime_ns; /* how long each testApp lives, beyond its start */
	bool lifetime_sleeps; /* … asleep, not running */
};

#endif
