/* SPDX-License-Identifier: MIT */
/* bench_opts: what the user of `bench` asked for, checked, and the plan that follows from it. */
#ifndef PT_CMD_BENCH_OPTS_H
#define PT_CMD_BENCH_OPTS_H

#include "base/opt.h"
#include "bench/plan.h"
#include "bench/suite.h"
#include "load/load_opts.h"

struct bench_opts {
	struct load_opts load;
	struct opt_list scenario, monitor;
	uint32_t rounds;
	size_t ring, rcvbuf, equal;
	uint64_t stall_ms, seed;
	const char *output, *btf;
	int suite; /* index into suites[] */
	int attach;
	int colour; /* enum text_colour */
	bool json, fail_on_loss;
};

/* Parses argv. 0; 1: --help was printed; -EINVAL with a sentence. */
int bench_opts_parse(struct bench_opts *o, const struct command *cmd, int argc, char **argv,
		     struct err *e);
/* Monitors, scenarios and their order. 0 or -errno with a sentence. */
int bench_plan(const struct bench_opts *o, unsigned cpus, struct plan *p, struct err *e);

#endif
