/* SPDX-License-Identifier: MIT */
/*
 * explain: short measurements without a monitor that tell what one launch is made of: the target, the method,
 * a pause, descriptors and memory of the launcher, how many launch at once. Slices of all variants are
 * interleaved. Command's thread.
 */
#ifndef PT_BENCH_EXPLAIN_H
#define PT_BENCH_EXPLAIN_H

#include "base/stats.h"
#include "load/load.h"

#define EXPLAIN_MAX 24

/* One figure: "target.testApp" and so on; the units stand with the names in explain.c. */
struct explain_figure {
	char name[48];
	struct interval value;
	double n; /* of what stands in the name: descriptors, MiB, workers; else 0 */
};

struct explain {
	struct explain_figure figure[EXPLAIN_MAX];
	unsigned n;
};

/*
 * Measures everything; @target: a further program (NULL: none); @progress (may be NULL) is told what is being
 * measured. What cannot be measured here is left out. A request to stop ends it. 0 or -errno with a sentence.
 */
int explain_measure(struct explain *x, const char *target,
		    void (*progress)(void *ctx, const char *what), void *ctx, struct err *e);

#endif
