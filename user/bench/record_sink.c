// SPDX-License-Identifier: MIT
#include "bench/record_sink.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "load/truth.h"

/* A comm as two words: comparing those is all that the reader can afford for each event. */
struct comm {
	uint64_t w[2];
};

_Static_assert(sizeof(struct comm) == sizeof(((struct event *)0)->comm), "a comm is two words");
_Static_assert(TRUTH_MAX_NAMES <= REC_NAME_OTHER, "index + 1 of the last name is not OTHER");

struct record_sink {
	struct sink sink;
	struct recording *recording;
	unsigned nnames, last; /* last: the name found last, most likely the next one too */
	struct comm name[TRUTH_MAX_NAMES];
};

static bool comm_equal(const struct comm *a, const struct comm *b)
{
	return a->w[0] == b->w[0] && a->w[1] == b->w[1];
}

static uint8_t name_find(struct record_sink *s, const char *bytes)
{
	struct comm comm;

	memcpy(&comm, bytes, sizeof(comm));
	if (s->last < s->nnames && comm_equal(&comm, &s->name[s->last]))
		return s->last + 1;
	for (unsigned i = 0; i < s->nnames; i++) {
		if (comm_equal(&comm, &s->name[i])) {
			s->last = i;
			return i + 1;
		}
	}
	return REC_NAME_OTHER;
}

/* The end of a thread is no end of a process, and its creation no fork of one. */
static bool event_is_of_thread(const struct event *ev)
{
	return ev->kind != EV_EXEC && ev->tid != EV_NO_PID && ev->pid != EV_NO_PID &&
	       ev->tid != ev->pid;
}

static void rec_fill(struct record_sink *s, struct rec *rec, const struct event *ev)
{
	struct recording *r = s->recording;

	*rec = (struct rec){
		.ts_ns = ev->ts_ns,
		.pid = ev->pid,
		.kind = ev->kind,
		.status = REC_NO_STATUS,
	};
	if (ev->kind == EV_EXIT && ev->status != EV_NO_STATUS)
		rec->status = ev->status;
	if (ev->kind == EV_EXEC && ev->comm[0])
		rec->name = name_find(s, ev->comm);
	if (ev->ts_ns == EV_NO_TIME || ev->rx_ns == EV_NO_TIME)
		return;
	if (ev->ts_ns > ev->rx_ns)
		rec->kind |= REC_FROM_FUTURE;
	else
		hist_add(&r->latency, ev->rx_ns - ev->ts_ns);
}

static void record_event(struct sink *sink, const struct event *ev)
{
	struct record_sink *s = (struct record_sink *)sink;
	struct recording *r = s->recording;
	size_t n = atomic_load_explicit(&r->n, memory_order_relaxed);

	if (event_is_of_thread(ev)) {
		r->threads++;
		return;
	}
	if (n == r->cap) {
		r->full++;
		r->full_by_kind[ev->kind]++;
		return;
	}
	if (ev->kind == EV_EXEC && (ev->flags & EVF_GONE) && !ev->comm[0])
		r->gone++;
	rec_fill(s, &r->rec[n], ev);
	atomic_store_explicit(&r->n, n + 1, memory_order_release);
}

static void record_close(struct sink *sink)
{
	free(sink);
}

static const struct sink_ops record_ops = {
	.event = record_event,
	.close = record_close,
};

struct sink *record_sink_new(struct recording *r, const char (*name)[16], unsigned nnames)
{
	struct record_sink *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->sink.ops = &record_ops;
	s->recording = r;
	s->nnames = nnames < TRUTH_MAX_NAMES ? nnames : TRUTH_MAX_NAMES;
	/* NUL-padded, as events carry them, whatever lies behind the terminator here. */
	for (unsigned i = 0; i < s->nnames; i++)
		memcpy(&s->name[i], name[i], strnlen(name[i], sizeof(s->name[i])));
	return &s->sink;
}
