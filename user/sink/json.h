/* SPDX-License-Identifier: MIT */
/*
 * json: a sink for programs: one JSON object a line.
 *
 *   event     "exec", "exit", "fork", "lost"; lost has "kind" (absent: unknown), "count" and "place" only
 *   ts        wall clock, UTC, nanoseconds      mono_ns   CLOCK_MONOTONIC of the same moment
 *   pid, tid (only where it differs), ppid, uid, cgroup_id, comm
 *   path, args                                  exec
 *   exit_code | signal, signal_name, core       exit; and duration_ns
 *   args_truncated, path_truncated, args_unreadable, nonleader_exec, name_late, gone: true, or absent
 *
 * What is not known is left out. A string with bytes that are no UTF-8 shows them as U+FFFD; comm_hex,
 * path_hex, args_hex (each argument followed by 00) then hold the bytes themselves.
 * Errors are known after flush(). One thread at a time.
 */
#ifndef PT_SINK_JSON_H
#define PT_SINK_JSON_H

#include <stdbool.h>

#include "sink/sink.h"

struct sink_json_cfg {
	int fd; /* borrowed */
	bool wall_known; /* wall_offset_ns is given (a replay), else the clocks of now are used */
	int64_t wall_offset_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
};

/* NULL: no memory. */
struct sink *sink_json_new(const struct sink_json_cfg *cfg);

#endif
