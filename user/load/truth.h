/* SPDX-License-Identifier: MIT */
/*
 * truth: what really was launched, written by the load generator, read by reconcile.
 *
 * Lives in memory shared by the workers and the command, prefaulted, never grown: when a worker's
 * segment is full its run ends early and says so.
 */
#ifndef PT_LOAD_TRUTH_H
#define PT_LOAD_TRUTH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * One launch whose program really was executed (a failed exec is no launch).
 * The window [start_ns, end_ns]: start is stamped before the clone, end after waitid(WNOWAIT) saw the
 * child dead and before it was reaped, so two windows of one pid never overlap.
 */
struct truth_launch {
	uint64_t start_ns,
		end_ns; /* CLOCK_MONOTONIC; end_ns 0: still running when the books closed */
	pid_t pid;
	uint32_t status; /* as wait(2) reported it, raw */
	uint32_t worker; /* 0…; TRUTH_HARNESS: a canary, prime or probe */
	uint32_t name; /* 1…: index + 1 into truth.name[], the comm it must have; 0: not known */
};

#define TRUTH_HARNESS UINT32_MAX

struct truth_segment {
	const struct truth_launch *launch; /* in order of start_ns */
	size_t n;
};

#define TRUTH_MAX_SEGMENTS 257
#define TRUTH_MAX_NAMES 255

struct truth {
	struct truth_segment segment[TRUTH_MAX_SEGMENTS]; /* one per worker, and the harness's */
	unsigned nsegments;
	char name[TRUTH_MAX_NAMES][16]; /* comm values, NUL-terminated */
	unsigned nnames;
};

/* Launches in all segments. */
size_t truth_count(const struct truth *t);

#endif
