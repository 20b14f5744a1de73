/* SPDX-License-Identifier: MIT */
/*
 * laws: what the studies of `bench --suite full` found, derived from the runs alone, so that a saved report tells
 * the same. Pure. Owned by struct result. Sizes in bytes, times in s, rates per s.
 */
#ifndef PT_REPORT_LAWS_H
#define PT_REPORT_LAWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct result;

/* One size of one mechanism's buffer at one rate: medians of the rounds in which something was lost. */
struct law_stall {
	char source[32];
	uint64_t buffer_bytes, bytes_per_event;
	double events_per_launch;
	double rate; /* launches, as asked for */
	double foreign_per_s; /* events of other processes while the reader stood still */
	uint32_t rounds, lossless; /* lossless: rounds without a loss are no measurement */
	double onset_s, predicted_s; /* from the stall's begin to the first loss */
	double held_events,
		capacity_events; /* … and what the buffer held by then, and should hold */
	double apart_pct; /* the measured from the predicted onset */
	/* Which events went, sums of the rounds: launches hit, … */
	uint64_t hit, exec_only, exit_only, runs, longest;
	double recovery_s; /* from the reader's going on to the last loss; the longest of the rounds */
};

#define LAWS_STALLS 64

struct laws {
	struct law_stall stall[LAWS_STALLS];
	size_t nstalls;
};

/* The laws that the runs of @r hold; NULL if there is none, with *err 0 or -ENOMEM. */
struct laws *laws_find(const struct result *r, int *err);

/* Bytes of buffer that a source needs so that a stall of @seconds at @rate launches a second loses nothing. */
double law_stall_bytes(double events_per_launch, double bytes_per_event, double seconds,
		       double rate);

#endif
