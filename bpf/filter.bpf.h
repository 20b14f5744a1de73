/* SPDX-License-Identifier: MIT */
/* filter: what the user did not ask for stays in the kernel. */
#ifndef PT_BPF_FILTER_H
#define PT_BPF_FILTER_H

#include "maps.bpf.h"

#define TRACK_PATH (PT_PATH_FITS | PT_PATH_UNFIT)

/* ---- ids -------------------------------------------------------------------------------------- */

static __always_inline bool id_in(__u32 set, __u64 id)
{
	struct pt_id_key key = { .set = set, .id = id };

	return bpf_map_lookup_elem(&ids, &key) != NULL;
}

static __always_inline bool id_wanted(__u32 set, __u64 id)
{
	if ((cfg.id_sets & (1 << set)) && !id_in(set, id))
		return false;
	set += PT_IDS;
	return !(cfg.id_sets & (1 << set)) || !id_in(set, id);
}

/* The cgroup of the current process that lies so far below the root, or 0. Programs of our types have a helper
 * for it since 5.14; kernels of before keep the ids in the cgroup. */
static __always_inline __u64 cgroup_at(__u32 level)
{
	struct task_struct *p = (void *)bpf_get_current_task();
	struct cgroup___ids *c = NULL;
	__u64 id = 0;

	if (!bpf_core_field_exists(c->ancestor_ids))
		return bpf_get_current_ancestor_cgroup_id(level);
	c = (void *)BPF_CORE_READ(p, cgroups, dfl_cgrp);
	if (level > (__u32)BPF_CORE_READ(c, level))
		return 0;
	bpf_probe_read_kernel(&id, sizeof(id),
			      (void *)c + bpf_core_field_offset(c->ancestor_ids) +
				      level * sizeof(id));
	return id;
}

/* Whether the cgroup of the current process, or one above it, is in the set. */
static __always_inline bool cgroup_in(__u32 set)
{
	bool in = false;

	for (__u32 level = 0; level <= cfg.cgroup_depth; level++)
		in |= id_in(set, cgroup_at(level));
	return in;
}

static __always_inline bool cgroup_wanted(void)
{
	if ((cfg.id_sets & (1 << PT_ID_CGROUP)) && !cgroup_in(PT_ID_CGROUP))
		return false;
	return !(cfg.id_sets & (1 << (PT_ID_CGROUP + PT_IDS))) || !cgroup_in(PT_ID_CGROUP + PT_IDS);
}

/* ---- texts ------------------------------------------------------------------------------------ */

/* Not 0 where a needle ends. */
static __always_inline __u64 text_step(__u64 *state, int text, __u8 c)
{
	*state = (*state << 1 | cfg.text[text].first) & needle_mask[text][c];
	return *state & cfg.text[text].last;
}

static __noinline bool name_has(const char *comm, int text)
{
	__u64 state = 0;

	for (int i = 0; i < PT_COMM_LEN && comm[i]; i++)
		if (text_step(&state, text, comm[i]))
			return true;
	return false;
}

static __always_inline bool name_wanted(const char *comm)
{
	if (cfg.text[PT_NAME].last && !name_has(comm, PT_NAME))
		return false;
	return !cfg.text[PT_NOT_NAME].last || !name_has(comm, PT_NOT_NAME);
}

/* Looks through the path in a slot of scratch. Not static: the verifier then proves its long loop once,
 * and not together with each way that leads on from it. Before 6.8 it does so also where nobody calls it, and
 * without these filters a slot has no room for a path: hence the first question. */
__noinline int path_bits(__u32 slot)
{
	struct pt_full *x = bpf_map_lookup_elem(&scratch, &slot);
	const __u8 *path = (const __u8 *)(x + 1);
	__u64 fits = 0, unfit = 0, any_fits = 0, any_unfit = 0;

	if (!(cfg.track & TRACK_PATH) || !x)
		return 0;
	/* One jump a byte: the verifier of 5.10 follows 8192 of them and no more. */
	for (int i = 0; i < PT_PATH_MAX && path[i]; i++) {
		if (cfg.text[PT_PATH].last)
			any_fits |= text_step(&fits, PT_PATH, path[i]);
		if (cfg.text[PT_NOT_PATH].last)
			any_unfit |= text_step(&unfit, PT_NOT_PATH, path[i]);
	}
	return (any_fits ? PT_PATH_FITS : 0) | (any_unfit ? PT_PATH_UNFIT : 0);
}

/* ---- what is kept of a process ---------------------------------------------------------------- */

static __always_inline __u8 track_get(__u32 pid)
{
	__u8 *bits = cfg.track ? bpf_map_lookup_elem(&tracked, &pid) : NULL;

	return bits ? *bits : 0;
}

static __always_inline void track_set(struct pt_counters *c, __u32 pid, __u8 bits)
{
	if (!bits)
		bpf_map_delete_elem(&tracked, &pid);
	else if (bpf_map_update_elem(&tracked, &pid, &bits, BPF_ANY))
		c->track_failed++;
}

/* The child begins with what its parent had; also ends what an earlier owner of the pid left behind. */
static __always_inline __u8 track_fork(bool typed, struct pt_counters *c,
				       struct task_struct *parent, struct task_struct *child)
{
	__u32 ppid = RD(typed, parent, tgid), pid = RD(typed, child, tgid);
	__u8 bits = track_get(ppid);

	if (ppid != pid)
		track_set(c, pid, bits);
	return bits;
}

static __always_inline __u8 track_exec(struct pt_counters *c, __u32 pid, __u32 slot)
{
	__u8 had = track_get(pid), bits = had;

	if (cfg.track & TRACK_PATH) {
		bits = (had & ~TRACK_PATH) | path_bits(slot);
		if (bits != had)
			track_set(c, pid, bits);
	}
	return bits;
}

/* ---- all of it -------------------------------------------------------------------------------- */

/* @bits: what is kept of the process. */
static __always_inline bool wanted(bool typed, const struct pt_record *r, struct task_struct *p,
				   __u8 bits)
{
	if ((bits & cfg.track) != cfg.track_want)
		return false;
	if (!id_wanted(PT_ID_PID, r->pid) || !id_wanted(PT_ID_PPID, r->ppid) ||
	    !id_wanted(PT_ID_UID, r->uid) || !cgroup_wanted() || !name_wanted(r->comm))
		return false;
	return !cfg.pidns || pidns_of(RD(typed, p, group_leader)).inum == cfg.pidns;
}

static __always_inline bool end_wanted(const struct pt_record *r)
{
	__u32 sig = r->status & 0x7f, code = r->status >> 8 & 0xff;

	if (r->duration_ns < cfg.min_duration_ns)
		return false;
	if (!cfg.by_status)
		return true;
	return sig ? cfg.exit_signals[sig / 64 & 1] >> sig % 64 & 1
		   : cfg.exit_codes[code / 64 & 3] >> code % 64 & 1;
}

#endif
