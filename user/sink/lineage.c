// SPDX-License-Identifier: MIT
#include "sink/lineage.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sink/pidtab.h"

/* Twice as many as can live where pid_max has its usual 32768. */
#define ENTRIES 65536

struct entry {
	uint64_t born_ns;
	uint32_t depth;
	uint32_t pad;
};

struct lineage {
	struct pidtab *tab;
};

struct lineage *lineage_new(void)
{
	struct lineage *l = malloc(sizeof(*l));

	if (!l)
		return NULL;
	l->tab = pidtab_new(ENTRIES, sizeof(struct entry), NULL, NULL);
	if (!l->tab) {
		free(l);
		return NULL;
	}
	return l;
}

void lineage_free(struct lineage *l)
{
	if (!l)
		return;
	pidtab_free(l->tab);
	free(l);
}

static unsigned depth_below(struct lineage *l, pid_t ppid)
{
	const struct entry *parent = pidtab_find(l->tab, ppid);

	return parent ? parent->depth + 1 : 0;
}

/* The entry of the process of @ev, which gets one unless it has. */
static const struct entry *entry_of(struct lineage *l, const struct event *ev)
{
	struct entry *e = pidtab_find(l->tab, ev->pid);
	unsigned depth;

	/* A fork starts a life, unless it comes late and tells of the one that is known already. */
	if (e && (ev->kind != EV_FORK || ev->ts_ns < e->born_ns))
		return e;
	depth = depth_below(l, ev->ppid);
	e = pidtab_add(l->tab, ev->pid);
	*e = (struct entry){ .born_ns = ev->ts_ns, .depth = depth };
	return e;
}

unsigned lineage_take(struct lineage *l, const struct event *ev)
{
	const bool thread = event_of_thread(ev);
	const struct entry *e;
	unsigned depth;

	if (ev->pid == EV_NO_PID)
		return 0;
	if (thread) {
		e = pidtab_find(l->tab, ev->pid);
		return e ? e->depth : depth_below(l, ev->ppid);
	}
	depth = entry_of(l, ev)->depth;
	if (ev->kind == EV_EXIT)
		pidtab_remove(l->tab, ev->pid);
	return depth;
}
