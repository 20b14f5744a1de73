// SPDX-License-Identifier: MIT
/*
 * The BPF half: fill a record, or count why not. No policy: settings come as read-only data.
 *
 * Each hook exists twice, as tp_btf program (typed arguments, plain loads) and as raw_tp program (for
 * kernels or situations without attachable BTF); the bodies are the same, the loads differ. User space
 * loads one of the two.
 */
#include "maps.bpf.h"
#include "full.bpf.h"
#include "filter.bpf.h"
#include "send.bpf.h"
#include "exec.bpf.h"
#include "failed.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Not in any header that BPF may include; kernel: include/linux/sched/signal.h. */
#define SIGNAL_GROUP_EXIT 0x00000004

/* ---- fork ------------------------------------------------------------------------------------- */

static __always_inline int on_fork(bool typed, struct task_struct *parent,
				   struct task_struct *child)
{
	struct pt_counters *c = counters_get();
	struct pt_record r;
	__u8 bits = 0;
	bool thread;

	if (!c)
		return 0;
	if (cfg.track)
		bits = track_fork(typed, c, parent, child);
	/* A new thread is no new process. */
	thread = RD(typed, child, pid) != RD(typed, child, tgid);
	if (!(cfg.kinds & (1 << PT_FORK)) || (thread && !cfg.want_threads))
		return 0;
	c->seen[PT_FORK]++;
	record_fill(typed, &r, PT_FORK, child);
	if (thread)
		r.flags |= PT_THREAD;
	if (!wanted(typed, &r, child, bits)) {
		c->filtered[PT_FORK]++;
		return 0;
	}
	return record_send(typed, c, &r, PT_FORK, child);
}

/* ---- exec ------------------------------------------------------------------------------------- */

static __always_inline int on_rename(bool typed, struct task_struct *p)
{
	__u32 tid = RD(typed, p, pid);
	struct renamed_slot *slot = renamed_get(tid);

	if (!slot)
		return 0;
	slot->tid = 0;
	comm_read(typed, p, slot->comm);
	slot->tid = tid;
	return 0;
}

static __always_inline int exec_lean(bool typed, struct pt_counters *c, struct task_struct *p,
				     pid_t old_pid)
{
	struct pt_record *r = lean_begin(typed, c, PT_EXEC, p);

	if (!r)
		return 0;
	if (old_pid != (pid_t)r->pid)
		r->flags = PT_NONLEADER_EXEC;
	return lean_end(c, PT_EXEC, r);
}

static __always_inline int on_exec(bool typed, struct task_struct *p, pid_t old_pid,
				   struct linux_binprm *bprm)
{
	struct pt_counters *c = counters_get();
	struct pt_record r;

	if (!c)
		return 0;
	if (cfg.lean)
		return exec_lean(typed, c, p, old_pid);
	if (cfg.kinds & (1 << PT_EXEC))
		c->seen[PT_EXEC]++;
	record_fill(typed, &r, PT_EXEC, p);
	if (old_pid != (pid_t)r.pid)
		r.flags |= PT_NONLEADER_EXEC;
	if (cfg.full)
		return exec_full(typed, c, p, bprm, &r);
	if (!wanted(typed, &r, p, track_get(r.pid))) {
		c->filtered[PT_EXEC]++;
		return 0;
	}
	return record_send(typed, c, &r, PT_EXEC, p);
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
	life.start_ns = RD(typed, leader, start_time);
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

/* The time is that of the record's stamp, CLOCK_MONOTONIC: no second look at a clock. */
static __always_inline void end_fill(bool typed, struct pt_record *r, struct task_struct *p)
{
	struct task_struct *leader = RD(typed, p, group_leader);

	r->status = exit_status(typed, p);
	r->duration_ns = r->ts_ns - RD(typed, leader, start_time);
}

static __always_inline int exit_lean(bool typed, struct pt_counters *c, struct task_struct *p)
{
	struct pt_record *r = lean_begin(typed, c, PT_EXIT, p);

	if (!r)
		return 0;
	end_fill(typed, r, p);
	return lean_end(c, PT_EXIT, r);
}

static __always_inline int exit_send(bool typed, struct pt_counters *c, struct pt_record *r,
				     struct task_struct *p)
{
	c->seen[PT_EXIT]++;
	end_fill(typed, r, p);
	if (!end_wanted(r) || !wanted(typed, r, p, track_get(r->pid))) {
		c->filtered[PT_EXIT]++;
		return 0;
	}
	return record_send(typed, c, r, PT_EXIT, p);
}

static __always_inline int on_exit(bool typed, struct task_struct *p, const unsigned long long *ctx)
{
	struct pt_counters *c;
	struct pt_record r;

	if (!process_ended(typed, p, ctx))
		return 0;
	c = counters_get();
	if (!c)
		return 0;
	if (cfg.lean)
		return exit_lean(typed, c, p);
	record_fill(typed, &r, PT_EXIT, p);
	if (cfg.kinds & (1 << PT_EXIT))
		exit_send(typed, c, &r, p);
	if (cfg.track)
		track_set(c, r.pid, 0);
	return 0;
}

/* ---- hooks: arguments as the tracepoints have them --------------------------------------------- */

SEC("tp_btf/sched_process_fork")
int fork_btf(unsigned long long *ctx)
{
	return on_fork(true, (struct task_struct *)ctx[0], (struct task_struct *)ctx[1]);
}

SEC("tp_btf/task_rename")
int rename_btf(unsigned long long *ctx)
{
	return on_rename(true, (struct task_struct *)ctx[0]);
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

SEC("raw_tp/task_rename")
int rename_raw(unsigned long long *ctx)
{
	return on_rename(false, (struct task_struct *)ctx[0]);
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

/* Of these two calls alone: programs on the raw tracepoints would run at every call of every process. */
SEC("tp/syscalls/sys_enter_execve")
int execve_enter(struct sys_enter *ctx)
{
	return attempt_begin(PT_AT_FDCWD, ctx->arg[0], ctx->arg[1]);
}

SEC("tp/syscalls/sys_enter_execveat")
int execveat_enter(struct sys_enter *ctx)
{
	return attempt_begin(ctx->arg[0], ctx->arg[1], ctx->arg[2]);
}

SEC("tp/syscalls/sys_exit_execve")
int execve_exit(struct sys_exit *ctx)
{
	return attempt_end(ctx->ret);
}

SEC("tp/syscalls/sys_exit_execveat")
int execveat_exit(struct sys_exit *ctx)
{
	return attempt_end(ctx->ret);
}
