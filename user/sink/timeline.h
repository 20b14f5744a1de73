/* SPDX-License-Identifier: MIT */
/*
 * timeline: a sink that writes Chrome's trace event format, which ui.perfetto.dev and chrome://tracing open:
 * a track for each process, in one group with all descendants of the first one that was seen; a slice
 * for each program that the process was, with an arrow from the parent's.
 *
 * Every B has its E: finish() ends what still runs. Times are µs since CLOCK_MONOTONIC's beginning. Bounded
 * memory. Errors are known after flush(). One thread at a time.
 */
#ifndef PT_SINK_TIMELINE_H
#define PT_SINK_TIMELINE_H

#include <stdbool.h>

#include "sink/sink.h"

struct sink_timeline_cfg {
	int fd; /* borrowed */
	bool wall_known; /* wall_offset_ns is given (a replay), else that of now is taken */
	int64_t wall_offset_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
};

/* NULL: no memory. */
struct sink *sink_timeline_new(const struct sink_timeline_cfg *cfg);

#endif
