/* SPDX-License-Identifier: MIT */
/* bench_with: `bench --with`: someone else's monitors on the command line, and those that are known by name. */
#ifndef PT_CMD_BENCH_WITH_H
#define PT_CMD_BENCH_WITH_H

#include "base/opt.h"
#include "bench/external.h"
#include "bench/plan.h"
#include "report/result_run.h"

#define WITH_MAX 8

struct bench_with {
	struct external_cfg v[WITH_MAX];
	char unusable[WITH_MAX][64]; /* text of v[].unusable */
	unsigned n;
};

extern const struct opt bench_with_opts[];

/* Adds them to the plan, each for the first @rounds rounds (0: all). @w must live as long as @p. 0 or -EINVAL. */
int bench_with_plan(const struct bench_with *w, struct plan *p, uint32_t rounds, struct err *e);
/* What the report says of one slice. */
void bench_with_fill(struct result_source *out, const struct external_cfg *cfg,
		     const struct external_result *r);

#endif
