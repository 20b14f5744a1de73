/* SPDX-License-Identifier: MIT */
/*
 * fmt: figures as people read them. Each function returns its text by value, so that it can stand in the
 * arguments of a printf: printf("%s", fmt_count(n).s).
 *
 * A blank that must not be broken (11 332, 2.1 ms) is written as U+00A0; report_flush() turns it into a
 * plain one at the very end, after lines were wrapped.
 */
#ifndef PT_REPORT_FMT_H
#define PT_REPORT_FMT_H

#include <stddef.h>
#include <stdint.h>

#define NBSP "\xc2\xa0"
#define FMT_NONE "–" /* there is no such figure */
#define FMT_UNKNOWN "?" /* there is one, but it cannot be known here */

struct fmt {
	char s[64];
};

/* 11 332; "?" for LEDGER_UNKNOWN. */
struct fmt fmt_count(uint64_t n);
/* About @digits significant digits, plainly and grouped: 0.012, 2.1, 11 332. */
struct fmt fmt_real(double v, int digits);
/* The share of @part in @whole, in per cent without the sign. Rounded down with as many digits as it
 * takes: 100 only for all, 0 only for none. */
struct fmt fmt_percent(uint64_t part, uint64_t whole);
/* An upper bound, rounded up to one significant digit. */
struct fmt fmt_bound(double v);
/* 850 ns, 2.1 ms, 1.5 s */
struct fmt fmt_time(double ns);
/* 4 KiB, 8 MiB, 212 992 B */
struct fmt fmt_bytes(uint64_t bytes);
/* 2026-12-01 01:06 UTC */
struct fmt fmt_date(int64_t unix_s);

/* A text from a process, a file or another machine, made safe for a terminal. */
struct fmt_name {
	char s[648];
};
struct fmt_name fmt_name(const char *text);

/* One sentence or line under construction; what does not fit is cut. */
struct line {
	char s[1600];
	size_t n;
};
void line_add(struct line *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "s" unless @n is 1. */
const char *plural(uint64_t n);

#endif
