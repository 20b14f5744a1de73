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

/* One size of one mechanism's buffer at one rate: of the rounds in which something was lost, the one in the middle. */
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
	double apart_pct; /* the measured from the predicted onset, … */
	double worst_pct; /* … and in the round in which it is most, either way */
	/* Which events went, sums of the rounds: launches hit, … */
	uint64_t hit, exec_only, exit_only, runs, longest;
	uint64_t cpus; /* most on which a round dropped events; 0: not known */
	double cpu_share; /* of the drops on the CPU with most, median; 1: all on one */
	double recovery_s; /* from the reader's going on to the last loss; the longest of the rounds */
};

/* One monitor at one rate. */
struct law_knee {
	char monitor[64];
	double rate; /* asked for; 0: as many as there could be */
	double achieved, slowest,
		fastest; /* median of the rounds, and its interval (few: the extremes) */
	uint64_t expected, lost, nameable,
		named; /* sums; nameable: the execs, 0 for what carries no name */
	uint64_t p50_ns, p99_ns; /* delivery: medians of the rounds */
	double launch_p99_ns; /* from the intended start until the end was seen: median */
	double cpu_us; /* reader's, per launch: median */
};

/* One monitor at one lifetime. */
struct law_life {
	char source[32];
	uint64_t lifetime_ns;
	bool sleeps;
	uint64_t launches, named;
	/* Of the launches that it could name. From lo to hi: the 95 % interval of that share (Wilson), and the
	 * shares of all rounds, which differ by more than chance where the machine is busy. */
	double share, lo, hi;
};

enum law_half_state { HALF_FOUND, HALF_ALWAYS_MORE, HALF_ALWAYS_LESS };

/* From which lifetime on a source names half of the programs. */
struct law_half {
	char source[32];
	enum law_half_state state;
	double ns, lo_ns, hi_ns; /* HALF_FOUND */
};

#define LAWS_STALLS 64
#define LAWS_KNEES 128
#define LAWS_LIVES 64
#define LAWS_HALVES 4

struct laws {
	struct law_stall stall[LAWS_STALLS];
	size_t nstalls;
	struct law_knee knee[LAWS_KNEES];
	size_t nknees;
	struct law_life life[LAWS_LIVES];
	size_t nlives;
	struct law_half half[LAWS_HALVES];
	size_t nhalves;
};

/* The laws that the runs of @r hold; NULL if there is none, with *err 0 or -ENOMEM. */
struct laws *laws_find(const struct result *r, int *err);

/* Bytes of buffer that a source needs so that a stall of @seconds at @rate launches a second loses nothing. */
double law_stall_bytes(double events_per_launch, double bytes_per_event, double seconds,
		       double rate);

#endif
