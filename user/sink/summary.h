/* SPDX-License-Identifier: MIT */
/*
 * summary: a sink that counts instead of showing each event: programs, how long they lived and how they
 * ended, and who started them; at the end, or each so often. Bounded memory. One thread at a time.
 */
#ifndef PT_SINK_SUMMARY_H
#define PT_SINK_SUMMARY_H

#include <stdbool.h>

#include "base/outfile.h"
#include "sink/sink.h"

struct sink_summary_cfg {
	int fd; /* borrowed */
	struct outfile *file; /* borrowed, or NULL */
	bool json, color;
	bool live; /* events come now: the clock goes on between them */
	uint64_t interval_ns; /* 0: only at the end */
	unsigned top; /* rows of a table */
	bool wall_known; /* wall_offset_ns is given (a replay), else the clocks of now are used */
	int64_t wall_offset_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
};

/* NULL: no memory. */
struct sink *sink_summary_new(const struct sink_summary_cfg *cfg);

#endif
