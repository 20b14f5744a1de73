/* SPDX-License-Identifier: MIT */
/*
 * condition: what a user does not accept in a report, for --fail-if:
 *
 *   [SCENARIO:]VALUE OP NUMBER[%]        OP: >  >=  <  <=  ==  !=
 *   VALUE: SOURCE.FIELD[.FIELD]          as in the JSON of a source: bpf.exec.lost, netlink.lost_at.socket_dropped
 *        | rate(MONITOR)                 launches/s
 *        | slowdown(MONITOR)             per cent, as are
 *        | delivered(SOURCE) | identified(SOURCE)
 *        | cpu_us(SOURCE)                of the reader, a launch
 *
 * It holds if it does for any cell of any report. Of rate and slowdown, which have intervals, the whole interval must lie beyond
 * the number, so that noise fails no build; without an interval (fewer than six rounds) the median must. Pure.
 */
#ifndef PT_REPORT_CONDITION_H
#define PT_REPORT_CONDITION_H

#include <stdbool.h>

#include "report/fields.h"
#include "report/result.h"

#define CONDITION_DEPTH 3 /* fields in fields */

enum condition_op { OP_GT, OP_GE, OP_LT, OP_LE, OP_EQ, OP_NE };

struct condition_figure;

struct condition {
	const char *text; /* as the user wrote it; borrowed */
	char scenario[32]; /* empty: any */
	char name[64]; /* of the source or monitor */
	const struct condition_figure *figure; /* NULL: a field */
	const struct field *path[CONDITION_DEPTH];
	unsigned depth;
	enum condition_op op;
	double limit;
};

struct condition_outcome {
	const struct condition *condition;
	size_t hits; /* how often it holds; of the first: */
	double value;
	size_t report;
	const struct result_summary *summary;
};

/* @text must outlive @c. 0, or -EINVAL with a sentence that says what is wrong in it and what is right. */
int condition_parse(struct condition *c, const char *text, struct err *e);
/* 0, or -ENOENT with a sentence: no report has such a figure, so nobody can say. */
int condition_check(const struct condition *c, const struct result *const *result, size_t n,
		    struct condition_outcome *out, struct err *e);

#endif
