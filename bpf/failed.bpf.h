/* SPDX-License-Identifier: MIT */
/*
 * failed: execs that the kernel refused. Their strings are read when the call returns: what it has
 * read itself cannot be paged out, and nobody has replaced the memory.
 */
#ifndef PT_BPF_FAILED_H
#define PT_BPF_FAILED_H

#include "exec.bpf.h"

#define FAILED_ARGS 256 /* arguments */
#define ERESTART_FIRST 512 /* from here on: the kernel's own, the call is made again */

/* As the system call tracepoints lay them out. */
struct sys_enter {
	__u64 common;
	__u64 nr;
	__u64 arg[6];
};

struct sys_exit {
	__u64 common;
	__u64 nr;
	long ret;
};

static __always_inline int attempt_begin(int dirfd, __u64 path, __u64 argv)
{
	struct pt_attempt a = { .path = path, .argv = argv, .dirfd = dirfd };
	__u32 tid = bpf_get_current_pid_tgid();

	bpf_map_update_elem(&attempts, &tid, &a, BPF_ANY);
	return 0;
}

/* Bytes with the NUL, or an error. Older kernels (6.1 does) say 0 for a string that is empty. Without a
 * branch: the loops around this would else have twice as many ways at each turn. */
static __always_inline long user_string(char *to, __u32 size, __u64 from)
{
	long n;

	*to = '\0';
	n = bpf_probe_read_user_str(to, size, (const void *)from);
	return n + ((__u64)(n - 1) >> 63 & ~(__u64)n >> 63);
}

/* The path alone has surely been read by the kernel: where that failed, the arguments need not be in
 * memory, and the rest of them is missing, or all. */
static __always_inline void attempt_args(const struct pt_attempt *a, struct pt_full *x, __u32 at)
{
	char *to = string_at(x, at, PT_PATH_MAX);
	__u32 len = 0;
	bool whole = false;

	for (int i = 0; to && i < FAILED_ARGS; i++) {
		__u64 arg = 0;
		long n;

		if (bpf_probe_read_user(&arg, sizeof(arg), (const void *)(a->argv + i * 8)))
			break;
		whole = !arg;
		barrier_var(len);
		if (whole || len > cfg.args_max)
			break;
		n = user_string(to + len, PT_ARG_MAX, arg);
		if (n <= 0)
			break;
		len += n;
		if (n == PT_ARG_MAX)
			break;
	}
	if (!whole && !len)
		x->rec.flags |= PT_ARGS_UNREADABLE;
	else if (!whole || len > cfg.args_max)
		x->rec.flags |= PT_ARGS_TRUNCATED;
	x->exec.args_len = len > cfg.args_max ? cfg.args_max : len;
}

static __always_inline void attempt_send(struct pt_counters *c, struct task_struct *p,
					 const struct pt_attempt *a, int error)
{
	__u32 slot = scratch_slot(1);
	struct pt_full *x = bpf_map_lookup_elem(&scratch, &slot);
	struct pt_record r;
	__u8 bits;
	long n;

	if (!x)
		return; /* cannot be */
	record_fill(false, &r, PT_EXEC, p);
	r.flags |= PT_EXEC_FAILED;
	r.status = a->dirfd;
	x->rec = r;
	__builtin_memset(&x->exec, 0, sizeof(x->exec));
	n = user_string((char *)(x + 1), PT_PATH_MAX, a->path);
	x->exec.path_len = n > 0 ? n : 0;
	/* It is the path that failed, not the program that goes on, which is asked about. */
	bits = track_get(r.pid) & ~TRACK_PATH;
	if ((cfg.track & TRACK_PATH) && n > 0)
		bits |= path_bits(slot);
	if (!wanted(false, &r, p, bits)) {
		c->filtered[PT_EXEC]++;
		return;
	}
	full_fill(false, x, p);
	x->error = error;
	if (cfg.args_max)
		attempt_args(a, x, x->exec.path_len);
	scratch_send(false, c, x, p);
}

static __always_inline int attempt_end(long ret)
{
	struct pt_counters *c = counters_get();
	__u32 tid = bpf_get_current_pid_tgid();
	struct pt_attempt *found = bpf_map_lookup_elem(&attempts, &tid), a;

	if (!found || !c)
		return 0;
	a = *found;
	bpf_map_delete_elem(&attempts, &tid);
	if (ret >= 0 || ret <= -ERESTART_FIRST)
		return 0;
	c->seen[PT_EXEC]++;
	attempt_send(c, (void *)bpf_get_current_task(), &a, -ret);
	return 0;
}

#endif
