/* SPDX-License-Identifier: MIT */
/*
 * tally: counts of events by program and by who started it, for the summary. Bounded memory: what has no
 * row of its own counts as "other". One thread at a time.
 */
#ifndef PT_SINK_TALLY_H
#define PT_SINK_TALLY_H

#include <stdbool.h>

#include "base/sketch.h"
#include "event/event.h"

#define TALLY_ROWS 4096
#define TALLY_SHORT_NS 100000000ULL /* a life under 100 ms is short */

/* One program; or one program as started by one parent. */
struct tally_row {
	char comm[16], parent[16]; /* parent: pairs only */
	pid_t ppid; /* pairs: the parent, if it was always the same process, else EV_NO_PID */
	uint64_t starts, ended, ok, failed, killed, short_lived;
	uint64_t cpu_ns;
	bool cpu_known;
	struct sketch *life; /* programs, once one has ended; owned */
};

struct tally_table {
	struct tally_row row[TALLY_ROWS], other; /* other: all that has no row */
	uint16_t slot[2 * TALLY_ROWS]; /* hash: index of the row + 1; 0: free */
	unsigned n;
};

struct tally {
	struct tally_table program, pair;
	struct tally_row all;
	uint64_t failed_execs, lost;
	uint64_t first_ns, last_ns; /* time stamps of the events; EV_NO_TIME: there was none */
};

/* NULL: no memory. */
struct tally *tally_new(void);
/* NULL-safe. */
void tally_free(struct tally *t);
void tally_reset(struct tally *t);
/* @parent: name of the parent of @ev, "" if unknown. */
void tally_take(struct tally *t, const struct event *ev, const char parent[16]);
/* Fills @top with the @n rows of @tab that started most, the first one most; returns how many there are. */
unsigned tally_top(const struct tally_table *tab, const struct tally_row **top, unsigned n);

#endif
