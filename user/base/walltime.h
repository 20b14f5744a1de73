/* SPDX-License-Identifier: MIT */
/*
 * walltime: the time of day of a CLOCK_MONOTONIC time stamp, fast: the text of each second is made once.
 *
 * CLOCK_MONOTONIC stands still while the machine sleeps and the wall clock is set now and then, so a
 * live one measures their distance anew each second. One thread at a time.
 */
#ifndef PT_BASE_WALLTIME_H
#define PT_BASE_WALLTIME_H

#include <stdbool.h>
#include <stdint.h>

#define WALLTIME_ISO_LEN 30 /* 2026-12-01T01:02:12.123456789Z */
#define WALLTIME_CLOCK_LEN 12 /* 01:02:12.123, local time */

struct walltime {
	bool fixed; /* offset_ns is given (a recording), not measured */
	bool local; /* text is local time, else UTC */
	int64_t offset_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
	int64_t second; /* the one in @text; INT64_MIN: none */
	uint64_t measured_ns; /* mono time for which the offset was measured */
	char text[24]; /* "2026-12-01T01:02:12" */
};

struct walltime walltime_live(bool local);
struct walltime walltime_fixed(bool local, int64_t offset_ns);
/* CLOCK_REALTIME - CLOCK_MONOTONIC, now. */
int64_t walltime_offset_now(void);

/* Writes exactly so many bytes, no NUL. */
void walltime_iso(struct walltime *w, uint64_t mono_ns, char dst[WALLTIME_ISO_LEN]);
void walltime_clock(struct walltime *w, uint64_t mono_ns, char dst[WALLTIME_CLOCK_LEN]);

#endif
