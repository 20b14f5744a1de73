// SPDX-License-Identifier: MIT
#include "sink/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sink/lineage.h"
#include "sink/pidtab.h"
#include "sink/summary_print.h"

#define NAMES 32768

struct sink_summary {
	struct sink sink;
	struct sink_summary_cfg cfg;
	struct outbuf out;
	struct walltime wall;
	struct tally *tally;
	struct pidtab
		*names; /* char[16] by pid, for events that do not bring their parent's name */
	uint64_t from_ns,
		next_ns; /* of the period that is counted; EV_NO_TIME: not begun, no end */
};

static void period_begin(struct sink_summary *s, uint64_t from_ns)
{
	tally_reset(s->tally);
	s->from_ns = from_ns;
	s->next_ns = s->cfg.interval_ns && from_ns != EV_NO_TIME ? from_ns + s->cfg.interval_ns
								 : EV_NO_TIME;
}

static void period_print(struct sink_summary *s, uint64_t to_ns)
{
	const struct summary_print p = { .out = &s->out,
					 .wall = &s->wall,
					 .from_ns = s->from_ns,
					 .to_ns = to_ns,
					 .top = s->cfg.top,
					 .color = s->cfg.color };

	if (s->cfg.json)
		summary_json(&p, s->tally);
	else
		summary_text(&p, s->tally);
	outbuf_line_end(&s->out);
}

/* Ends every period that is over at @now_ns; after a long silence, in one. */
static void periods_end(struct sink_summary *s, uint64_t now_ns)
{
	const uint64_t step = s->cfg.interval_ns;

	if (now_ns == EV_NO_TIME || now_ns < s->next_ns || s->next_ns == EV_NO_TIME)
		return;
	s->next_ns += (now_ns - s->next_ns) / step * step;
	period_print(s, s->next_ns);
	period_begin(s, s->next_ns);
}

/* The name of the parent: of the event, or as last seen. */
static const char *parent_of(struct sink_summary *s, const struct event *ev)
{
	static const char unknown[16] = "";
	const char *name;

	if (ev->parent_comm[0])
		return ev->parent_comm;
	name = ev->ppid == EV_NO_PID ? NULL : pidtab_find(s->names, ev->ppid);
	return name ? name : unknown;
}

static void name_keep(struct sink_summary *s, const struct event *ev)
{
	if (ev->pid == EV_NO_PID || event_of_thread(ev) || ev->flags & EVF_EXEC_FAILED)
		return;
	if (ev->kind == EV_EXIT)
		pidtab_remove(s->names, ev->pid);
	else if (ev->comm[0])
		memcpy(pidtab_add(s->names, ev->pid), ev->comm, sizeof(ev->comm));
}

static void summary_event(struct sink *sink, const struct event *ev)
{
	struct sink_summary *s = (struct sink_summary *)sink;

	if (s->from_ns == EV_NO_TIME)
		period_begin(s, ev->ts_ns);
	periods_end(s, ev->ts_ns);
	tally_take(s->tally, ev, parent_of(s, ev));
	name_keep(s, ev);
}

static void summary_lost(struct sink *sink, enum event_kind kind, uint64_t count, const char *place)
{
	(void)kind, (void)place;
	((struct sink_summary *)sink)->tally->lost += count;
}

static void summary_flush(struct sink *sink)
{
	struct sink_summary *s = (struct sink_summary *)sink;

	if (s->cfg.live)
		periods_end(s, clock_now_ns());
	outbuf_flush(&s->out);
}

static int summary_error(const struct sink *sink)
{
	return ((const struct sink_summary *)sink)->out.err;
}

static void summary_free(struct sink_summary *s)
{
	outbuf_free(&s->out);
	pidtab_free(s->names);
	tally_free(s->tally);
	free(s);
}

static void summary_close(struct sink *sink)
{
	struct sink_summary *s = (struct sink_summary *)sink;

	summary_free(s);
}

/* What is left of the last period. */
static void summary_finish(struct sink *sink)
{
	struct sink_summary *s = (struct sink_summary *)sink;

	period_print(s, s->cfg.live ? clock_now_ns() : s->tally->last_ns);
	outbuf_flush(&s->out);
}

static const struct sink_ops summary_ops = {
	.event = summary_event,
	.lost = summary_lost,
	.flush = summary_flush,
	.finish = summary_finish,
	.error = summary_error,
	.close = summary_close,
};

struct sink *sink_summary_new(const struct sink_summary_cfg *cfg)
{
	struct sink_summary *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->sink.ops = &summary_ops;
	s->cfg = *cfg;
	s->wall = cfg->wall_known ? walltime_fixed(!cfg->json, cfg->wall_offset_ns)
				  : walltime_live(!cfg->json);
	s->tally = tally_new();
	s->names = pidtab_new(NAMES, sizeof(((struct event *)0)->comm), NULL, NULL);
	if (!s->tally || !s->names || outbuf_init(&s->out, cfg->fd)) {
		summary_free(s);
		return NULL;
	}
	s->out.file = cfg->file;
	period_begin(s, cfg->live ? clock_now_ns() : EV_NO_TIME);
	return &s->sink;
}
