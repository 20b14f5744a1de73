// SPDX-License-Identifier: MIT
#include "sink/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/escape.h"
#include "base/outbuf.h"
#include "base/tty.h"
#include "sink/lineage.h"
#include "sink/line.h"
#include "sink/words.h"

/* Most that a line of other words than an event's can take. */
#define SENTENCE_MAX 1024
#define SGR_END "\033[0m"

struct sink_text {
	struct sink sink;
	struct outbuf out;
	struct columns columns;
	struct lineage *lineage; /* NULL: no column needs it */
	unsigned width, hidden;
	bool resize, color;
};

/* A line in the room of the outbuf, which is large enough for any event; its text begins behind @sgr. */
static bool line_begin(struct sink_text *t, struct line *l, size_t room, const char *sgr)
{
	l->start = l->p = outbuf_room(&t->out, room);
	if (!l->start)
		return false;
	if (t->color && sgr) {
		line_puts(l, sgr);
		l->start = l->p;
	}
	return true;
}

/* Cuts the line to the terminal, ends it and hands it to the outbuf. */
static void line_end(struct sink_text *t, struct line *l, const char *sgr)
{
	while (l->p > l->start && l->p[-1] == ' ')
		l->p--;
	if (t->width)
		line_cut(l, l->start, t->width);
	if (t->color && sgr)
		line_puts(l, SGR_END);
	line_put(l, "\n", 1);
	outbuf_took(&t->out, (size_t)(l->p - (t->out.buf + t->out.n)));
	outbuf_line_end(&t->out);
}

/* What stands out: failures in colour, what went as it should in the background. */
static const char *event_sgr(const struct event *ev)
{
	if (ev->flags & EVF_EXEC_FAILED)
		return "\033[35m";
	if (ev->kind == EV_FORK)
		return "\033[2m";
	if (ev->kind != EV_EXIT || ev->status == EV_NO_STATUS)
		return NULL;
	if (WIFSIGNALED(ev->status))
		return "\033[31m";
	return WEXITSTATUS(ev->status) ? "\033[33m" : "\033[2m";
}

static void text_event(struct sink *s, const struct event *ev)
{
	struct sink_text *t = (struct sink_text *)s;
	const char *sgr = t->color ? event_sgr(ev) : NULL;
	struct line l;

	if (t->lineage)
		t->columns.depth = lineage_take(t->lineage, ev);
	if (t->hidden & EV_MASK(ev->kind))
		return;
	if (!line_begin(t, &l, columns_room(&t->columns, ev) + SENTENCE_MAX, sgr))
		return;
	columns_put(&t->columns, &l, ev);
	line_end(t, &l, sgr);
}

static void text_lost(struct sink *s, enum event_kind kind, uint64_t count, const char *place)
{
	static const char sgr[] = "\033[1;31m";
	struct sink_text *t = (struct sink_text *)s;
	struct line l;

	if (!line_begin(t, &l, SENTENCE_MAX, sgr))
		return;
	columns_put_time(&t->columns, &l, EV_NO_TIME);
	line_puts(&l, "lost  ");
	line_u64(&l, count);
	line_puts(&l, " ");
	line_puts(&l, kind < EV_KINDS ? event_kind_name(kind) : "");
	line_puts(&l, kind < EV_KINDS ? " " : "");
	line_puts(&l, count == 1 ? "event was lost here" : "events were lost here");
	if (place) {
		line_puts(&l, ": ");
		l.p += escape_text(l.p, SENTENCE_MAX / 2, place, strlen(place));
	}
	line_end(t, &l, sgr);
}

static void text_mismatch(struct sink *s, const struct event *ev, const char *only)
{
	static const char sgr[] = "\033[1;31m";
	struct sink_text *t = (struct sink_text *)s;
	struct line l;

	if (!line_begin(t, &l, SENTENCE_MAX, sgr))
		return;
	columns_put_time(&t->columns, &l, ev->ts_ns);
	line_puts(&l, "only  ");
	line_puts(&l, only);
	line_puts(&l, " saw the ");
	line_puts(&l, event_kind_name(ev->kind));
	line_puts(&l, " of ");
	line_u64(&l, (uint64_t)ev->pid);
	line_puts(&l, ev->comm[0] ? " " : "");
	words_comm(&l, ev->comm);
	line_end(t, &l, sgr);
}

static void text_flush(struct sink *s)
{
	struct sink_text *t = (struct sink_text *)s;

	outbuf_flush(&t->out);
	if (t->resize && t->width)
		t->width = tty_width(t->out.fd);
}

static int text_error(const struct sink *s)
{
	return ((const struct sink_text *)s)->out.err;
}

static void text_close(struct sink *s)
{
	struct sink_text *t = (struct sink_text *)s;

	outbuf_flush(&t->out);
	outbuf_free(&t->out);
	lineage_free(t->lineage);
	free(t);
}

static const struct sink_ops text_ops = {
	.event = text_event,
	.lost = text_lost,
	.mismatch = text_mismatch,
	.flush = text_flush,
	.error = text_error,
	.close = text_close,
};

static void header_put(struct sink_text *t)
{
	static const char sgr[] = "\033[1m";
	struct line l;

	if (!line_begin(t, &l, 4 * SENTENCE_MAX, sgr))
		return;
	columns_put_header(&t->columns, &l);
	line_end(t, &l, sgr);
}

static void columns_init(struct columns *c, const struct sink_text_cfg *cfg)
{
	c->wall = cfg->wall_known ? walltime_fixed(true, cfg->wall_offset_ns) : walltime_live(true);
	c->time = cfg->time;
	c->first_ns = EV_NO_TIME;
	c->whole = !cfg->width;
	c->cgroups = cfg->cgroups;
	if (cfg->columns)
		columns_choose(c, cfg->columns, cfg->ncolumns, NULL);
	else
		columns_choose_list(c, cfg->list ? cfg->list : COLUMNS_DEFAULT);
}

struct sink *sink_text_new(const struct sink_text_cfg *cfg)
{
	struct sink_text *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->sink.ops = &text_ops;
	t->width = cfg->width;
	t->resize = cfg->resize;
	t->color = cfg->color;
	t->hidden = cfg->hidden;
	columns_init(&t->columns, cfg);
	if (columns_have(&t->columns, "tree"))
		t->lineage = lineage_new();
	if (outbuf_init(&t->out, cfg->fd) || (columns_have(&t->columns, "tree") && !t->lineage)) {
		text_close(&t->sink);
		return NULL;
	}
	t->out.file = cfg->file;
	header_put(t);
	return &t->sink;
}
