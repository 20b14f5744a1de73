/* SPDX-License-Identifier: MIT */
/*
 * compare: saved reports side by side. First what differs in machine and settings, then a table a scenario,
 * then the differences that are more than noise, in words. The first report is the one compared with.
 */
#ifndef PT_REPORT_COMPARE_H
#define PT_REPORT_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include "report/result.h"

#define COMPARE_MAX 26 /* reports are called A to Z */

struct compare {
	const struct result *result[COMPARE_MAX]; /* borrowed */
	const char *name[COMPARE_MAX]; /* files, as the user gave them; borrowed */
	size_t n;
};

/* 100 columns at most; colour only if @colour. */
void compare_text(const struct compare *c, FILE *f, bool colour);
/* { "schema": "proctrace.compare/1", … }. 0 or -errno. */
int compare_json(const struct compare *c, FILE *f, struct err *e);

#endif
