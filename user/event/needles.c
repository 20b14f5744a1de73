// SPDX-License-Identifier: MIT
#include "event/needles.h"

#include <string.h>

bool needles_add(struct needles *n, const char *text)
{
	size_t len = strlen(text);

	if (!len || len > NEEDLES_MAX - n->used)
		return false;
	n->first |= 1ULL << n->used;
	for (size_t i = 0; i < len; i++)
		n->mask[(unsigned char)text[i]] |= 1ULL << n->used++;
	n->last |= 1ULL << (n->used - 1);
	return true;
}

bool needles_find(const struct needles *n, const char *p, size_t len)
{
	uint64_t found = 0; /* bit i: the bytes up to here end with those of the needle up to i */

	for (size_t i = 0; i < len; i++) {
		found = (found << 1 | n->first) & n->mask[(unsigned char)p[i]];
		if (found & n->last)
			return true;
	}
	return false;
}
