/* SPDX-License-Identifier: MIT */
/* trace_filter: the options that say which processes `trace` shows. */
#ifndef PT_CMD_TRACE_FILTER_H
#define PT_CMD_TRACE_FILTER_H

#include "base/opt.h"
#include "event/filter.h"

/* Those that can be said both ways: --X and --exclude-X. */
enum trace_filter_row {
	TF_NAME,
	TF_REGEX,
	TF_PATH,
	TF_PID,
	TF_PPID,
	TF_DESCENDANTS,
	TF_UID,
	TF_USER,
	TF_CGROUP,
	TF_CONTAINER,
	TF_ROWS
};

struct trace_filter_opts {
	struct opt_list row[TF_ROWS][FILTER_SENSES];
	struct opt_list status;
	uint64_t min_duration_ns;
	const char *pidns;
};

extern const struct opt trace_filter_table[];

/* Sets @f, but for its kinds. 0 or -errno with a sentence. */
int trace_filter_apply(const struct trace_filter_opts *o, struct filter *f, struct err *e);

#endif
