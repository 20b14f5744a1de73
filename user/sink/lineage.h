/* SPDX-License-Identifier: MIT */
/*
 * lineage: how deep each process lies below the first ones that were seen. Fixed memory; one thread.
 */
#ifndef PT_SINK_LINEAGE_H
#define PT_SINK_LINEAGE_H

#include <stdbool.h>

#include "event/event.h"

struct lineage;

/* NULL: no memory. */
struct lineage *lineage_new(void);
/* NULL-safe. */
void lineage_free(struct lineage *l);
/* Takes the next event, of whichever kind; returns the depth of its process: 0, where its parent is unknown. */
unsigned lineage_take(struct lineage *l, const struct event *ev);

/* Whether @ev is of a thread, not of a whole process. */
static inline bool event_of_thread(const struct event *ev)
{
	return (ev->flags & EVF_THREAD) ||
	       (ev->kind == EV_EXIT && ev->tid != EV_NO_PID && ev->tid != ev->pid);
}

#endif
