/* SPDX-License-Identifier: MIT */
/*
 * recording: what one source delivered during one cell, compact (16 bytes an event), for reconcile.
 *
 * Written by one reader thread (record_sink), and read at the same time by the command's thread, which
 * looks for canaries and probes: `n` is published with release, read with acquire. Memory is
 * allocated and prefaulted beforehand; what does not fit is counted in `full`.
 */
#ifndef PT_BENCH_RECORDING_H
#define PT_BENCH_RECORDING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hist.h"
#include "event/event.h"

struct rec {
	uint64_t ts_ns; /* kernel's time stamp */
	uint32_t pid; /* thread group id */
	uint16_t status; /* EXIT: raw wait status; REC_NO_STATUS: the mechanism does not tell */
	uint8_t kind; /* enum event_kind, read with rec_kind(); perhaps with REC_FROM_FUTURE */
	uint8_t name; /* EXEC: 1…: index + 1 into truth.name; 0: no name known; REC_NAME_OTHER: another name */
};

#define REC_NAME_OTHER 255
#define REC_NO_STATUS 0xffff /* "continued" in the language of wait(2): no exit has it */
#define REC_FROM_FUTURE 0x80 /* the kernel's stamp was later than the moment of reading it */

static inline enum event_kind rec_kind(const struct rec *r)
{
	return (enum event_kind)(r->kind & ~REC_FROM_FUTURE);
}

struct recording {
	struct rec *rec;
	_Atomic size_t n;
	size_t cap;
	uint64_t full; /* events that did not fit */
	uint64_t full_by_kind[EV_KINDS];
	uint64_t gone; /* EXEC events whose name was looked for when the process was gone */
	uint64_t threads; /* events of threads, not of processes: seen and left out */
	struct hist latency; /* rx_ns - ts_ns of every event taken */
};

/* Allocates and prefaults room for @cap events. 0 or -ENOMEM. */
int recording_init(struct recording *r, size_t cap);
/* Empties it for the next cell; keeps the memory. */
void recording_reset(struct recording *r);
/* NULL-safe, partial-safe. */
void recording_free(struct recording *r);

#endif
