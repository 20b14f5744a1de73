/* SPDX-License-Identifier: MIT */
/*
 * cross: sets what two sources tell of the same events side by side. An event waits for its twin: the same
 * kind, of the same pid, stamped at about the same time. Bounded memory. One thread at a time.
 */
#ifndef PT_SOURCE_CROSS_H
#define PT_SOURCE_CROSS_H

#include <stddef.h>
#include <stdint.h>

#include "event/event.h"

/* Stamps of one event differ by less. An exit is stamped at its beginning by one and near its end by the other. */
#define CROSS_WINDOW_NS 1000000000ULL

struct cross;

struct cross_event {
	enum event_kind kind;
	unsigned side; /* 0 or 1 */
	pid_t pid;
	uint64_t ts_ns;
	char comm[16];
};

struct cross_counts {
	uint64_t both, only[2];
	uint64_t
		unchecked; /* left the table before its time: more was waiting than there is room for */
};

/* Called with an event that has no twin. */
typedef void (*cross_fn)(void *ctx, const struct cross_event *ev);

/* Room for @capacity events that wait (a power of two). NULL: no memory. */
struct cross *cross_new(size_t capacity);
/* NULL-safe. */
void cross_free(struct cross *c);
/* Takes an event that was received at @now_ns: it meets its twin, or waits. */
void cross_take(struct cross *c, const struct cross_event *ev, uint64_t now_ns);
/* Gives up on those that were received before @before_ns and still wait, oldest first. */
void cross_expire(struct cross *c, uint64_t before_ns, cross_fn fn, void *ctx);
size_t cross_waiting(const struct cross *c);
struct cross_counts cross_counts(const struct cross *c);

#endif
