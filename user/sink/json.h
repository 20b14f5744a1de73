/* SPDX-License-Identifier: MIT */
/*
 * json: a sink for programs: one JSON object a line.
 *
 *   event     "exec", "exit", "fork", "lost"; lost has "kind" (absent: unknown), "count" and "place" only;
 *             "mismatch": "only" one of two sources saw the "kind" of event, of "pid", at "ts"
 *   ts        wall clock, UTC, nanoseconds      mono_ns   CLOCK_MONOTONIC of the same moment
 *   cpu, pid, tid (only where it differs), ppid, ns_pid, pidns
 *   uid, gid, euid, loginuid, sessionid
 *   cgroup_id, cgroup (path), container
 *   comm, old_comm, parent_comm
 *   path, interp, cwd, args                     exec; "failed", error, error_name where it failed
 *   exit_code | signal, signal_name, core       exit; and duration_ns, cpu_user_ns, cpu_sys_ns, max_rss_bytes
 *   args_truncated, path_truncated, args_unreadable, nonleader_exec, name_late, gone, thread: true, or absent
 *
 * What is not known is left out. A string with bytes that are no UTF-8 shows them as U+FFFD; comm_hex,
 * path_hex, args_hex (each argument followed by 00) and so on then hold the bytes themselves.
 * Errors are known after flush(). One thread at a time.
 */
#ifndef PT_SINK_JSON_H
#define PT_SINK_JSON_H

#include <stdbool.h>

#include "base/outfile.h"
#include "sink/cgroups.h"
#include "sink/sink.h"

struct sink_json_cfg {
	int fd; /* borrowed */
	struct outfile *file; /* borrowed: what @fd is open for, to be begun anew; or NULL */
	bool wall_known; /* wall_offset_ns is given (a replay), else the clocks of now are used */
	int64_t wall_offset_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
	struct cgroups *cgroups; /* borrowed; NULL: no paths, as in a recording of another time */
};

/* NULL: no memory. */
struct sink *sink_json_new(const struct sink_json_cfg *cfg);

#endif
