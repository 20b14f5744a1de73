/* SPDX-License-Identifier: MIT */
/*
 * record_sink: the sink of `bench`. Appends each event to a recording; a few ns an event, no
 * allocation, no system call. One reader thread writes; others may read what `n` has published.
 */
#ifndef PT_BENCH_RECORD_SINK_H
#define PT_BENCH_RECORD_SINK_H

#include "bench/recording.h"
#include "sink/sink.h"

/*
 * @r is borrowed and must outlive the sink; recording_reset() between cells is fine while no source
 * drains. @name holds the @nnames comm values that launches can have (truth.name; at most
 * TRUTH_MAX_NAMES are looked at); it is copied. NULL: no memory.
 */
struct sink *record_sink_new(struct recording *r, const char (*name)[16], unsigned nnames);

#endif
