/* SPDX-License-Identifier: MIT */
/*
 * wire: what crosses from the BPF programs to user space; it and config.h are the headers that both
 * include.
 *
 * Fixed-width fields, no holes, sizes asserted: reserved ring memory is not zeroed, so each byte has
 * an owner that fills it.
 */
#ifndef PT_BPF_WIRE_H
#define PT_BPF_WIRE_H

/* vmlinux.h (BPF) or <linux/types.h> (user space) has been included before and brings __u32 and so on. */

enum pt_kind { PT_FORK, PT_EXEC, PT_EXIT, PT_KINDS };

enum pt_flags {
	PT_ARGS_TRUNCATED = 1 << 0,
	PT_PATH_TRUNCATED = 1 << 1,
	PT_ARGS_UNREADABLE = 1 << 2,
	PT_NONLEADER_EXEC = 1 << 3,
	PT_EXEC_FAILED = 1 << 4, /* status: the descriptor that the path is relative to */
	PT_THREAD = 1 << 5, /* fork of a thread */
};

#define PT_COMM_LEN 16
#define PT_PATH_MAX 4096 /* with the NUL */
#define PT_INTERP_MAX 256 /* the kernel reads no more of a #! line */
#define PT_CWD_MAX 4096
#define PT_NAME_MAX 256 /* one component of a path, with the NUL */
#define PT_ARGS_MAX (128 << 10) /* most that can be asked for */
#define PT_ARG_MAX 4096 /* of a failed exec: one argument */
#define PT_AT_FDCWD (-100)

/* Every record begins so; without pt_config.full it is the whole record. */
struct pt_record {
	__u64 ts_ns; /* CLOCK_MONOTONIC */
	__u32 pid, tid, ppid, uid; /* pid: thread group id, initial pid namespace */
	__u8 kind, flags;
	__u16 cpu;
	__s32 status; /* exit: as wait(2) reports it */
	__u64 duration_ns; /* exit: since the start of the process */
	__u64 cgroup_id;
	char comm[PT_COMM_LEN];
};

/* With pt_config.full. Strings of exec follow it: path, interp, cwd, args, as long as exec.*_len say. */
struct pt_full {
	struct pt_record rec;
	__u32 gid, euid, loginuid, sessionid; /* the latter two: all ones where there are none */
	__u32 ns_pid, pidns; /* in the innermost namespace of the process, and its inode number */
	__s32 error; /* PT_EXEC_FAILED: a positive errno */
	__u32 pad;
	char parent_comm[PT_COMM_LEN];
	union {
		struct { /* PT_EXEC */
			__u32 path_len, interp_len; /* with their NUL; 0: none */
			__u32 cwd_len; /* names from the innermost outwards, each with its NUL */
			__u32 args_len; /* argv as it lies in memory */
			char old_comm[PT_COMM_LEN]; /* [0] == 0: not known */
		} exec;
		struct { /* PT_EXIT with pt_config.want_usage: all threads */
			__u64 utime_ns, stime_ns; /* as sampled by the tick */
			__u64 runtime_ns; /* as the scheduler knows it */
			__u64 max_rss_pages;
		} exit;
	};
};

_Static_assert(sizeof(struct pt_record) == 64, "a record is one cache line");
_Static_assert(sizeof(struct pt_full) == 64 + 32 + 16 + 32, "no holes");

/* One row for each CPU, never reset. seen = filtered + submitted + ring_full, for each kind. */
struct pt_counters {
	__u64 seen[PT_KINDS], filtered[PT_KINDS], submitted[PT_KINDS], ring_full[PT_KINDS];
	__u64 ring_full_ours[PT_KINDS]; /* of ring_full, those of process group ours_pgid */
	__u64 track_failed; /* processes that could not be tracked: the table was full */
};

_Static_assert(sizeof(struct pt_counters) == 128, "rows share no cache line");

#endif
