/* SPDX-License-Identifier: MIT */
/* config: what user space tells the BPF programs before they run. */
#ifndef PT_BPF_CONFIG_H
#define PT_BPF_CONFIG_H

/* vmlinux.h or <linux/types.h> has been included before, as for wire.h. */

#define PT_RENAMED_SLOTS 4096 /* of the map of names given up; a power of two */

/* What is looked up in the map of ids: alternatives to let through, behind them those to keep out. */
enum pt_id { PT_ID_PID, PT_ID_PPID, PT_ID_UID, PT_ID_CGROUP, PT_IDS };
struct pt_id_key {
	__u32 set, pad; /* pt_id, + PT_IDS for those to keep out */
	__u64 id;
};

/* Texts to find in a name or a path, or not: see user/event/needles.h; the masks lie beside. */
enum pt_text { PT_NAME, PT_NOT_NAME, PT_PATH, PT_NOT_PATH, PT_TEXTS };
struct pt_needles {
	__u64 first, last; /* last == 0: none */
};

/* What is kept of a process from its fork or exec to its end. */
enum pt_track {
	PT_FOLLOWED = 1 << 0, /* one of those to follow, or a descendant */
	PT_UNFOLLOWED = 1 << 1, /* … to leave out */
	PT_PATH_FITS = 1 << 2, /* what it executed last, or its parent before the fork */
	PT_PATH_UNFIT = 1 << 3,
};

/*
 * Settings, in read-only data that is frozen before the programs are verified: the verifier sees
 * constants and removes what an unused option would do.
 */
struct pt_config {
	__u64 wake_bytes; /* wake the reader early when so much is waiting */
	__u64 min_duration_ns;
	__u64 exit_codes[4], exit_signals[2]; /* sets of bits, with by_status */
	struct pt_needles text[PT_TEXTS];
	__u32 kinds; /* mask of 1 << pt_kind */
	__u32 ours_pgid; /* 0: none */
	__u32 args_max; /* bytes of argv, at most PT_ARGS_MAX; 0: none */
	__u32 cpus; /* rows of counters, slots of scratch */
	__u32 id_sets; /* mask of 1 << pt_id_key.set */
	__u32 cgroup_depth; /* deepest level, below the root of the v2 hierarchy, of a cgroup asked for */
	__u32 pidns; /* 0: any */
	__u8 track, track_want; /* pt_track: what is kept, and what of it must be set */
	__u8 by_status;
	__u8 full; /* struct pt_full */
	__u8 want_cwd, want_usage, want_threads, want_failed; /* with full */
	__u8 has_group_dead; /* the exit tracepoint tells when the last thread goes */
	__u8 lean; /* neither filtered nor full: written straight into the ring */
	__u8 wake_look; /* look at the watermark at every (wake_look + 1)th record of a CPU */
	__u8 pad;
};

_Static_assert(sizeof(struct pt_config) == 168, "no holes");

#endif
