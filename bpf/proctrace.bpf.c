// SPDX-License-Identifier: MIT
/*
 * The BPF half: fill a record, or count why not. No policy: settings come as read-only data.
 *
 * Each hook exists twice, as tp_btf program (typed arguments, plain loads) and as raw_tp program (for
 * kernels or situations without attachable BTF); the bodies are the same, the loads differ. User space
 * loads one of the two.
 */
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "wire.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

const volatile struct pt_config cfg = {};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* user space sets the real size */
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pt_counters);
} counters SEC(".maps");

/* Where an exec with strings is put together: strings have any length, and a reservation in the ring
 * needs a constant one. Of the exec program alone: where programs can be preempted, the kernel's
 * recursion guard keeps a second exec on this CPU out (and counts it). */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pt_exec);
} scratch SEC(".maps");

/* Processes that are followed with all their descendants; filled only with cfg.follow. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u8);
} followed SEC(".maps");

/* Ends already reported; used only without group_dead. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct pt_life);
	__type(value, __u8);
} ended SEC(".maps");

/* Not in any header that BPF may include; kernel: include/linux/sched/signal.h. */
#define SIGNAL_GROUP_EXIT 0x00000004

/* ptr->field…, by plain loads where the pointer is typed by the kernel (tp_btf), else by helper. */
#define RD(typed, ptr, field)                                          \
	({                                                             \
		typeof((ptr)->field) v_;                               \
		if (typed)                                             \
			v_ = (ptr)->field;                             \
		else                                                   \
			bpf_core_read(&v_, sizeof(v_), &(ptr)->field); \
		v_;                                                    \
	})

static __always_inline struct pt_counters *counters_get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&counters, &zero);
}

static __always_inline void comm_read(bool typed, struct task_struct *p, char *comm)
{
	if (typed) {
		/* Two plain loads instead of a helper call: 40 ns less. */
		const __u64 *from = (const __u64 *)__builtin_preserve_access_index(&p->comm);

		((__u64 *)comm)[0] = from[0];
		((__u64 *)comm)[1] = from[1];
	} else {
		bpf_core_read(comm, PT_COMM_LEN, &p->comm);
	}
}

static __noinline bool name_matches(const char *comm)
{
#pragma unroll
	for (__u32 at = 0; at < PT_COMM_LEN; at++) {
		bool same = true;

#pragma unroll
		for (__u32 i = 0; i < PT_COMM_LEN - at; i++)
			if (i < cfg.name_len && comm[at + i] != cfg.name[i])
				same = false;
		if (same && at + cfg.name_len <= PT_COMM_LEN)
			return true;
	}
	return false;
}

static __always_inline bool wanted(const struct pt_record *r)
{
	if (cfg.pid && r->pid != cfg.pid)
		return false;
	if (cfg.has_uid && r->uid != cfg.uid)
		return false;
	if (cfg.name_len && !name_matches(r->comm))
		return false;
	if (cfg.cgroup_level > 0 &&
	    bpf_get_current_ancestor_cgroup_id(cfg.cgroup_level) != cfg.cgroup_id)
		return false;
	if (cfg.follow) {
		__u32 pid = r->pid;

		return bpf_map_lookup_elem(&followed, &pid) != NULL;
	}
	return true;
}

/* Whether the task is the load generator's: asked only on the way out of a full ring. */
static __always_inline bool is_ours(bool typed, struct task_struct *p)
{
	struct signal_struct *sig;
	struct pid *pgrp;

	if (!cfg.ours_pgid)
		return false;
	sig = RD(typed, p, signal);
	pgrp = RD(typed, sig, pids[PIDTYPE_PGID]);
	return pgrp && BPF_CORE_READ(pgrp, numbers[0].nr) == (int)cfg.ours_pgid;
}

static __always_inline void ring_full(bool typed, struct pt_counters *c, int kind,
				      struct task_struct *p)
{
	c->ring_full[kind]++;
	if (is_ours(typed, p))
		c->ring_full_ours[kind]++;
}

/* The ring wakes a reader that has caught up, once; this reader then naps while more gathers, and is
 * woken early only if so much waits that the ring might fill. */
static __always_inline __u64 wake_flags(void)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= cfg.wake_bytes ? BPF_RB_FORCE_WAKEUP
									     : 0;
}

static __always_inline void record_fill(bool typed, struct pt_record *r, int kind,
					struct task_struct *p)
{
	struct task_struct *leader = RD(typed, p, group_leader);
	struct task_struct *parent = RD(typed, p, real_parent);
	struct cred *cred = RD(typed, p, cred);

	r->ts_ns = bpf_ktime_get_ns();
	r->pid = RD(typed, p, tgid);
	r->tid = RD(typed, p, pid);
	r->ppid = RD(typed, parent, tgid);
	r->uid = RD(typed, cred, uid.val);
	r->kind = kind;
	r->flags = 0;
	r->cpu = bpf_get_smp_processor_id();
	r->status = 0;
	r->duration_ns = 0;
	r->cgroup_id = bpf_get_current_cgroup_id();
	/* The process's name, also when another thread is the last to die. */
	comm_read(typed, leader, r->comm);
}

static __always_inline int record_send(bool typed, struct pt_counters *c,
				       const struct pt_record *filled, int kind,
				       struct task_struct *p)
{
	struct pt_record *r;

	if (!wanted(filled)) {
		c->filtered[kind]++;
		return 0;
	}
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (!r) {
		ring_full(typed, c, kind, p);
		return 0;
	}
	*r = *filled;
	bpf_ringbuf_submit(r, wake_flags());
	c->submitted[kind]++;
	return 0;
}

/* ---- fork ------------------------------------------------------------------------------------- */

static __always_inline void follow_child(struct pt_counters *c, struct task_struct *parent,
					 struct task_struct *child, bool typed)
{
	__u32 ppid = RD(typed, parent, tgid), pid = RD(typed, child, tgid);
	__u8 one = 1;

	if (ppid == pid || !bpf_map_lookup_elem(&followed, &ppid))
		return;
	if (bpf_map_update_elem(&followed, &pid, &one, BPF_ANY))
		c->follow_failed++;
}

static __always_inline int on_fork(bool typed, struct task_struct *parent,
				   struct task_struct *child)
{
	struct pt_counters *c = counters_get();
	struct pt_record r;

	if (!c)
		return 0;
	if (cfg.follow)
		follow_child(c, parent, child, typed);
	/* A new thread is no new process. */
	if (!(cfg.kinds & (1 << PT_FORK)) || RD(typed, child, pid) != RD(typed, child, tgid))
		return 0;
	c->seen[PT_FORK]++;
	record_fill(typed, &r, PT_FORK, child);
	return record_send(typed, c, &r, PT_FORK, child);
}

/* ---- exec ------------------------------------------------------------------------------------- */

/* Appends argv, as it lies in the new program's memory, behind @at bytes of data. */
static __always_inline void args_read(bool typed, struct task_struct *p, struct pt_exec *x,
				      __u32 at)
{
	struct mm_struct *mm = RD(typed, p, mm);
	unsigned long start = RD(typed, mm, arg_start), end = RD(typed, mm, arg_end);
	__u32 len = end - start;

	if (len > cfg.args_max) {
		len = cfg.args_max;
		x->rec.flags |= PT_ARGS_TRUNCATED;
	}
	if (at > PT_PATH_MAX || len > PT_ARGS_MAX)
		return; /* cannot be; tells the verifier */
	if (bpf_probe_read_user(x->data + at, len, (const void *)start)) {
		x->rec.flags |= PT_ARGS_UNREADABLE;
		return;
	}
	x->args_len = len;
}

static __always_inline int exec_strings(bool typed, struct pt_counters *c, struct task_struct *p,
					struct linux_binprm *bprm, const struct pt_record *filled)
{
	__u32 zero = 0, size;
	struct pt_exec *x = bpf_map_lookup_elem(&scratch, &zero);
	long n = 0;

	if (!x)
		return 0;
	x->rec = *filled;
	x->path_len = 0;
	x->args_len = 0;
	if (cfg.want_path) {
		n = bpf_probe_read_kernel_str(x->data, PT_PATH_MAX, RD(typed, bprm, filename));
		if (n < 0 || n > PT_PATH_MAX)
			n = 0;
		if (n == PT_PATH_MAX)
			x->rec.flags |= PT_PATH_TRUNCATED;
		x->path_len = n;
	}
	if (cfg.want_args)
		args_read(typed, p, x, n);
	size = offsetof(struct pt_exec, data) + x->path_len + x->args_len;
	if (size > sizeof(*x))
		return 0; /* cannot be; tells the verifier */
	if (bpf_ringbuf_output(&ring, x, size, wake_flags()))
		ring_full(typed, c, PT_EXEC, p);
	else
		c->submitted[PT_EXEC]++;
	return 0;
}

static __always_inline int on_exec(bool typed, struct task_struct *p, pid_t old_pid,
				   struct linux_binprm *bprm)
{
	struct pt_counters *c = counters_get();
	struct pt_record r;

	if (!c)
		return 0;
	c->seen[PT_EXEC]++;
	record_fill(typed, &r, PT_EXEC, p);
	if (old_pid != (pid_t)r.pid)
		r.flags |= PT_NONLEADER_EXEC;
	if (!cfg.want_path && !cfg.want_args)
		return record_send(typed, c, &r, PT_EXEC, p);
	if (!wanted(&r)) {
		c->filtered[PT_EXEC]++;
		return 0;
	}
	return exec_strings(typed, c, p, bprm, &r);
}

/* ---- exit ------------------------------------------------------------------------------------- */

/* Whether this thread's end is the end of the process, told exactly once a process. */
static __always_inline bool process_ended(bool typed, struct task_struct *p,
					  const unsigned long long *ctx)
{
	struct signal_struct *sig;
	struct task_struct *leader;
	struct pt_life life = {};
	__u8 one = 1;

	if (cfg.has_group_dead)
		return (bool)ctx[1];
	sig = RD(typed, p, signal);
	if (RD(typed, sig, live.counter) != 0)
		return false;
	/* The last two threads may both see 0: the first to enter itself here wins. */
	leader = RD(typed, p, group_leader);
	life.start_ns = RD(typed, leader, start_boottime);
	life.pid = RD(typed, p, tgid);
	return bpf_map_update_elem(&ended, &life, &one, BPF_NOEXIST) == 0;
}

/* What wait(2) will report. Also where nobody called exit_group but the leader went first, newer kernels
 * set SIGNAL_GROUP_EXIT and the code of the last thread (synchronize_group_exit). */
static __always_inline int exit_status(bool typed, struct task_struct *p)
{
	struct signal_struct *sig = RD(typed, p, signal);
	struct task_struct *leader = RD(typed, p, group_leader);

	if (RD(typed, sig, flags) & SIGNAL_GROUP_EXIT)
		return RD(typed, sig, group_exit_code);
	return RD(typed, leader, exit_code);
}

static __always_inline int on_exit(bool typed, struct task_struct *p, const unsigned long long *ctx)
{
	struct task_struct *leader;
	struct pt_counters *c;
	struct pt_record r;

	if (!process_ended(typed, p, ctx))
		return 0;
	c = counters_get();
	if (!c)
		return 0;
	record_fill(typed, &r, PT_EXIT, p);
	if (cfg.kinds & (1 << PT_EXIT)) {
		leader = RD(typed, p, group_leader);
		c->seen[PT_EXIT]++;
		r.status = exit_status(typed, p);
		r.duration_ns = bpf_ktime_get_boot_ns() - RD(typed, leader, start_boottime);
		record_send(typed, c, &r, PT_EXIT, p);
	}
	if (cfg.follow) {
		__u32 pid = r.pid;

		bpf_map_delete_elem(&followed, &pid);
	}
	return 0;
}

/* ---- hooks: arguments as the tracepoints have them --------------------------------------------- */

SEC("tp_btf/sched_process_fork")
int fork_btf(unsigned long long *ctx)
{
	return on_fork(true, (struct task_struct *)ctx[0], (struct task_struct *)ctx[1]);
}

SEC("tp_btf/sched_process_exec")
int exec_btf(unsigned long long *ctx)
{
	return on_exec(true, (struct task_struct *)ctx[0], (pid_t)ctx[1],
		       (struct linux_binprm *)ctx[2]);
}

SEC("tp_btf/sched_process_exit")
int exit_btf(unsigned long long *ctx)
{
	return on_exit(true, (struct task_struct *)ctx[0], ctx);
}

SEC("raw_tp/sched_process_fork")
int fork_raw(unsigned long long *ctx)
{
	return on_fork(false, (struct task_struct *)ctx[0], (struct task_struct *)ctx[1]);
}

SEC("raw_tp/sched_process_exec")
int exec_raw(unsigned long long *ctx)
{
	return on_exec(false, (struct task_struct *)ctx[0], (pid_t)ctx[1],
		       (struct linux_binprm *)ctx[2]);
}

SEC("raw_tp/sched_process_exit")
int exit_raw(unsigned long long *ctx)
{
	return on_exit(false, (struct task_struct *)ctx[0], ctx);
}
