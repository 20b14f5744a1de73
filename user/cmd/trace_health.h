/* SPDX-License-Identifier: MIT */
/* trace_health: what `trace` says of itself on stderr: each second, and at the end. */
#ifndef PT_CMD_TRACE_HEALTH_H
#define PT_CMD_TRACE_HEALTH_H

#include "sink/tee.h"
#include "source/source.h"

struct trace_health {
	uint64_t last_ns; /* when the last line was printed; 0: never */
	uint64_t events, lost; /* by then */
	uint64_t cpu_ns; /* time that this process had used by then */
};

/* Prints a line if a second has passed since the last one. */
void trace_health_tick(struct trace_health *h, const struct tee *tee, struct source *s);
/* Prints the last line: events of the kinds that were @shown, and every loss by its place. */
void trace_totals_print(const struct tee *tee, unsigned shown, struct source *s, uint64_t start_ns);

#endif
