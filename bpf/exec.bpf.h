/* SPDX-License-Identifier: MIT */
/* exec: the strings of a successful exec. */
#ifndef PT_BPF_EXEC_H
#define PT_BPF_EXEC_H

#include "send.bpf.h"

/* Most names that a working directory may be deep. */
#define CWD_DEPTH 64
#define CWD_MOUNTS 4 /* mounted upon one another */

#define BEFORE_CWD (PT_PATH_MAX + PT_INTERP_MAX)
#define BEFORE_ARGS (BEFORE_CWD + (cfg.want_cwd ? PT_CWD_MAX : 0))

/*
 * Strings lie behind the record in a slot of scratch: the place behind the first @at bytes of them, NULL if
 * that is more than @max, which cannot be. The barriers keep the compiler from adding before it compares,
 * for the verifier believes only what was compared before.
 */
static __always_inline char *string_at(struct pt_full *x, __u32 at, __u32 max)
{
	barrier_var(at);
	if (at > max)
		return NULL;
	barrier_var(at);
	return (char *)(x + 1) + at;
}

/* @set: 0 for execs, 1 for failed ones. */
static __always_inline __u32 scratch_slot(__u32 set)
{
	return bpf_get_smp_processor_id() + set * cfg.cpus;
}

static __always_inline void path_read(bool typed, struct linux_binprm *bprm, struct pt_full *x)
{
	long n = bpf_probe_read_kernel_str(x + 1, PT_PATH_MAX, RD(typed, bprm, filename));

	if (n == PT_PATH_MAX)
		x->rec.flags |= PT_PATH_TRUNCATED;
	x->exec.path_len = n > 0 ? n : 0;
}

/* Only of a script: a program is its own interpreter. */
static __always_inline void interp_read(bool typed, struct linux_binprm *bprm, struct pt_full *x,
					__u32 at)
{
	const char *interp = RD(typed, bprm, interp);
	char *to = string_at(x, at, PT_PATH_MAX);
	long n;

	if (interp == RD(typed, bprm, filename) || !to)
		return;
	n = bpf_probe_read_kernel_str(to, PT_INTERP_MAX, interp);
	x->exec.interp_len = n > 0 ? n : 0;
}

struct cwd_walk {
	struct dentry *at, *root;
	struct vfsmount *mnt, *root_mnt;
};

/* One step towards the root of the process: the name that it leads out of, or NULL at the root. */
static __always_inline const unsigned char *cwd_up(struct cwd_walk *w)
{
	struct dentry *at = w->at, *parent;
	struct vfsmount *mnt = w->mnt;
	struct mount *m;

	/* Out of the mounts whose root this is. */
	for (int i = 0; i < CWD_MOUNTS; i++) {
		if ((at == w->root && mnt == w->root_mnt))
			return NULL;
		if (at != BPF_CORE_READ(mnt, mnt_root))
			break;
		m = (void *)mnt - bpf_core_field_offset(struct mount, mnt);
		if (BPF_CORE_READ(m, mnt_parent) == m)
			return NULL; /* the root of all */
		at = BPF_CORE_READ(m, mnt_mountpoint);
		m = BPF_CORE_READ(m, mnt_parent);
		mnt = (void *)m + bpf_core_field_offset(struct mount, mnt);
	}
	parent = BPF_CORE_READ(at, d_parent);
	w->mnt = mnt;
	w->at = parent;
	return parent == at ? NULL : BPF_CORE_READ(at, d_name.name);
}

/* A directory that is too deep is left out. */
static __always_inline void cwd_read(struct task_struct *p, struct pt_full *x, __u32 at)
{
	struct fs_struct *fs = BPF_CORE_READ(p, fs);
	struct cwd_walk w = {
		.at = BPF_CORE_READ(fs, pwd.dentry),
		.mnt = BPF_CORE_READ(fs, pwd.mnt),
		.root = BPF_CORE_READ(fs, root.dentry),
		.root_mnt = BPF_CORE_READ(fs, root.mnt),
	};
	char *to = string_at(x, at, BEFORE_CWD);
	__u32 len = 0;

	for (int i = 0; to && i < CWD_DEPTH; i++) {
		const unsigned char *name = cwd_up(&w);
		long n;

		if (!name) {
			if (!len) { /* "/" has one name, which is empty */
				to[0] = '\0';
				len = 1;
			}
			x->exec.cwd_len = len;
			return;
		}
		barrier_var(len);
		if (len > PT_CWD_MAX - PT_NAME_MAX)
			return;
		n = bpf_probe_read_kernel_str(to + len, PT_NAME_MAX, name);
		if (n <= 0)
			return;
		len += n;
	}
}

/* argv, as it lies in the new program's memory. */
static __always_inline void args_read(bool typed, struct task_struct *p, struct pt_full *x,
				      __u32 at)
{
	struct mm_struct *mm = RD(typed, p, mm);
	unsigned long start = RD(typed, mm, arg_start), end = RD(typed, mm, arg_end);
	char *to = string_at(x, at, BEFORE_ARGS);
	__u32 len = end - start;

	if (len > cfg.args_max) {
		len = cfg.args_max;
		x->rec.flags |= PT_ARGS_TRUNCATED;
	}
	if (!to)
		return;
	if (bpf_probe_read_user(to, len, (const void *)start)) {
		x->rec.flags |= PT_ARGS_UNREADABLE;
		return;
	}
	x->exec.args_len = len;
}

static __always_inline void old_comm_take(__u32 tid, struct pt_full *x)
{
	struct renamed_slot *old = renamed_get(tid);

	if (!old || old->tid != tid)
		return;
	__builtin_memcpy(x->exec.old_comm, old->comm, PT_COMM_LEN);
	old->tid = 0;
}

static __always_inline int scratch_send(bool typed, struct pt_counters *c, struct pt_full *x,
					struct task_struct *p)
{
	__u32 size = x->exec.path_len + x->exec.interp_len + x->exec.cwd_len + x->exec.args_len;

	barrier_var(size);
	if (size > BEFORE_ARGS + cfg.args_max)
		return 0; /* cannot be; tells the verifier */
	if (bpf_ringbuf_output(&ring, x, sizeof(*x) + size, wake_if_filling()))
		ring_full(typed, c, PT_EXEC, p);
	else
		c->submitted[PT_EXEC]++;
	return 0;
}

static __always_inline int exec_full(bool typed, struct pt_counters *c, struct task_struct *p,
				     struct linux_binprm *bprm, const struct pt_record *filled)
{
	__u32 slot = scratch_slot(0);
	struct pt_full *x = bpf_map_lookup_elem(&scratch, &slot);
	__u8 bits;

	if (!x)
		return 0; /* cannot be */
	x->rec = *filled;
	__builtin_memset(&x->exec, 0, sizeof(x->exec));
	path_read(typed, bprm, x);
	bits = track_exec(c, filled->pid, slot);
	if (!(cfg.kinds & (1 << PT_EXEC)))
		return 0; /* here for the path alone */
	if (!wanted(typed, filled, p, bits)) {
		c->filtered[PT_EXEC]++;
		return 0;
	}
	full_fill(typed, x, p);
	old_comm_take(filled->pid, x);
	interp_read(typed, bprm, x, x->exec.path_len);
	if (cfg.want_cwd)
		cwd_read(p, x, x->exec.path_len + x->exec.interp_len);
	if (cfg.args_max)
		args_read(typed, p, x, x->exec.path_len + x->exec.interp_len + x->exec.cwd_len);
	return scratch_send(typed, c, x, p);
}

#endif
