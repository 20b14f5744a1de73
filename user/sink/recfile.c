// SPDX-License-Identifier: MIT
#include "sink/recfile.h"

#include <stdlib.h>

#include "base/outbuf.h"
#include "base/walltime.h"
#include "event/recformat.h"

struct sink_recfile {
	struct sink sink;
	struct outbuf out;
};

static void recfile_event(struct sink *s, const struct event *ev)
{
	struct outbuf *out = &((struct sink_recfile *)s)->out;
	const size_t size = recformat_event_size(ev);
	char *room = outbuf_room(out, size);

	if (!room)
		return;
	recformat_put_event((uint8_t *)room, ev);
	outbuf_took(out, size);
}

static void recfile_lost(struct sink *s, enum event_kind kind, uint64_t count, const char *place)
{
	struct outbuf *out = &((struct sink_recfile *)s)->out;
	char *room = outbuf_room(out, RECFORMAT_LOST + RECFORMAT_PLACE_MAX);

	if (room)
		outbuf_took(out, recformat_put_lost((uint8_t *)room, kind, count, place));
}

/* Written after each batch: what was recorded survives a crash, and a full disk is told in time. */
static void recfile_flush(struct sink *s)
{
	outbuf_flush(&((struct sink_recfile *)s)->out);
}

static int recfile_error(const struct sink *s)
{
	return ((const struct sink_recfile *)s)->out.err;
}

static void recfile_close(struct sink *s)
{
	struct sink_recfile *r = (struct sink_recfile *)s;

	outbuf_flush(&r->out);
	outbuf_free(&r->out);
	free(r);
}

static const struct sink_ops recfile_ops = {
	.event = recfile_event,
	.lost = recfile_lost,
	.flush = recfile_flush,
	.error = recfile_error,
	.close = recfile_close,
};

struct sink *sink_recfile_new(const struct sink_recfile_cfg *cfg)
{
	struct sink_recfile *r = calloc(1, sizeof(*r));
	uint8_t header[RECFORMAT_HEADER];

	if (!r)
		return NULL;
	r->sink.ops = &recfile_ops;
	if (outbuf_init(&r->out, cfg->fd)) {
		free(r);
		return NULL;
	}
	recformat_put_header(header, cfg->wall_known ? cfg->wall_offset_ns : walltime_offset_now());
	outbuf_put(&r->out, header, sizeof(header));
	return &r->sink;
}
