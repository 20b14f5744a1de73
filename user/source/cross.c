// SPDX-License-Identifier: MIT
#include "source/cross.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* An event in the queue, in the order of arrival; those of one hash are chained, the oldest first. */
struct waiting {
	struct cross_event ev;
	uint64_t received_ns;
	uint32_t next;
	bool met; /* has found its twin: passed over when its turn comes */
};

struct cross {
	size_t mask; /* capacity - 1 */
	uint64_t head, tail; /* numbers of the oldest and of the next one to come */
	size_t waiting;
	struct cross_counts counts;
	struct waiting *queue;
	uint32_t *first, *last; /* by hash */
};

struct cross *cross_new(size_t capacity)
{
	struct cross *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->mask = capacity - 1;
	c->queue = calloc(capacity, sizeof(*c->queue));
	c->first = malloc(capacity * sizeof(*c->first));
	c->last = malloc(capacity * sizeof(*c->last));
	if (!c->queue || !c->first || !c->last) {
		cross_free(c);
		return NULL;
	}
	memset(c->first, 0xff, capacity * sizeof(*c->first));
	return c;
}

void cross_free(struct cross *c)
{
	if (!c)
		return;
	free(c->queue);
	free(c->first);
	free(c->last);
	free(c);
}

static size_t hash_of(const struct cross *c, const struct cross_event *ev)
{
	uint32_t h = ((uint32_t)ev->pid * EV_KINDS + ev->kind) * 2654435769U;

	return (h ^ h >> 16) & c->mask;
}

/* Takes the oldest one out of the queue; it is the first of its chain as well. */
static struct waiting *oldest_take(struct cross *c)
{
	struct waiting *w = &c->queue[c->head & c->mask];

	c->first[hash_of(c, &w->ev)] = w->next;
	c->head++;
	if (!w->met)
		c->waiting--;
	return w;
}

static void drop_met(struct cross *c)
{
	while (c->head != c->tail && c->queue[c->head & c->mask].met)
		oldest_take(c);
}

static bool is_twin(const struct waiting *w, const struct cross_event *ev)
{
	uint64_t a = w->ev.ts_ns, b = ev->ts_ns;

	return !w->met && w->ev.side != ev->side && w->ev.pid == ev->pid &&
	       w->ev.kind == ev->kind && (a < b ? b - a : a - b) < CROSS_WINDOW_NS;
}

static void queue_add(struct cross *c, const struct cross_event *ev, uint64_t now_ns)
{
	uint32_t at;
	size_t hash = hash_of(c, ev);

	if (c->tail - c->head > c->mask && !oldest_take(c)->met)
		c->counts.unchecked++;
	at = (uint32_t)(c->tail++ & c->mask);
	c->queue[at] = (struct waiting){ .ev = *ev, .received_ns = now_ns, .next = NONE };
	if (c->first[hash] == NONE)
		c->first[hash] = at;
	else
		c->queue[c->last[hash]].next = at;
	c->last[hash] = at;
	c->waiting++;
}

void cross_take(struct cross *c, const struct cross_event *ev, uint64_t now_ns)
{
	uint32_t i = c->first[hash_of(c, ev)];

	while (i != NONE && !is_twin(&c->queue[i], ev))
		i = c->queue[i].next;
	if (i == NONE) {
		queue_add(c, ev, now_ns);
		return;
	}
	c->queue[i].met = true;
	c->waiting--;
	c->counts.both++;
	drop_met(c);
}

void cross_expire(struct cross *c, uint64_t before_ns, cross_fn fn, void *ctx)
{
	drop_met(c);
	while (c->head != c->tail && c->queue[c->head & c->mask].received_ns < before_ns) {
		const struct waiting *w = oldest_take(c);

		c->counts.only[w->ev.side]++;
		fn(ctx, &w->ev);
		drop_met(c);
	}
}

size_t cross_waiting(const struct cross *c)
{
	return c->waiting;
}

struct cross_counts cross_counts(const struct cross *c)
{
	return c->counts;
}
