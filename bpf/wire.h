/* SPDX-License-Identifier: MIT */
/*
 * wire: what crosses between the BPF programs and user space; the only header that both include.
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
};

#define PT_COMM_LEN 16
#define PT_PATH_MAX 4096 /* with the NUL */
#define PT_ARGS_MAX 16384 /* most that --args can ask for */

/* Every record begins so; for fork, exit, and exec without strings it is the whole record. */
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

/* exec with strings: path (with its NUL), then args (argv as it lies in memory). */
struct pt_exec {
	struct pt_record rec;
	__u32 path_len, args_len;
	char data[PT_PATH_MAX + PT_ARGS_MAX];
};

_Static_assert(sizeof(struct pt_record) == 64, "a record is one cache line");
_Static_assert(sizeof(struct pt_exec) == 72 + PT_PATH_MAX + PT_ARGS_MAX, "no holes");

/* Per CPU, never reset. seen = filtered + submitted + ring_full, for each kind. */
struct pt_counters {
	__u64 seen[PT_KINDS], filtered[PT_KINDS], submitted[PT_KINDS], ring_full[PT_KINDS];
	__u64 ring_full_ours[PT_KINDS]; /* of ring_full, those of process group ours_pgid */
	__u64 follow_failed; /* descendants that could not be followed: the table was full */
};

/*
 * Settings, in read-only data that is frozen before the programs are verified: the verifier sees
 * constants and removes what an unused option would do.
 */
struct pt_config {
	__u64 cgroup_id; /* deliver only this cgroup and below, if cgroup_level > 0 */
	__u64 wake_bytes; /* wake the reader early when so much is waiting */
	__u32 kinds; /* mask of 1 << pt_kind */
	__u32 pid; /* 0: any */
	__u32 uid; /* with has_uid */
	__u32 ours_pgid; /* 0: none */
	__u32 args_max; /* bytes of argv, at most PT_ARGS_MAX */
	__u32 name_len; /* 0: any name */
	char name[PT_COMM_LEN]; /* comm must contain it */
	__s32 cgroup_level; /* depth below the root of the v2 hierarchy */
	__u8 has_uid, follow, want_path, want_args;
	__u8 has_group_dead; /* the exit tracepoint tells when the last thread goes */
	__u8 pad[3];
};

_Static_assert(sizeof(struct pt_config) == 72, "no holes");

/* Which process was already reported as ended; kernels without group_dead only. */
struct pt_life {
	__u64 start_ns;
	__u64 pid;
};

#endif
