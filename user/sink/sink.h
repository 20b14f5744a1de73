/* SPDX-License-Identifier: MIT */
/*
 * sink: takes events. It cannot fail towards the source and does not block it longer than a
 * write(2) does: errors are kept and told by error(). Called by one reader thread at a time.
 */
#ifndef PT_SINK_SINK_H
#define PT_SINK_SINK_H

#include "event/event.h"

struct sink;

struct sink_ops {
	/* One event; everything in it is gone after the call. */
	void (*event)(struct sink *s, const struct event *ev);
	/* @count events were lost just now; @kind is EV_KINDS where the mechanism cannot say; @place
	 * is where ("ring full", "socket buffer full", …). May be NULL: not interested. */
	void (*lost)(struct sink *s, enum event_kind kind, uint64_t count, const char *place);
	/* Of two sources that ought to tell the same, one only (called so) told of @ev. May be NULL. */
	void (*mismatch)(struct sink *s, const struct event *ev, const char *only);
	/* A batch has ended: write out what a person or a pipe is waiting for. May be NULL. */
	void (*flush)(struct sink *s);
	/* No event will come any more: write what was kept back for the end. May be NULL. */
	void (*finish)(struct sink *s);
	/* 0, or the first -errno of writing (-EPIPE: the reader of our output has gone). May be NULL. */
	int (*error)(const struct sink *s);
	/* Flushes and frees. */
	void (*close)(struct sink *s);
};

/* Embedded as the first member of each sink's own struct. */
struct sink {
	const struct sink_ops *ops;
};

static inline void sink_event(struct sink *s, const struct event *ev)
{
	s->ops->event(s, ev);
}

#endif
