/* SPDX-License-Identifier: MIT */
/* source_stats: what a mechanism's own counters say, for the ledger. */
#ifndef PT_SOURCE_SOURCE_STATS_H
#define PT_SOURCE_SOURCE_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"

/*
 * What the mechanism's own counters say; all processes, except *_ours; from start() on. One per
 * account: a set of kinds that the mechanism can count apart (bpf: each kind; netlink: all as one).
 * generated = delivered + filtered + ring_full + socket_dropped + alloc_failed + not_run.
 */
struct source_account {
	unsigned kinds; /* mask */
	uint64_t generated; /* events that the kernel interface produced */
	uint64_t
		delivered; /* handed to the sink, or taken and found unwanted by user-space filters */
	uint64_t filtered; /* dropped in the kernel by a filter that we set */
	uint64_t ring_full,
		ring_full_ours; /* bpf: no room in the ring; of those, the generator's */
	uint64_t socket_dropped; /* netlink: receive buffer full */
	uint64_t not_run; /* bpf: the kernel skipped the program (recursion) */
	uint64_t alloc_failed; /* netlink: the kernel had no memory for the message */
};

#define SOURCE_ACCOUNTS_MAX (EV_KINDS + 1)

struct source_stats {
	unsigned naccounts;
	struct source_account account[SOURCE_ACCOUNTS_MAX];
	bool knows_ours; /* ring_full_ours is meaningful: nothing of R is uncertain */
	bool not_run_unknown; /* bpf: the kernel does not count what it skipped (before 5.12) */
	bool generated_all_types; /* netlink: `generated` counts messages of every type, filtered ones too */
	bool books_audited; /* `generated` was counted apart from drops: the books can be checked */
	unsigned loss_cpus; /* on how many CPUs events were dropped for want of room */
	uint64_t loss_cpu_most; /* … and how many on the one with most */
	uint64_t seq_gaps; /* netlink: missing sequence numbers */
	uint64_t malformed; /* records or datagrams that could not be parsed or were forged */
	uint64_t buffer_bytes; /* as the kernel really made it */
	uint64_t bytes_per_event; /* what one event is charged of it */
	uint64_t buffer_peak; /* most bytes seen in use at the start of a drain; 0 if not known */
	bool crossed; /* both: what follows is meaningful */
	uint64_t cross_both,
		cross_only[2]; /* events that both told of; that bpf or netlink alone did */
	uint64_t cross_unchecked; /* too many waited for their twin */
	uint64_t bpf_run_ns[EV_KINDS], bpf_run_cnt[EV_KINDS]; /* kernel.bpf_stats_enabled only */
};

#endif
