/* SPDX-License-Identifier: MIT */
/* nearest: "did you mean …?" Offer all known words, then ask for the best. Pure; any thread. */
#ifndef PT_BASE_NEAREST_H
#define PT_BASE_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word; /* what the user typed, @len bytes of it; borrowed */
	size_t len;
	const char *best; /* NULL: nothing is near enough to suggest; borrowed */
	unsigned distance;
};

struct nearest nearest_init(const char *word, size_t len);
void nearest_offer(struct nearest *n, const char *known);

#endif
