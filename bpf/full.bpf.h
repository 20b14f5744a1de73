/* SPDX-License-Identifier: MIT */
/* full: what struct pt_full has beyond the lean record. */
#ifndef PT_BPF_FULL_H
#define PT_BPF_FULL_H

#include "maps.bpf.h"

/* The innermost pid namespace of a process, and its pid there. */
struct pidns {
	__u32 pid, inum;
};

/* The pointer is read by helper, also in typed programs: to a typed one, the verifier lets nobody add a number
 * that is not a constant (older kernels do not even let such a program load). */
static __always_inline struct pidns pidns_of(struct task_struct *leader)
{
	struct pid *pid = BPF_CORE_READ(leader, thread_pid);
	const struct pid_namespace *ns;
	const struct upid *at;

	/* An element of an array whose length the type does not tell. */
	at = (const void *)pid + bpf_core_field_offset(pid->numbers) +
	     BPF_CORE_READ(pid, level) * bpf_core_type_size(struct upid);
	ns = BPF_CORE_READ(at, ns);
	return (struct pidns){ .pid = BPF_CORE_READ(at, nr), .inum = BPF_CORE_READ(ns, ns.inum) };
}

/* A kernel without audit has no login. */
static __always_inline void login_fill(struct pt_full *f, struct task_struct *p)
{
	struct task_struct___audit *a = (void *)p;

	f->loginuid = f->sessionid = -1;
	if (bpf_core_field_exists(a->loginuid))
		f->loginuid = BPF_CORE_READ(a, loginuid.val);
	if (bpf_core_field_exists(a->sessionid))
		f->sessionid = BPF_CORE_READ(a, sessionid);
}

/* All but rec and the union. */
static __always_inline void full_fill(bool typed, struct pt_full *f, struct task_struct *p)
{
	struct task_struct *leader = RD(typed, p, group_leader);
	struct task_struct *parent = RD(typed, p, real_parent);
	struct cred *cred = RD(typed, p, cred);
	struct pidns ns;

	f->gid = RD(typed, cred, gid.val);
	f->euid = RD(typed, cred, euid.val);
	f->error = 0;
	f->pad = 0;
	login_fill(f, p);
	ns = pidns_of(leader);
	f->ns_pid = ns.pid;
	f->pidns = ns.inum;
	comm_read(typed, RD(typed, parent, group_leader), f->parent_comm);
}

/* The index must be a constant: then CO-RE knows how far the elements lie apart in this kernel. */
#define RSS_OF(m, i)                                                \
	({                                                          \
		long long n_ = BPF_CORE_READ(m, rss_stat[i].count); \
		n_ > 0 ? (__u64)n_ : 0;                             \
	})

/* Since Linux 6.2. Before 6.16, the exit tracepoint comes when the memory is gone, and signal->maxrss has
 * it already. */
static __always_inline __u64 rss_pages(struct mm_struct *mm)
{
	struct mm_struct___percpu *m = (void *)mm;
	__u64 now, peak = BPF_CORE_READ(mm, hiwater_rss);

	if (!bpf_core_field_exists(m->rss_stat))
		return peak;
	now = RSS_OF(m, 0) + RSS_OF(m, 1) + RSS_OF(m, 3); /* of files, anonymous, shared */
	return peak > now ? peak : now;
}

/* What threads that ended before have left with the process, and what those that are not yet reaped
 * (the leader, and the one at hand) still hold. */
static __always_inline void usage_fill(bool typed, struct pt_full *f, struct task_struct *p)
{
	struct signal_struct *sig = RD(typed, p, signal);
	struct task_struct *leader = RD(typed, p, group_leader);
	struct mm_struct *mm = RD(typed, p, mm);
	__u64 rss = RD(typed, sig, maxrss);

	f->exit.utime_ns = RD(typed, sig, utime) + RD(typed, p, utime);
	f->exit.stime_ns = RD(typed, sig, stime) + RD(typed, p, stime);
	f->exit.runtime_ns = RD(typed, sig, sum_sched_runtime) + RD(typed, p, se.sum_exec_runtime);
	if (RD(typed, p, pid) != RD(typed, p, tgid)) {
		f->exit.utime_ns += RD(typed, leader, utime);
		f->exit.stime_ns += RD(typed, leader, stime);
		f->exit.runtime_ns += RD(typed, leader, se.sum_exec_runtime);
	}
	if (mm) {
		__u64 now = rss_pages(mm);

		rss = now > rss ? now : rss;
	}
	f->exit.max_rss_pages = rss;
}

#endif
