/* SPDX-License-Identifier: MIT */
/* send: from a filled record into the ring, or into a counter. */
#ifndef PT_BPF_SEND_H
#define PT_BPF_SEND_H

#include "maps.bpf.h"

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
static __always_inline __u64 wake_if_filling(void)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= cfg.wake_bytes ? BPF_RB_FORCE_WAKEUP
									     : 0;
}

/* A large ring need not be asked for each small record. */
static __always_inline __u64 wake_flags(const struct pt_counters *c, int kind)
{
	return c->submitted[kind] & cfg.wake_look ? 0 : wake_if_filling();
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
	r->cgroup_id = cfg.lean ? -1ULL : bpf_get_current_cgroup_id();
	/* The process's name, also when another thread is the last to die. */
	comm_read(typed, leader, r->comm);
}

/* The whole of what cfg.full asks for, of a kind without strings. */
static __always_inline int full_send(bool typed, struct pt_counters *c,
				     const struct pt_record *filled, int kind,
				     struct task_struct *p)
{
	struct pt_full *f = bpf_ringbuf_reserve(&ring, sizeof(*f), 0);

	if (!f) {
		ring_full(typed, c, kind, p);
		return 0;
	}
	f->rec = *filled;
	full_fill(typed, f, p);
	if (kind == PT_EXIT && cfg.want_usage)
		usage_fill(typed, f, p);
	else
		__builtin_memset(&f->exec, 0, sizeof(f->exec));
	c->submitted[kind]++;
	bpf_ringbuf_submit(f, wake_flags(c, kind));
	return 0;
}

static __always_inline int record_send(bool typed, struct pt_counters *c,
				       const struct pt_record *filled, int kind,
				       struct task_struct *p)
{
	struct pt_record *r;

	if (cfg.full)
		return full_send(typed, c, filled, kind, p);
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (!r) {
		ring_full(typed, c, kind, p);
		return 0;
	}
	*r = *filled;
	c->submitted[kind]++;
	bpf_ringbuf_submit(r, wake_flags(c, kind));
	return 0;
}

/* With cfg.lean a record is filled where it will be read: between these two. NULL: counted as ring full. */
static __always_inline struct pt_record *lean_begin(bool typed, struct pt_counters *c, int kind,
						    struct task_struct *p)
{
	struct pt_record *r;

	c->seen[kind]++; /* before reserving */
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (r)
		record_fill(typed, r, kind, p);
	else
		ring_full(typed, c, kind, p);
	return r;
}

static __always_inline int lean_end(struct pt_counters *c, int kind, struct pt_record *r)
{
	c->submitted[kind]++;
	bpf_ringbuf_submit(r, wake_flags(c, kind));
	return 0;
}

#endif
