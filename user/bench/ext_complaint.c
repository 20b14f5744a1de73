// SPDX-License-Identifier: MIT
#include "bench/ext_complaint.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bench/ext_count.h"

/* What a shell says about a tool that is missing ("not found") is seldom the point. */
static bool is_complaint(const char *line, size_t len)
{
	static const char *const words[] = { "unable", "cannot", "can't",   "error",
					     "fail",   "denied", "must be", "not permitted" };
	char text[256];

	snprintf(text, sizeof(text), "%.*s", (int)(len < sizeof(text) ? len : sizeof(text)), line);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcasestr(text, words[i]))
			return true;
	return false;
}

void ext_complaint(const char *text, size_t len, char *dst, size_t cap)
{
	dst[0] = '\0';
	for (size_t at = 0, next; at < len; at = next) {
		ssize_t n = ext_line_next(text, at, len, &next);
		bool complaint;

		if (n < 0) {
			n = (ssize_t)(len - at); /* the last one is not ended */
			next = len;
		}
		complaint = is_complaint(text + at, (size_t)n);
		if (n && (!dst[0] || complaint))
			snprintf(dst, cap, "%.*s", (int)((size_t)n < cap ? (size_t)n : cap),
				 text + at);
		if (complaint)
			return;
	}
}
