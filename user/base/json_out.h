/* SPDX-License-Identifier: MIT */
/*
 * json_out: writes JSON fast onto an outbuf: compact, one value after another, commas by itself. (Names
 * begin with jout_: json_string() and others belong to jansson.)
 *
 * Strings may hold any bytes and the output is valid JSON and valid UTF-8 all the same: see
 * escape_json(). Bytes that are no UTF-8 are shown as U+FFFD; jout_string() then returns false, so that
 * the caller can add the bytes themselves with jout_hex(). One thread at a time.
 */
#ifndef PT_BASE_JSON_OUT_H
#define PT_BASE_JSON_OUT_H

#include <stdbool.h>

#include "base/outbuf.h"

struct json_out {
	struct outbuf *out; /* borrowed */
	bool comma; /* a value stands before the next one */
};

static inline void jout_sep(struct json_out *j)
{
	if (j->comma)
		outbuf_putc(j->out, ',');
	j->comma = true;
}

/* Opens and closes with one of { [ and } ]. */
static inline void jout_open(struct json_out *j, char bracket)
{
	jout_sep(j);
	outbuf_putc(j->out, bracket);
	j->comma = false;
}

static inline void jout_close(struct json_out *j, char bracket)
{
	outbuf_putc(j->out, bracket);
	j->comma = true;
}

/* A key that needs no escaping; a value must follow. */
static inline void jout_key(struct json_out *j, const char *key)
{
	size_t n = strlen(key);
	char *room = outbuf_room(j->out, n + 4), *p = room;

	if (!room)
		return;
	if (j->comma)
		*p++ = ',';
	*p++ = '"';
	memcpy(p, key, n);
	p += n;
	*p++ = '"';
	*p++ = ':';
	outbuf_took(j->out, (size_t)(p - room));
	j->comma = false;
}

/* Values. jout_string() returns false if bytes had to be replaced. */
bool jout_string(struct json_out *j, const char *p, size_t n);
/* The bytes as a string of hexadecimal digits. */
void jout_hex(struct json_out *j, const char *p, size_t n);

static inline void jout_u64(struct json_out *j, uint64_t v)
{
	jout_sep(j);
	outbuf_u64(j->out, v);
}

static inline void jout_i64(struct json_out *j, int64_t v)
{
	jout_sep(j);
	outbuf_i64(j->out, v);
}

static inline void jout_bool(struct json_out *j, bool v)
{
	jout_sep(j);
	outbuf_puts(j->out, v ? "true" : "false");
}

/* Ends one line of a stream of values. */
static inline void jout_newline(struct json_out *j)
{
	outbuf_putc(j->out, '\n');
	j->comma = false;
}

#endif
