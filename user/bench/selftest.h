/* SPDX-License-Identifier: MIT */
/*
 * selftest: shows that the books find what is wrong, and nothing else. Each fault is injected alone; then every figure of the
 * ledger must be the one that follows from what was injected. A figure too high is as wrong as one too low.
 */
#ifndef PT_BENCH_SELFTEST_H
#define PT_BENCH_SELFTEST_H

#include "bench/cell.h"
#include "bench/faults.h"
#include "bench/synthetic.h"

#define SELFTEST_EVENTS (16 * FAULTS_LAUNCHES) /* room: others' too */

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
/* With the source @ops of @rig, which has one worker and room for SELFTEST_EVENTS; @beside is the honest source
 * that watches where a fault needs one. 0, -EINTR or -errno with a sentence. */
int selftest_live(struct selftest_column *col, struct rig *rig, const struct source_ops *ops,
		  const struct source_ops *beside, struct err *e);

#endif
