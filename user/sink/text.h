/* SPDX-License-Identifier: MIT */
/*
 * text: a sink for people: one line an event, in aligned columns under one header line.
 *
 * Every string is escaped; arguments are shown as words that a shell would read back. Errors are known
 * after flush(). One thread at a time.
 */
#ifndef PT_SINK_TEXT_H
#define PT_SINK_TEXT_H

#include <stdbool.h>

#include "sink/columns.h"
#include "sink/sink.h"

struct sink_text_cfg {
	int fd; /* borrowed */
	struct outfile *file; /* borrowed: what @fd is open for, to be begun anew; or NULL */
	unsigned width; /* of the terminal: longer lines are cut; 0: never */
	bool resize; /* the terminal's width is asked for again now and then */
	bool color;
	bool wall_known; /* wall_offset_ns is given (a replay), else the clocks of now are used */
	int64_t wall_offset_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
	enum text_time time;
	unsigned hidden; /* mask of kinds that are only there for the tree */
	const char *const *columns; /* names that columns_choose() takes; NULL: those of @list */
	unsigned ncolumns;
	const char *list; /* NULL: COLUMNS_DEFAULT */
	struct cgroups *cgroups; /* borrowed; NULL: no paths */
};

/* NULL: no memory. */
struct sink *sink_text_new(const struct sink_text_cfg *cfg);

#endif
