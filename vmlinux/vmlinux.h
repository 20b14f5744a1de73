/* SPDX-License-Identifier: MIT */
/*
 * vmlinux: the few kernel types and fields that the BPF programs read, by hand, the same for every
 * architecture. Offsets here mean nothing: preserve_access_index makes libbpf relocate each access to
 * the running kernel's BTF (CO-RE). See README.md beside this file for how to add a field;
 * scripts/check-vmlinux.sh proves each one against the running kernel.
 */
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;

/* bpf_helper_defs.h names these. */
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;
typedef __u16 __sum16;

typedef int pid_t;
typedef _Bool bool;

enum {
	false = 0,
	true = 1,
};

/* The BPF interface itself: stable numbers of include/uapi/linux/bpf.h. */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
};

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
};

enum {
	BPF_F_MMAPABLE = 1024,
};

enum {
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
};

enum {
	BPF_RB_AVAIL_DATA = 0,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

enum pid_type {
	PIDTYPE_PID = 0,
	PIDTYPE_TGID = 1,
	PIDTYPE_PGID = 2,
	PIDTYPE_SID = 3,
	PIDTYPE_MAX = 4,
};

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	unsigned int val;
} kuid_t;

typedef struct {
	unsigned int val;
} kgid_t;

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct cred {
	kuid_t uid;
	kgid_t gid;
	kuid_t euid;
};

struct mm_struct {
	unsigned long arg_start;
	unsigned long arg_end;
	unsigned long hiwater_rss;
};

struct percpu_counter {
	long long count;
};

/* Since Linux 6.2. */
struct mm_struct___percpu {
	struct percpu_counter rss_stat[4];
};

struct signal_struct {
	atomic_t live;
	struct pid *pids[PIDTYPE_MAX];
	unsigned int flags;
	int group_exit_code;
	__u64 utime;
	__u64 stime;
	unsigned long maxrss;
	unsigned long long sum_sched_runtime;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct fs_struct {
	struct path root;
	struct path pwd;
};

struct cgroup;

/* Until Linux 6.1. */
struct cgroup___ids {
	int level;
	__u64 ancestor_ids[1];
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct sched_entity {
	__u64 sum_exec_runtime;
};

struct task_struct {
	pid_t pid;
	pid_t tgid;
	int exit_code;
	__u64 start_time; /* CLOCK_MONOTONIC, ns */
	__u64 utime;
	__u64 stime;
	struct sched_entity se;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct mm_struct *mm;
	struct fs_struct *fs;
	struct css_set *cgroups;
	struct signal_struct *signal;
	struct cred *cred;
	char comm[16];
};

/* With CONFIG_AUDIT. */
struct task_struct___audit {
	kuid_t loginuid;
	unsigned int sessionid;
};

struct linux_binprm {
	const char *filename;
	const char *interp;
};

#pragma clang attribute pop

#endif
