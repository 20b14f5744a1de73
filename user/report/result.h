/* SPDX-License-Identifier: MIT */
/*
 * result: everything that one `bench` measured; what JSON, tables, verdict and compare are made of.
 *
 * bench fills runs[]; result_summarise() derives summary[]; result_save()/result_load() go through one table
 * of fields (result_fields.c), so that a saved report prints exactly as the live one. Owned by the
 * command; freed by result_free(). Times in ns, rates per s, sizes in bytes.
 */
#ifndef PT_REPORT_RESULT_H
#define PT_REPORT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/stats.h"
#include "report/laws.h"
#include "bench/explain.h"
#include "report/result_run.h"

#define RESULT_SCHEMA "proctrace.report/1"

struct result_host {
	char kernel[96], arch[32], virt[32], cpu_model[96], clocksource[32];
	uint32_t cpus, cpus_possible;
	uint64_t pid_max, rmem_max, mem_bytes, page_size;
	char governor[32]; /* of CPU 0's frequency; empty: none, or the hypervisor's */
	char mitigations
		[256]; /* "spectre_v2 Retpolines, …": weaknesses that the kernel works around */
	char other_programs
		[256]; /* BPF programs of others on the process tracepoints, when it started */
	int64_t other_programs_n,
		other_listeners; /* … how many, and sockets on the proc connector; -1: not known */
};

struct result_config { /* what the run was asked for: differences are named by compare */
	double duration_s;
	uint32_t rounds;
	char method[16], target[128]; /* target: "testApp" or the path */
	uint64_t ring_bytes, rcvbuf_bytes, stall_ms, seed;
	char suite[16]; /* empty: the user chose what runs, or nothing */
	uint64_t count; /* launches of a slice; 0: bounded by time alone */
	double auto_pct,
		max_time_s; /* rounds until each slowdown is known to ± auto_pct; 0: a fixed number */
};

/* One per scenario × monitor: none, bpf, netlink, netlink-names, others, pairs. Counters: sums of the rounds. */
struct result_summary {
	char scenario[32], monitor[64], study[16];
	uint32_t rounds, workers;
	char method[16], mode[16];
	uint64_t launches, failed;
	struct interval rate_per_s;
	struct interval
		slowdown_pct; /* of paired ratios, against the neighbours that nobody watched */
	double detectable_pct; /* half the width of that interval: a smaller slowdown would not show */
	struct result_disturbed disturbed;
	bool has_slowdown;
	struct result_latency launch_latency; /* of all rounds; without pooled: medians of theirs */
	unsigned nsources;
	struct result_source source[2]; /* sums; latency: medians of the rounds', max the largest */
	bool has_cross;
	struct cross cross;
	double cpu_us_per_launch[2]; /* reader's CPU, µs a launch, median of the rounds */
	uint64_t memory_bytes; /* the most of the rounds */
};

struct result {
	char version[32];
	int64_t wall_time_s; /* start of the run, Unix time */
	bool interrupted;
	struct result_host host;
	struct result_config config;
	uint64_t warm_up_launches; /* of slices that do not count */
	struct result_run *run;
	size_t nruns;
	struct result_pooled *pooled;
	size_t npooled;
	struct explain_figure *figure; /* what a launch is made of (bench/explain.h) */
	size_t nfigures;
	struct result_summary *summary;
	size_t nsummaries;
	struct laws *laws; /* of studies; NULL: none was run */
};

/* Appends a zeroed run and returns it; NULL when out of memory. Earlier pointers become invalid. */
struct result_run *result_add_run(struct result *r);
/* Appends a zeroed one; NULL when out of memory. */
struct result_pooled *result_add_pooled(struct result *r);
struct explain_figure *result_add_figure(struct result *r);
/* NULL: there is none. */
const struct result_pooled *result_pooled_find(const struct result *r, const char *scenario,
					       const char *monitor);
/* What its share of names is of: matched EXECs, or launches, where delivery cannot be seen. */
uint64_t source_nameable(const struct result_source *s);
/* Fills summary and laws from runs (again). 0 or -ENOMEM. Pure. */
int result_summarise(struct result *r);
/* Fills @h from this machine (uname, /proc, /sys; what cannot be read stays empty). */
void result_host_fill(struct result_host *h);

/* JSON. Save to a stream, or to @path atomically (temporary file, fsync, rename). */
int result_write(const struct result *r, FILE *f, struct err *e);
int result_save(const struct result *r, const char *path, struct err *e);
/* Reads a report; hostile input gets one sentence (not JSON, other schema, field of a wrong type, too big). */
int result_load(struct result *r, const char *path, struct err *e);
/* The same from memory; @name stands for the file in the sentence. */
int result_parse(struct result *r, const char *text, size_t len, const char *name, struct err *e);
void result_free(struct result *r);

#endif
