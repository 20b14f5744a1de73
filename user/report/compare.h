/* SPDX-License-Identifier: MIT */
/*
 * compare: saved reports side by side. First what differs in machine and settings, then a table a scenario,
 * then the differences that are more than noise (judge.h), in words. The first report is the one compared with.
 */
#ifndef PT_REPORT_COMPARE_H
#define PT_REPORT_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include "report/result.h"

#define COMPARE_MAX 26 /* reports are called A to Z */

struct condition_outcome;

struct compare {
	const struct result *result[COMPARE_MAX]; /* borrowed */
	const char *name[COMPARE_MAX]; /* files, as the user gave them; borrowed */
	size_t n;
	const struct condition_outcome *condition; /* of --fail-if; borrowed */
	size_t nconditions;
};

/* Each writes the whole; 0 or -ENOMEM. 100 columns at most; colour only if @colour. */
int compare_text(const struct compare *c, FILE *f, bool colour);
/* { "schema": "proctrace.compare/1", … } */
int compare_json(const struct compare *c, FILE *f, struct err *e);
/* For a pull request: GitHub's tables. */
int compare_markdown(const struct compare *c, FILE *f);

#endif
