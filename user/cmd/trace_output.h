/* SPDX-License-Identifier: MIT */
/* trace_output: where the events of `trace` go, and as what: options, files, sinks. */
#ifndef PT_CMD_TRACE_OUTPUT_H
#define PT_CMD_TRACE_OUTPUT_H

#include "base/opt.h"
#include "base/outfile.h"
#include "sink/tee.h"
#include "source/source.h"

struct trace_output_opts {
	const char *output, *record, *timeline;
	struct opt_list columns;
	uint64_t interval_ns;
	size_t rotate; /* 0: never */
	uint32_t rotate_keep, top;
	int time, color;
	bool json, wide, tree, join, summary, stats;
};

#define TRACE_OUTPUT_DEFAULTS               \
	{                                   \
		.rotate_keep = 5, .top = 10 \
	}

/* Fields of struct trace_output_opts. */
extern const struct opt trace_output_table[];

struct trace_output {
	struct trace_output_opts opts;
	unsigned kinds; /* that the user wants to see */
	struct tee tee; /* what the source writes to */
	struct cgroups *cgroups;
	struct outfile file; /* with --rotate: what @fd is open for */
	int fd, record_fd, timeline_fd; /* -1: none */
	uint64_t flush_ns; /* when it was last written out */
	bool waiting; /* something has not been written out yet */
};

void trace_output_init(struct trace_output *o, const struct trace_output_opts *opts);
/* Whether only the list of columns is asked for: prints it. */
bool trace_output_help(const struct trace_output_opts *opts);
/* Refuses what does not go together. 0 or -EINVAL and a sentence. */
int trace_output_check(const struct trace_output_opts *opts, struct err *e);
/* The kinds of events that must come in so that @shown can be shown as asked. */
unsigned trace_output_kinds(const struct trace_output_opts *opts, unsigned shown);
/* Opens the files. With a command the default is stderr: stdout is the command's. */
int trace_output_open(struct trace_output *o, bool has_command, const struct source *s,
		      struct err *e);
/* Makes the sinks, which show @kinds. The source is open (a recording knows its own clock). */
int trace_output_start(struct trace_output *o, const struct source *s, unsigned kinds,
		       struct err *e);
/*
 * Writes out what is due: at once where events come slowly, together where they come fast. @all: what
 * is buffered, due or not. 0 or the first -errno of any sink.
 */
int trace_output_flush(struct trace_output *o, bool all);
/* The same at the end of the trace: what was kept back is written, files are brought to their end. */
int trace_output_finish(struct trace_output *o);
/* In how many ms something is due; -1: nothing is. */
int trace_output_wait_ms(const struct trace_output *o);
/* NULL-safe parts. */
void trace_output_close(struct trace_output *o);

#endif
