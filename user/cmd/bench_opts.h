/* SPDX-License-Identifier: MIT */
/* bench_opts: what the user of `bench` asked for, checked, and the plan that follows from it. */
#ifndef PT_CMD_BENCH_OPTS_H
#define PT_CMD_BENCH_OPTS_H

#include "base/opt.h"
#include "bench/plan.h"
#include "bench/suite.h"
#include "cmd/bench_with.h"
#include "load/load_opts.h"

#define NOT_GIVEN (-1) /* of options that are a choice */
#define BENCH_ROUNDS_MOST 1000

/* --rounds N or auto[:PCT] */
struct opt_rounds {
	uint32_t n; /* with automatic: the least; 0: not given */
	bool automatic; /* until every slowdown is known to ± pct */
	double pct;
};

struct bench_opts {
	struct load_opts load;
	struct opt_list scenario, monitor;
	struct bench_with with;
	struct opt_rounds rounds;
	uint64_t max_time_ns;
	size_t ring, rcvbuf, equal;
	uint64_t stall_ms, seed;
	const char *output, *btf;
	int suite; /* index into suites[] */
	int attach;
	int colour; /* enum text_colour */
	int self_test; /* index into bench_self_tests[], or NOT_GIVEN */
	bool rounds_given,
		duration_given; /* by the user; the rest of them has defaults filled in */
	bool json, fail_on_loss, seed_given;
};

/* Parses argv. 0; 1: --help was printed; -EINVAL with a sentence. */
int bench_opts_parse(struct bench_opts *o, const struct command *cmd, int argc, char **argv,
		     struct err *e);
/* Names for --self-test, ended by NULL. */
extern const char *const bench_self_tests[];
/* Monitors, scenarios and their order. 0 or -errno with a sentence. */
int bench_plan(const struct bench_opts *o, unsigned cpus, struct plan *p, struct err *e);

#endif
