/* SPDX-License-Identifier: MIT */
/*
 * selftest: shows that the books find what is wrong, and nothing else. Each fault is injected alone; then every figure of the
 * ledger must be the one that follows from what was injected. A figure too high is as wrong as one too low.
 */
#ifndef PT_BENCH_SELFTEST_H
#define PT_BENCH_SELFTEST_H

#include "bench/faults.h"
#include "bench/synthetic.h"

#define SELFTEST_EVENTS 400000 /* room: those of others too, on a busy machine */

struct selftest_row {
	const struct fault_case *fault; /* NULL: this fault cannot be injected there */
	uint64_t injected, expected, found; /* in the figure that the fault shows in */
	bool exact; /* that, and all other figures */
	char why[200]; /* if not: which figures */
};

/* One way of being tested. */
struct selftest_column {
	char name[32]; /* as in tables: "replay, ring" */
	struct selftest_row *row; /* one for each of fault_cases */
	size_t rows, tested, missed;
};

/* Allocates the rows, in the order of fault_cases. 0 or -ENOMEM. */
int selftest_column_init(struct selftest_column *col, const char *name);
void selftest_column_free(struct selftest_column *col);

/* From memory, without root. 0 or -errno with a sentence. */
int selftest_replay(struct selftest_column *col, enum synthetic_style style, struct err *e);

/* For those who run the faults: whether @c can be injected into a source of @kinds that can name or not; … */
bool selftest_fits(const struct fault_case *c, unsigned kinds, bool names);
/* … and what came of it: fills the row of @c. 0 or -ENOMEM. */
int selftest_judge(struct selftest_column *col, const struct fault_case *c,
		   const struct injector *in, const struct truth *truth, const struct observed *o);

#endif
