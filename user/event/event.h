/* SPDX-License-Identifier: MIT */
/*
 * event: the one language between sources and sinks.
 *
 * A source fills a struct event on its stack and hands it to a sink; the event and every string in
 * it live only during that call. Strings come from processes and are hostile: any byte, no
 * terminator. What a mechanism cannot know is an explicit "absent" value, never 0.
 */
#ifndef PT_EVENT_EVENT_H
#define PT_EVENT_EVENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum event_kind { EV_FORK, EV_EXEC, EV_EXIT, EV_KINDS };

#define EV_MASK(kind) (1U << (kind))
#define EV_MASK_ALL (EV_MASK(EV_FORK) | EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT))

#define EV_NO_PID ((pid_t)-1)
#define EV_NO_UID ((uid_t)-1)
#define EV_NO_STATUS (-1)
#define EV_NO_TIME UINT64_MAX
#define EV_NO_CGROUP UINT64_MAX
#define EV_NO_CPU UINT32_MAX
#define EV_NO_GID ((gid_t)-1)
#define EV_NO_SESSION UINT32_MAX
#define EV_NO_PIDNS UINT64_MAX
#define EV_NO_SIZE UINT64_MAX

enum event_flags {
	EVF_ARGS_TRUNCATED = 1 << 0, /* argv was longer than what was captured */
	EVF_PATH_TRUNCATED = 1 << 1,
	EVF_ARGS_UNREADABLE =
		1 << 2, /* argv could not be read: args is empty though argv was not */
	EVF_NONLEADER_EXEC = 1 << 3, /* a thread other than the leader called exec */
	EVF_NAME_LATE = 1 << 4, /* the name was read after the event (netlink-names) */
	EVF_GONE = 1 << 5, /* the name was looked for and the process was gone */
	EVF_EXEC_FAILED = 1 << 6, /* EXEC that failed with @error; only where it was asked for */
	EVF_THREAD = 1 << 7, /* FORK of a thread; only where it was asked for */
};

struct str {
	const char *p; /* NULL: absent (not captured, or unknown to this mechanism) */
	size_t len;
};

struct event {
	enum event_kind kind;
	uint32_t cpu, flags;
	uint64_t ts_ns; /* CLOCK_MONOTONIC, stamped by the kernel */
	uint64_t rx_ns; /* CLOCK_MONOTONIC, when the reader took it out of the buffer */
	pid_t pid; /* thread group id, initial pid namespace; FORK: the child */
	pid_t tid; /* the thread; FORK of a thread: tid != pid */
	pid_t ppid; /* the real parent's thread group id */
	uid_t uid; /* real uid */
	int status; /* EXIT: as wait(2) reports it, raw */
	uint64_t duration_ns; /* EXIT: since the start of the process */
	char comm[16]; /* NUL-padded, need not be terminated; [0] == 0: absent */
	struct str path; /* EXEC: the file name that the kernel was given */
	struct str
		args; /* EXEC: argv, each argument followed by NUL (the last one too, unless cut) */
	uint64_t cgroup_id;
	/* Captured by the bpf source on request (source_cfg.full and others); absent elsewhere. */
	char parent_comm[16]; /* of the real parent; [0] == 0: absent */
	char old_comm[16]; /* EXEC: before it; [0] == 0: absent */
	gid_t gid;
	uid_t euid, loginuid; /* loginuid: EV_NO_UID also where none is set */
	uint32_t sessionid; /* audit session; EV_NO_SESSION */
	pid_t ns_pid; /* in the innermost pid namespace of the process */
	uint64_t pidns; /* inode number of that namespace; EV_NO_PIDNS */
	struct str interp; /* EXEC of a script: the interpreter that runs it */
	struct str cwd; /* EXEC: working directory */
	int error; /* EVF_EXEC_FAILED: a positive errno */
	uint64_t cpu_user_ns, cpu_sys_ns; /* EXIT: all threads of the process; EV_NO_TIME */
	uint64_t max_rss_bytes; /* EXIT: peak; EV_NO_SIZE */
};

/* An event of @kind with every field absent. */
struct event event_empty(enum event_kind kind);

/* "fork", "exec" or "exit". */
const char *event_kind_name(enum event_kind kind);

#endif
