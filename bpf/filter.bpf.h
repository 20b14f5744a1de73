/* SPDX-License-Identifier: MIT */
/* filter: what the user did not ask for stays in the kernel. */
#ifndef PT_BPF_FILTER_H
#define PT_BPF_FILTER_H

#include "maps.bpf.h"

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

static __always_inline void follow_child(struct pt_counters *c, struct task_struct *parent,
					 struct task_struct *child, bool typed)
{
	__u32 ppid = RD(typed, parent, tgid), pid = RD(typed, child, tgid);
	__u8 one = 1;

	if (ppid == pid || !bpf_map_lookup_elem(&followed, &ppid))
		return;
	if (bpf_map_update_elem(&followed, &pid, &one, BPF_ANY))
		c->track_failed++;
}

#endif
