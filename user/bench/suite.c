// SPDX-License-Identifier: MIT
#include "bench/suite.h"

#include "base/clock.h"

static int quick_add(struct plan *p, unsigned cpus, const struct load_cfg *base, struct err *e)
{
	return plan_add_scenario(p, NULL, cpus, base, e);
}

const struct suite suites[] = {
	{ .name = "quick", .add = quick_add },
	{ .name = "article",
	  .rounds = ARTICLE_ROUNDS,
	  .own_durations = true,
	  .monitors = "none,bpf,netlink-names",
	  .explained = true,
	  .add = suite_article_add },
	{ .name = "full", .rounds = 3, .duration_ns = 500 * NSEC_PER_MSEC, .add = suite_full_add },
};

const char *const suite_names[] = { "quick", "article", "full", NULL };
