/* SPDX-License-Identifier: MIT */
/*
 * outbuf: a buffered writer on a descriptor, for output that must keep up with events.
 *
 * Nothing fails towards the caller: the first errno is kept in @err, and what comes after it is
 * dropped. One thread at a time. The descriptor is borrowed.
 */
#ifndef PT_BASE_OUTBUF_H
#define PT_BASE_OUTBUF_H

#include <stdint.h>
#include <string.h>

#include "base/outfile.h"

struct outbuf {
	int fd;
	int err; /* 0, or the first -errno */
	char *buf;
	size_t n, cap;
	struct outfile *file; /* borrowed; NULL: the file is never begun anew */
};

/* 0 or -ENOMEM. */
int outbuf_init(struct outbuf *o, int fd);
/* Writes out all that is buffered; waits where the descriptor would block. Returns @err. */
int outbuf_flush(struct outbuf *o);
/* Frees without flushing; safe on a zeroed or failed one. */
void outbuf_free(struct outbuf *o);

/* Makes room for @n bytes (slow path of outbuf_room). NULL: no memory; @err is set. */
char *outbuf_make_room(struct outbuf *o, size_t n);

/* Where @n bytes may be written; then tell outbuf_took() how many were. NULL: no memory. */
static inline char *outbuf_room(struct outbuf *o, size_t n)
{
	return n <= o->cap - o->n ? o->buf + o->n : outbuf_make_room(o, n);
}

static inline void outbuf_took(struct outbuf *o, size_t n)
{
	o->n += n;
}

static inline void outbuf_put(struct outbuf *o, const void *p, size_t n)
{
	char *room = outbuf_room(o, n);

	if (room) {
		memcpy(room, p, n);
		o->n += n;
	}
}

/* Begins the file anew (slow path of outbuf_line_end()). */
void outbuf_rotate(struct outbuf *o);

/* A line is whole: here the file may end and the next one begin. */
static inline void outbuf_line_end(struct outbuf *o)
{
	if (o->file && o->file->size + o->n >= o->file->limit)
		outbuf_rotate(o);
}

static inline void outbuf_puts(struct outbuf *o, const char *s)
{
	outbuf_put(o, s, strlen(s));
}

static inline void outbuf_putc(struct outbuf *o, char c)
{
	outbuf_put(o, &c, 1);
}

/* Decimal digits. outbuf_pad: right-aligned in at least @width columns. */
void outbuf_u64(struct outbuf *o, uint64_t v);
void outbuf_i64(struct outbuf *o, int64_t v);
void outbuf_pad_u64(struct outbuf *o, uint64_t v, unsigned width);

/* Room for any 64-bit number in decimal. */
#define DECIMAL_MAX 20
/* Writes the digits of @v to @dst (no NUL); returns how many. */
unsigned decimal_format(char dst[DECIMAL_MAX], uint64_t v);

#endif
