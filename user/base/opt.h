/* SPDX-License-Identifier: MIT */
/*
 * opt: command-line options as tables. A command lists groups of options, each group writing into one
 * struct; --help, usage errors and shell completion come from the same tables.
 */
#ifndef PT_BASE_OPT_H
#define PT_BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct opt;

/* Parses @value (NULL for a flag) into @dst. 0 or -EINVAL; @e then says what was wrong with the value and
 * what is right ("is not a size; give bytes, or 64K, 8M, 1G"); opts_parse() puts "--name 'value'" before it. */
typedef int (*opt_parse_fn)(const struct opt *opt, const char *value, void *dst, struct err *e);

struct opt {
	const char *name; /* without dashes; NULL ends a table */
	const char *arg; /* name of the value in --help; NULL: a flag */
	opt_parse_fn parse;
	size_t offset; /* of the field in the group's struct */
	const char *help; /* one line; defaults named */
	const void *data; /* for the parser: e.g. a NULL-ended const char *const[] of choices */
	char short_name; /* 0: none */
	/* The value that is meant where none is given (then --name WORD has one only if WORD begins with no
	 * dash); NULL: it must be given. */
	const char *implied;
};

struct opt_group {
	const char *title; /* "Load", "Filters", … */
	const struct opt *opts;
	void *base;
};

/* One row of main's table. */
struct command {
	const char *name, *usage,
		*summary; /* usage: what follows "proctrace NAME"; summary: one line */
	int (*run)(int argc,
		   char **argv); /* argv[0] is the command's name; returns the exit status */
	const char
		*details; /* for --help, after the options: examples, exit statuses; may be NULL */
};

/* As data of opt_u32, opt_u64, opt_bytes and opt_duration: what the value may be. Where 0 stands for "not
 * given", a 0 that was given must not pass for it. */
struct opt_bounds {
	uint64_t min, max;
	const char *text; /* for people: "from one page to 1G" */
};

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_LOSS = 3,
	EXIT_INTERRUPTED = 130
};

/* Ready parsers; the type of the field in brackets. */
int opt_flag(const struct opt *, const char *, void *dst, struct err *); /* bool */
int opt_string(const struct opt *, const char *, void *dst, struct err *); /* const char * */
int opt_u32(const struct opt *, const char *, void *dst,
	    struct err *); /* uint32_t, decimal, no sign */
int opt_u64(const struct opt *, const char *, void *dst, struct err *); /* uint64_t */
int opt_double(const struct opt *, const char *, void *dst, struct err *); /* double, > 0, finite */
int opt_bytes(const struct opt *, const char *, void *dst,
	      struct err *); /* size_t: 4096, 64K, 8M, 1G (binary) */
int opt_duration(const struct opt *, const char *, void *dst,
		 struct err *); /* uint64_t ns: 2 (s), 1.5s, 3us, 10ms, 2m */
int opt_choice(const struct opt *, const char *, void *dst,
	       struct err *); /* int: index into data */
struct opt_range { /* N or A-B */
	uint32_t from, to;
};
int opt_range(const struct opt *, const char *, void *dst, struct err *); /* struct opt_range */
#define OPT_LIST_MAX 64
struct opt_list { /* repeatable, and comma-separated */
	const char *v[OPT_LIST_MAX];
	unsigned n;
};
int opt_list(const struct opt *, const char *, void *dst,
	     struct err *); /* struct opt_list; modifies argv's text */

/*
 * Parses argv[1..] against @groups (ended by opts == NULL). Takes --name VALUE, --name=VALUE, -x VALUE; "--" ends
 * the options; so does the first operand if @stop_at_operand. Handles --help itself. Operands are moved to the
 * end; @first_operand gets their index; if it is NULL, operands are refused. Returns 0; 1: --help was printed, the command is done; -EINVAL: @e
 * has the whole sentence (unknown option, with the nearest known name; missing value; bad value).
 */
int opts_parse(const struct command *cmd, const struct opt_group *groups, int argc, char **argv,
	       bool stop_at_operand, int *first_operand, struct err *e);

/* Prints "proctrace: SENTENCE" to stderr and returns @status. The one place where commands complain. */
int complain(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
