/* SPDX-License-Identifier: MIT */
/*
 * usage: what else happened on the machine while a slice ran: time stolen by the hypervisor, processes of
 * others, time that others computed, time that we were throttled. Judged, marked, never a reason to drop.
 *
 * usage_read() looks at /proc/stat and the cgroup, usage_memory() at ourselves; the rest is pure. Any thread.
 */
#ifndef PT_BENCH_USAGE_H
#define PT_BENCH_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Totals since boot. /proc/stat counts in ticks of 10 ms: that is how exact the times are. */
struct usage {
	uint64_t at_ns; /* CLOCK_MONOTONIC */
	double idle_s, steal_s; /* all CPUs together */
	uint64_t forks; /* processes and threads started */
	double throttled_s; /* our cgroup and those above it, the longest of them */
};

enum disturb_mark {
	DISTURB_STEAL = 1, /* the hypervisor took CPU time */
	DISTURB_PROCESSES = 2, /* others started processes or threads */
	DISTURB_LOAD = 4, /* others computed */
	DISTURB_THROTTLED = 8, /* our cgroup was out of its quota */
	DISTURB_GAP = 16, /* the idle time before the slice was not the agreed one */
	DISTURB_MARKS = 5, /* how many there are */
};

struct disturbance {
	double steal_s, foreign_cpu_s, throttled_s;
	uint64_t foreign_forks;
	uint32_t marks; /* of enum disturb_mark */
};

/* What is our own doing between two readings. */
struct usage_ours {
	unsigned cpus; /* of the machine */
	uint64_t forks; /* launches, also such that failed */
	double cpu_s; /* generator, what it launched, readers */
};

void usage_read(struct usage *u);
/* From the text of /proc/stat; @hz: ticks a second. false: not such a text. */
bool usage_parse_stat(struct usage *u, const char *text, long hz);
/* From the text of a cgroup's cpu.stat, version 1 or 2: seconds throttled; 0 if it does not say. */
double usage_parse_throttled(const char *text);
/* What happened between @before and @after, and which of it may have changed the figures. */
struct disturbance usage_judge(const struct usage *before, const struct usage *after,
			       const struct usage_ours *ours);

/* Bytes that this process holds for itself: no files, no buffers mapped from the kernel. */
uint64_t usage_memory(void);

#endif
