/* SPDX-License-Identifier: MIT */
/* maps: settings, maps and the ways into them, shared by all programs. Included once, first. */
#ifndef PT_BPF_MAPS_H
#define PT_BPF_MAPS_H

#include "vmlinux.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "config.h"
#include "wire.h"

const volatile struct pt_config cfg = {};
const volatile __u64 needle_mask[PT_TEXTS][256] = {};

/* Which process was already reported as ended; kernels without group_dead only. */
struct pt_life {
	__u64 start_ns;
	__u64 pid;
};

/* What a thread that is in execve() asked for. */
struct pt_attempt {
	__u64 path, argv; /* user memory */
	__s32 dirfd;
	__u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* user space sets the real size */
} ring SEC(".maps");

/* A row for each CPU, mapped into user space, which so reads them without a system call (and without
 * the capability that one takes on some kernels). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* user space: as many as there are CPUs */
	__type(key, __u32);
	__type(value, struct pt_counters);
} counters SEC(".maps");

/* Where an exec with strings is put together: strings have any length, and a reservation in the ring
 * needs a constant one. A slot for each CPU, as large as what was asked for (per-CPU maps end at 32 KiB);
 * failed execs have slots of their own. Where programs can be preempted, the kernel's recursion guard
 * keeps a second run of the same program on this CPU out (and counts it). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct pt_full));
} scratch SEC(".maps");

/* The name that a thread gave up last, from its change to the exec event right behind it. A slot for the
 * low bits of the thread id, which costs a twentieth of a hash: two threads that exec in the same
 * microseconds with the same bits are rare, and then one of them has no old name. */
struct renamed_slot {
	__u32 tid, pad;
	char comm[PT_COMM_LEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct renamed_slot);
} renamed SEC(".maps");

static __always_inline struct renamed_slot *renamed_get(__u32 tid)
{
	__u32 slot = tid % PT_RENAMED_SLOTS;

	return bpf_map_lookup_elem(&renamed, &slot);
}

/* Threads in execve(), by thread id; only with cfg.want_failed. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pt_attempt);
} attempts SEC(".maps");

/* Processes of which something is to be kept: bits of pt_track; filled only with cfg.track. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u8);
} tracked SEC(".maps");

/* What user space was asked for, written before the programs run. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct pt_id_key);
	__type(value, __u8);
} ids SEC(".maps");

/* Ends already reported; used only without group_dead. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct pt_life);
	__type(value, __u8);
} ended SEC(".maps");

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
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&counters, &cpu);
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

#endif
