// SPDX-License-Identifier: MIT
#include "event/event.h"

struct event event_empty(enum event_kind kind)
{
	return (struct event){
		.kind = kind,
		.cpu = EV_NO_CPU,
		.ts_ns = EV_NO_TIME,
		.rx_ns = EV_NO_TIME,
		.pid = EV_NO_PID,
		.tid = EV_NO_PID,
		.ppid = EV_NO_PID,
		.uid = EV_NO_UID,
		.status = EV_NO_STATUS,
		.duration_ns = EV_NO_TIME,
		.cgroup_id = EV_NO_CGROUP,
		.gid = EV_NO_GID,
		.euid = EV_NO_UID,
		.loginuid = EV_NO_UID,
		.sessionid = EV_NO_SESSION,
		.ns_pid = EV_NO_PID,
		.pidns = EV_NO_PIDNS,
		.cpu_user_ns = EV_NO_TIME,
		.cpu_sys_ns = EV_NO_TIME,
		.max_rss_bytes = EV_NO_SIZE,
	};
}

const char *event_kind_name(enum event_kind kind)
{
	static const char *const names[EV_KINDS] = { "fork", "exec", "exit" };

	return names[kind];
}
