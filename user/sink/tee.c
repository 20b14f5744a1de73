// SPDX-License-Identifier: MIT
#include "sink/tee.h"

#include <errno.h>

static struct tee *tee_of(struct sink *s)
{
	return (struct tee *)(void *)s; /* the sink is the first member */
}

static void tee_event(struct sink *s, const struct event *ev)
{
	struct tee *t = tee_of(s);

	if (ev->flags & EVF_EXEC_FAILED)
		t->failed++;
	else
		t->events[ev->kind]++;
	for (unsigned i = 0; i < t->n; i++)
		if (t->kinds[i] & EV_MASK(ev->kind))
			sink_event(t->out[i], ev);
}

static void tee_lost(struct sink *s, enum event_kind kind, uint64_t count, const char *place)
{
	struct tee *t = tee_of(s);

	t->lost[kind] += count;
	for (unsigned i = 0; i < t->n; i++)
		if (t->out[i]->ops->lost)
			t->out[i]->ops->lost(t->out[i], kind, count, place);
}

static void tee_mismatch(struct sink *s, const struct event *ev, const char *only)
{
	struct tee *t = tee_of(s);

	for (unsigned i = 0; i < t->n; i++)
		if (t->out[i]->ops->mismatch && (t->kinds[i] & EV_MASK(ev->kind)))
			t->out[i]->ops->mismatch(t->out[i], ev, only);
}

static const struct sink_ops tee_ops = {
	.event = tee_event,
	.lost = tee_lost,
	.mismatch = tee_mismatch,
};

void tee_init(struct tee *t)
{
	*t = (struct tee){ .sink = { .ops = &tee_ops } };
}

int tee_add(struct tee *t, struct sink *out, unsigned kinds)
{
	if (!out)
		return -ENOMEM;
	if (t->n == TEE_MAX) {
		out->ops->close(out);
		return -ENOSPC;
	}
	t->kinds[t->n] = kinds;
	t->out[t->n++] = out;
	return 0;
}

int tee_finish(struct tee *t)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->out[i]->ops->finish)
			t->out[i]->ops->finish(t->out[i]);
	return tee_flush(t);
}

int tee_flush(struct tee *t)
{
	int err = 0;

	for (unsigned i = 0; i < t->n; i++) {
		const struct sink_ops *ops = t->out[i]->ops;

		if (ops->flush)
			ops->flush(t->out[i]);
		if (!err && ops->error)
			err = ops->error(t->out[i]);
	}
	return err;
}

void tee_close(struct tee *t)
{
	for (unsigned i = 0; i < t->n; i++)
		t->out[i]->ops->close(t->out[i]);
	t->n = 0;
}
