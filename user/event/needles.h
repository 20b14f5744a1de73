/* SPDX-License-Identifier: MIT */
/*
 * needles: texts, of which one has to be found within another. All at once and in one pass (Shift-And: each
 * byte of each needle has a bit), with the same tables in the kernel and here.
 */
#ifndef PT_EVENT_NEEDLES_H
#define PT_EVENT_NEEDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NEEDLES_MAX 64 /* bytes of all needles together */

struct needles {
	uint64_t mask[256]; /* for each byte: where it stands in the needles */
	uint64_t first, last; /* where needles begin and end; last == 0: there are none */
	unsigned used;
};

/* False: no room, or @text is empty. */
bool needles_add(struct needles *n, const char *text);
/* Whether any of them is in the @len bytes at @p. */
bool needles_find(const struct needles *n, const char *p, size_t len);

#endif
