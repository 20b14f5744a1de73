/* SPDX-License-Identifier: MIT */
/* line: one line of text, built in room that its maker has measured: nothing here checks. */
#ifndef PT_SINK_LINE_H
#define PT_SINK_LINE_H

#include <string.h>
#include <sys/types.h>

#include "base/escape.h"
#include "base/outbuf.h"

struct line {
	char *start, *p;
};

static inline void line_put(struct line *l, const char *s, size_t n)
{
	memcpy(l->p, s, n);
	l->p += n;
}

static inline void line_puts(struct line *l, const char *s)
{
	line_put(l, s, strlen(s));
}

static inline void line_blanks(struct line *l, size_t n)
{
	memset(l->p, ' ', n);
	l->p += n;
}

static inline void line_u64(struct line *l, uint64_t v)
{
	l->p += decimal_format(l->p, v);
}

/* Terminal columns of the text from @from on. */
static inline size_t line_columns(const struct line *l, const char *from)
{
	size_t n = (size_t)(l->p - from), i = 0;

	/* Almost always plain ASCII. */
	while (i < n && (from[i] & 0x80) == 0)
		i++;
	return i == n ? n : escape_columns(from, n, 0, NULL);
}

/* Cuts the text from @from on to @columns, the last of them "…". */
static inline void line_cut(struct line *l, const char *from, size_t columns)
{
	size_t n = (size_t)(l->p - from), fit;

	if (n <= columns || line_columns(l, from) <= columns)
		return;
	escape_columns(from, n, columns - 1, &fit);
	l->p -= n - fit;
	line_puts(l, "…");
}

#endif
