/* SPDX-License-Identifier: MIT */
/*
 * reconcile: truth × recording × the mechanism's own counters → a ledger that closes.
 *
 * Pure: no I/O, no clock, no root, no global state. All judgement of the program is here. The rules
 * are in the README, "How the ledger works".
 */
#ifndef PT_BENCH_RECONCILE_H
#define PT_BENCH_RECONCILE_H

#include <stdbool.h>

#include "bench/recording.h"
#include "event/event.h"
#include "load/truth.h"
#include "source/source.h"

#define LEDGER_UNKNOWN UINT64_MAX /* cannot be known at this level; null in JSON */

struct ledger_line {
	uint64_t expected, matched, lost; /* expected = matched + lost */
	uint64_t reported, unexplained; /* lost = reported + unexplained; or both unknown */
	uint64_t over_reported, uncertain;
	uint64_t duplicate; /* the same event again */
	uint64_t wrong; /* matched, but with a wrong status, order or impossible time */
	uint64_t wrong_status, wrong_order, wrong_time; /* of those; one event may be several */
};

enum ledger_place { /* where the mechanism itself says that it dropped, all processes */
		    LOST_RING_FULL,
		    LOST_SOCKET_DROPPED,
		    LOST_NOT_RUN,
		    LOST_ALLOC_FAILED,
		    LOST_RECORD_FULL, /* our reader's own memory */
		    LOST_PLACES
};

struct ledger {
	unsigned kinds; /* mask: which of kind[] are meaningful */
	struct ledger_line kind[EV_KINDS];
	struct ledger_line all;
	uint64_t lost_at[LOST_PLACES];
	uint64_t foreign; /* delivered events that belong to no launch */
	uint64_t foreign_generated; /* all foreign events, delivered or not; LEDGER_UNKNOWN */
	uint64_t identified; /* matched EXECs that carried the right name */
	uint64_t misnamed; /* … that carried another one */
	bool identities_hold; /* expected = matched + lost, lost = reported + unexplained: asserted */
	bool books_checked,
		books_balance; /* generated = delivered + dropped + filtered, by independent counts */
	char books_why[160]; /* if not: which books, by how much */
};

struct reconcile_cfg {
	uint64_t
		exit_lag_ns; /* an EXIT may come so long after end_ns (netlink: after wait(2) returned) */
};

/*
 * Memory and time: O(n log n), at most 64 bytes a launch beyond the input. @seen (may be NULL) is an array of
 * truth_count() bytes that gets, per launch in segment order, the mask of EV_MASK() matched; @exec_ts
 * (may be NULL) likewise the time stamp of the matched EXEC, 0 if none. An EXIT of a launch that has not ended is
 * neither expected nor matched nor foreign. Returns 0, -ENOMEM, -E2BIG (2^32 launches or events) or
 * -EINVAL (a kind in two accounts; a pid in truth that no kernel gives).
 */
int reconcile(const struct truth *truth, const struct recording *rec,
	      const struct source_stats *stats, const struct reconcile_cfg *cfg, struct ledger *out,
	      uint8_t *seen, uint64_t *exec_ts);

/* Two sources that watched the same launches, from the arrays above (n launches). */
struct cross {
	struct {
		uint64_t both, only_a, only_b, neither;
	} kind[EV_KINDS]; /* EXEC and EXIT */
	uint64_t ts_n; /* launches whose EXEC both delivered */
	uint64_t ts_p50_ns, ts_p99_ns, ts_max_ns; /* |A's - B's time stamp| */
	double a_first; /* share in which A's stamp is the earlier one */
};

void reconcile_cross(const uint8_t *seen_a, const uint64_t *ts_a, const uint8_t *seen_b,
		     const uint64_t *ts_b, size_t n, struct cross *out);

#endif
