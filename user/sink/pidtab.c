// SPDX-License-Identifier: MIT
#include "sink/pidtab.h"

#include <stdlib.h>
#include <string.h>

#define WAYS 8
#define FREE ((pid_t)-1)

struct key {
	pid_t pid;
	uint32_t used; /* larger: later; wraps without harm, as only neighbours are compared */
};

struct pidtab {
	size_t sets, size;
	struct key *key; /* sets * WAYS */
	char *value;
	uint32_t now;
	pidtab_gone_fn gone;
	void *ctx;
};

struct pidtab *pidtab_new(size_t entries, size_t size, pidtab_gone_fn gone, void *ctx)
{
	struct pidtab *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	*t = (struct pidtab){ .sets = entries / WAYS,
			      .size = size,
			      .key = malloc(entries * sizeof(struct key)),
			      .value = malloc(entries * size),
			      .gone = gone,
			      .ctx = ctx };
	if (!t->key || !t->value) {
		free(t->key);
		free(t->value);
		free(t);
		return NULL;
	}
	/* Touched now, so that memory in use is the same after a minute and after a month. */
	for (size_t i = 0; i < entries; i++)
		t->key[i] = (struct key){ .pid = FREE };
	memset(t->value, 0xff, entries * size);
	return t;
}

static void entry_drop(struct pidtab *t, size_t i)
{
	if (t->key[i].pid == FREE)
		return;
	if (t->gone)
		t->gone(t->ctx, t->key[i].pid, t->value + i * t->size);
	t->key[i].pid = FREE;
}

void pidtab_free(struct pidtab *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->sets * WAYS; i++)
		entry_drop(t, i);
	free(t->key);
	free(t->value);
	free(t);
}

static size_t set_of(const struct pidtab *t, pid_t pid)
{
	return (uint32_t)pid * 2654435769U % t->sets * WAYS;
}

/* Index of @pid's entry, or -1. */
static ssize_t entry_find(const struct pidtab *t, pid_t pid)
{
	size_t set = set_of(t, pid);

	for (size_t i = set; i < set + WAYS; i++)
		if (t->key[i].pid == pid && pid != FREE)
			return (ssize_t)i;
	return -1;
}

void *pidtab_find(struct pidtab *t, pid_t pid)
{
	ssize_t i = entry_find(t, pid);

	if (i < 0)
		return NULL;
	t->key[i].used = ++t->now;
	return t->value + (size_t)i * t->size;
}

/* Where a new entry goes: its own old place, a free one, or that of the one used longest ago. */
static size_t entry_choose(const struct pidtab *t, pid_t pid)
{
	ssize_t known = entry_find(t, pid);
	size_t set = set_of(t, pid), best = set;

	if (known >= 0)
		return (size_t)known;
	for (size_t i = set; i < set + WAYS; i++) {
		if (t->key[i].pid == FREE)
			return i;
		if (t->now - t->key[i].used > t->now - t->key[best].used)
			best = i;
	}
	return best;
}

void *pidtab_add(struct pidtab *t, pid_t pid)
{
	size_t i = entry_choose(t, pid);

	entry_drop(t, i);
	t->key[i] = (struct key){ .pid = pid, .used = ++t->now };
	return memset(t->value + i * t->size, 0, t->size);
}

void pidtab_remove(struct pidtab *t, pid_t pid)
{
	ssize_t i = entry_find(t, pid);

	if (i >= 0)
		entry_drop(t, (size_t)i);
}
