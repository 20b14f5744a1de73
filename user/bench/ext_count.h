/* SPDX-License-Identifier: MIT */
/*
 * ext_count: lines of text about launches, set against the truth. (Internal to external.) Pure.
 *
 * A line counts if it matches the regular expression, or without one, if it holds a target's name. Whose it is
 * tells the pid in it: the first group of the expression, or without one, the place in the line at which the pid
 * of a canary stood. Lines without a pid are only counted.
 */
#ifndef PT_BENCH_EXT_COUNT_H
#define PT_BENCH_EXT_COUNT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "load/truth.h"

#define EXT_UNKNOWN UINT64_MAX
#define EXT_NAMES 4 /* testApp, and targets of the user's */

/* How to read a line. */
struct ext_format {
	char name[EXT_NAMES][16]; /* with which the names of all targets begin */
	unsigned nnames;
	const regex_t *match; /* NULL: lines that hold @name */
	int column; /* which word, from 0, is the pid; -1: not known. Without groups in @match */
};

struct ext_line {
	bool counts;
	bool named; /* holds one of format.name */
	pid_t pid; /* -1: not known */
};

struct ext_counts {
	uint64_t launches; /* in the truth */
	uint64_t lines; /* that count */
	uint64_t
		told; /* launches with a line of their own, named or not; EXT_UNKNOWN without an expression with a group */
	uint64_t identified; /* launches that a line names */
	uint64_t misnamed; /* … only by the name of another one of the targets */
	uint64_t repeated; /* lines about a launch beyond the first */
	uint64_t foreign; /* lines with the name, but of no launch */
	bool by_pid;
};

/* Those of @truth's names that do not begin with another one of them: "testApp" stands for testApp1 … */
void ext_names_take(struct ext_format *f, const struct truth *truth);
/* The next whole line of @text[@at…len): its length without "\n" or "\r\n", and *next. -1: there is none. */
ssize_t ext_line_next(const char *text, size_t at, size_t len, size_t *next);
struct ext_line ext_line_read(const struct ext_format *f, const char *line, size_t len);
/* Which word of @line is the number @pid; -1: none. */
int ext_column_find(const char *line, size_t len, pid_t pid);
/* Sets all lines of @text against @truth. 0 or -ENOMEM. */
int ext_count(const struct ext_format *f, const char *text, size_t len, const struct truth *truth,
	      struct ext_counts *out);

#endif
