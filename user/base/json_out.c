// SPDX-License-Identifier: MIT
#include "base/json_out.h"

#include "base/escape.h"

bool jout_string(struct json_out *j, const char *p, size_t n)
{
	bool replaced = false;
	char *room;

	jout_sep(j);
	room = outbuf_room(j->out, ESCAPE_JSON_MAX(n) + 2);
	if (!room)
		return true;
	room[0] = '"';
	n = escape_json(room + 1, ESCAPE_JSON_MAX(n), p, n, &replaced);
	room[1 + n] = '"';
	outbuf_took(j->out, n + 2);
	return !replaced;
}

void jout_hex(struct json_out *j, const char *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char *room, *q;

	jout_sep(j);
	room = q = outbuf_room(j->out, 2 * n + 2);
	if (!room)
		return;
	*q++ = '"';
	for (size_t i = 0; i < n; i++) {
		*q++ = digits[(uint8_t)p[i] >> 4];
		*q++ = digits[(uint8_t)p[i] & 15];
	}
	*q++ = '"';
	outbuf_took(j->out, (size_t)(q - room));
}
