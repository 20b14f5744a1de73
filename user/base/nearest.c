// SPDX-License-Identifier: MIT
#include "base/nearest.h"

#include <string.h>

#define WORD_MAX 48

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Edits (insert, delete, replace, swap of neighbours) between two words of at most WORD_MAX bytes. */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned row[3][WORD_MAX + 1];
	unsigned *before = row[0], *last = row[1], *now = row[2];

	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *reuse = before;

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			now[j] = min3(last[j] + 1, now[j - 1] + 1,
				      last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
		before = last;
		last = now;
		now = reuse;
	}
	return last[nb];
}

struct nearest nearest_init(const char *word, size_t len)
{
	/* A third of the letters may be wrong: beyond that a suggestion only puzzles. */
	return (struct nearest){ .word = word, .len = len, .distance = (unsigned)len / 3 + 1 };
}

void nearest_offer(struct nearest *n, const char *known)
{
	size_t len = strlen(known);
	unsigned d;

	if (n->len > WORD_MAX || len > WORD_MAX)
		return;
	d = distance(n->word, n->len, known, len);
	/* The beginning of a word is as good as a single slip. */
	if (d > 1 && n->len >= 3 && strncmp(n->word, known, n->len) == 0)
		d = 1;
	if (d < n->distance + !n->best) {
		n->distance = d;
		n->best = known;
	}
}
