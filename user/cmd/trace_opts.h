/* SPDX-License-Identifier: MIT */
/* trace_opts: what the user of `trace` asked for, checked. */
#ifndef PT_CMD_TRACE_OPTS_H
#define PT_CMD_TRACE_OPTS_H

#include "base/opt.h"
#include "cmd/trace_filter.h"
#include "cmd/trace_output.h"
#include "source/source.h"

struct trace_opts {
	const char *source, *btf;
	struct opt_list events;
	struct trace_filter_opts filter;
	uint64_t duration_ns;
	size_t args_max, ring, rcvbuf;
	int attach;
	struct trace_output_opts out;
	bool cwd, usage, failed, threads;
};

/* Parses argv; @first_operand gets the index of the COMMAND. 0; 1: --help was printed; -EINVAL. */
int trace_opts_parse(struct trace_opts *o, const struct command *cmd, int argc, char **argv,
		     int *first_operand, struct err *e);
/* Sets @f from the options. 0 or -EINVAL. */
int trace_opts_filter(const struct trace_opts *o, struct filter *f, struct err *e);
/* Chooses the source and sets what it is told, but for sink, filter and wake_fd. 0 or -EINVAL. */
int trace_opts_source(const struct trace_opts *o, bool has_command, struct source *s,
		      struct err *e);

#endif
