/* SPDX-License-Identifier: MIT */
/* result_run: what one measured cell leaves in the report, and what is gathered over several. Times in ns, rates per s, sizes in bytes. */
#ifndef PT_REPORT_RESULT_RUN_H
#define PT_REPORT_RESULT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/conditions.h"
#include "bench/losses.h"
#include "bench/reconcile.h"
#include "report/result_external.h"

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
	uint64_t reader_waits, reader_preempted; /* context switches: voluntary, involuntary */
	/* Of runs in which the kernel timed the programs, by kind: ns, and how often they ran. */
	uint64_t kernel_ns[EV_KINDS], kernel_runs[EV_KINDS];
	struct result_external external;
};

/* What else happened on the machine while the load ran, and which of it may have changed the figures. */
struct result_disturbance {
	double steal_s, foreign_cpu_s, throttled_s;
	uint64_t foreign_processes; /* and threads, that others started */
	bool steal, processes, load, throttled, gap;
};

struct result_run {
	char scenario[32], monitor[64];
	char study[16]; /* what the scenario is a part of; empty: itself */
	struct conditions cond;
	uint32_t round;
	uint32_t
		sequence; /* 1…: the order in which they ran; neighbours are compared. 0: not known */
	bool kernel_timed; /* the kernel timed the programs: rates and times do not count */
	double gap_s; /* idle time before the load */
	struct result_disturbance disturbance;
	uint64_t
		memory_bytes; /* held for the sources at the end of the load, kernel buffers apart */
	char method[16], mode[16];
	uint32_t workers, inflight;
	double duration_s, pause_s, rate_target;
	uint64_t launches, failed,
		harness; /* harness: canaries, primes, probes: expected, but not in the rate */
	double rate_per_s, cpu_s, child_cpu_s;
	struct result_latency launch_latency;
	bool truth_full, interrupted;
	char skipped[128]; /* why it was not measured; empty: it was */
	unsigned nsources; /* 0 for monitor "none" */
	struct result_source source[2];
	bool has_cross;
	struct cross cross; /* source[0] is A, source[1] is B */
};

/* How many slices something else may have changed, by what; a slice may count in several. */
struct result_disturbed {
	uint32_t slices, steal, processes, load, throttled, gap;
};

/* All latencies of one scenario × monitor in one histogram: far quantiles need more launches than a slice has. */
struct result_pooled {
	char scenario[32], monitor[64];
	struct result_latency launch, source[2];
	unsigned nsources;
};

#endif
