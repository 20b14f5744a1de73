/* SPDX-License-Identifier: MIT */
/* result_run: what one measured cell leaves in the report. Times in ns, rates per s, sizes in bytes. */
#ifndef PT_REPORT_RESULT_RUN_H
#define PT_REPORT_RESULT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/conditions.h"
#include "bench/losses.h"
#include "bench/reconcile.h"

struct result_latency {
	uint64_t n, p50, p90, p99, p999, max;
};

struct result_source {
	char name[32]; /* as in the table of sources */
	uint64_t buffer_bytes, capacity_events, bytes_per_event, buffer_peak;
	uint64_t generated, delivered, filtered, malformed, seq_gaps, dropped;
	struct ledger ledger; /* lines of kinds not watched are absent (null) in JSON */
	bool names; /* this source can identify at all */
	struct result_latency latency;
	double reader_user_s, reader_sys_s; /* CPU of the reader thread */
	bool has_losses; /* reports of before lack them */
	struct losses losses;
	bool checks_ok; /* identities hold and the books balance (or could not be audited) */
};

struct result_run {
	char scenario[32], monitor[64];
	char study[16]; /* what the scenario is a part of; empty: itself */
	struct conditions cond;
	uint32_t round;
	char method[16], mode[16];
	uint32_t workers, inflight;
	double duration_s, pause_s, rate_target;
	uint64_t launches, failed,
		harness; /* harness: canaries, primes, probes: expected, but not in the rate */
	double rate_per_s, cpu_s, child_cpu_s;
	struct result_latency launch_latency;
	bool truth_full, interrupted;
	unsigned nsources; /* 0 for monitor "none" */
	struct result_source source[2];
	bool has_cross;
	struct cross cross; /* source[0] is A, source[1] is B */
};

#endif
