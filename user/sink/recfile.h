/* SPDX-License-Identifier: MIT */
/* recfile: a sink that writes the recording of event/recformat.h, for `trace --record`. */
#ifndef PT_SINK_RECFILE_H
#define PT_SINK_RECFILE_H

#include <stdbool.h>

#include "sink/sink.h"

struct sink_recfile_cfg {
	int fd; /* borrowed */
	bool wall_known; /* wall_offset_ns is given (a replay), else that of now is taken */
	int64_t wall_offset_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
};

/* NULL: no memory. */
struct sink *sink_recfile_new(const struct sink_recfile_cfg *cfg);

#endif
