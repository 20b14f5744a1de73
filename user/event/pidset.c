// SPDX-License-Identifier: MIT
#include "event/pidset.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#define PIDSET_START 64U /* slots; a power of two */

struct pidset {
	pid_t *slot; /* 0: free. Open addressing, linear probing */
	size_t mask, n;
};

static size_t home_of(const struct pidset *s, pid_t pid)
{
	return (uint32_t)pid * 2654435769U >> 7 & s->mask;
}

struct pidset *pidset_new(void)
{
	struct pidset *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->slot = calloc(PIDSET_START, sizeof(*s->slot));
	if (!s->slot) {
		free(s);
		return NULL;
	}
	s->mask = PIDSET_START - 1;
	return s;
}

void pidset_free(struct pidset *s)
{
	if (!s)
		return;
	free(s->slot);
	free(s);
}

/* The slot that holds @pid, or the free one where it belongs. */
static size_t slot_find(const struct pidset *s, pid_t pid)
{
	size_t i = home_of(s, pid);

	while (s->slot[i] && s->slot[i] != pid)
		i = (i + 1) & s->mask;
	return i;
}

bool pidset_has(const struct pidset *s, pid_t pid)
{
	return pid > 0 && s->slot[slot_find(s, pid)] == pid;
}

static int grow(struct pidset *s)
{
	struct pidset old = *s;

	s->mask = 2 * old.mask + 1;
	s->slot = calloc(s->mask + 1, sizeof(*s->slot));
	if (!s->slot) {
		*s = old;
		return -ENOMEM;
	}
	for (size_t i = 0; i <= old.mask; i++)
		if (old.slot[i])
			s->slot[slot_find(s, old.slot[i])] = old.slot[i];
	free(old.slot);
	return 0;
}

int pidset_add(struct pidset *s, pid_t pid)
{
	size_t i = slot_find(s, pid);
	int r;

	if (s->slot[i])
		return 0;
	if (s->n + 1 > (s->mask + 1) / 2) {
		r = grow(s);
		if (r)
			return r;
		i = slot_find(s, pid);
	}
	s->slot[i] = pid;
	s->n++;
	return 0;
}

void pidset_remove(struct pidset *s, pid_t pid)
{
	size_t hole;

	if (!pidset_has(s, pid))
		return;
	hole = slot_find(s, pid);
	s->slot[hole] = 0;
	s->n--;
	/* Move back what had been pushed past the hole, so that no tombstones pile up. */
	for (size_t i = (hole + 1) & s->mask; s->slot[i]; i = (i + 1) & s->mask) {
		size_t home = home_of(s, s->slot[i]);

		if (((i - home) & s->mask) < ((i - hole) & s->mask))
			continue;
		s->slot[hole] = s->slot[i];
		s->slot[i] = 0;
		hole = i;
	}
}
