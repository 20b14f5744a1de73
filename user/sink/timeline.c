// SPDX-License-Identifier: MIT
#include "sink/timeline.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/errname.h"
#include "base/json_out.h"
#include "base/signame.h"
#include "base/version.h"
#include "base/walltime.h"
#include "event/args.h"
#include "sink/lineage.h"
#include "sink/pidtab.h"

/* Processes that can have an open slice at once. */
#define ENTRIES 32768
#define DEPTH_SHOWN 16

/* A process that has a track. */
struct life {
	uint64_t track, group; /* numbers of its own track, and of the first ancestor's */
	uint64_t last_ns; /* of what was written last: a track's times never go back */
	uint32_t depth;
	uint32_t pad;
};

struct timeline {
	struct sink sink;
	struct outbuf out;
	struct json_out json;
	struct pidtab *tab;
	uint64_t tracks;
	uint64_t first_ns, last_ns; /* of all events; EV_NO_TIME: none yet */
	bool finished;
};

/* ---- JSON ------------------------------------------------------------------------------------- */

static void put_text(struct json_out *j, const char *key, const char *text)
{
	jout_key(j, key);
	jout_string(j, text, strlen(text));
}

static void put_u64(struct json_out *j, const char *key, uint64_t v)
{
	jout_key(j, key);
	jout_u64(j, v);
}

/* µs with three decimals: a double would lose nanoseconds after 104 days. */
static void put_ts(struct json_out *j, uint64_t ns)
{
	char text[DECIMAL_MAX + 4];
	unsigned n = decimal_format(text, ns / NSEC_PER_USEC), rest = (unsigned)(ns % 1000);

	text[n++] = '.';
	text[n++] = (char)('0' + rest / 100);
	text[n++] = (char)('0' + rest / 10 % 10);
	text[n++] = (char)('0' + rest % 10);
	jout_key(j, "ts");
	jout_sep(j);
	outbuf_put(j->out, text, n);
}

static void entry_begin(struct timeline *t, const char *phase, const struct life *l)
{
	struct json_out *j = &t->json;

	outbuf_puts(&t->out, j->comma ? ",\n" : "\n");
	j->comma = false;
	jout_open(j, '{');
	put_text(j, "ph", phase);
	put_u64(j, "pid", l ? l->group : 0);
	put_u64(j, "tid", l ? l->track : 0);
}

static void entry_end(struct timeline *t)
{
	jout_close(&t->json, '}');
}

static void put_name(struct json_out *j, const char comm[16])
{
	jout_key(j, "name");
	if (comm[0])
		jout_string(j, comm, strnlen(comm, 16));
	else
		jout_string(j, "(no name)", 9);
}

/* ---- tracks ----------------------------------------------------------------------------------- */

/* "  make 4711" as the name of a track, further right the deeper it lies. */
static void name_track(struct timeline *t, const struct life *l, const char *what,
		       const struct event *ev)
{
	const unsigned depth = l->depth < DEPTH_SHOWN ? l->depth : DEPTH_SHOWN;
	const size_t len = strnlen(ev->comm, sizeof(ev->comm));
	char name[4 * DEPTH_SHOWN + sizeof(ev->comm) + DECIMAL_MAX + 1], *p = name;

	entry_begin(t, "M", l);
	put_text(&t->json, "name", what);
	jout_key(&t->json, "args");
	jout_open(&t->json, '{');
	for (unsigned i = 0; i < depth; i++)
		p = stpcpy(p, i + 1 < depth ? "│" : "└");
	memcpy(p, ev->comm, len);
	p += len;
	*p++ = ' ';
	p += decimal_format(p, ev->pid < 0 ? 0 : (uint64_t)ev->pid);
	jout_key(&t->json, "name");
	jout_string(&t->json, name, (size_t)(p - name));
	jout_close(&t->json, '}');
	entry_end(t);
}

/* Tracks stand in the order of their beginning, so that children come behind their parents. */
static void sort_track(struct timeline *t, const struct life *l)
{
	entry_begin(t, "M", l);
	put_text(&t->json, "name", "thread_sort_index");
	jout_key(&t->json, "args");
	jout_open(&t->json, '{');
	put_u64(&t->json, "sort_index", l->track);
	jout_close(&t->json, '}');
	entry_end(t);
}

/* An arrow from the parent's slice (which is open) to the child's. */
static void put_arrow(struct timeline *t, const struct life *from, const struct life *to)
{
	const struct {
		const char *phase;
		const struct life *life;
	} ends[] = { { "s", from }, { "f", to } };

	for (unsigned i = 0; i < 2; i++) {
		entry_begin(t, ends[i].phase, ends[i].life);
		put_text(&t->json, "name", "starts");
		put_text(&t->json, "cat", "fork");
		put_u64(&t->json, "id", to->track);
		put_ts(&t->json, to->last_ns);
		if (i)
			put_text(&t->json, "bp", "e");
		entry_end(t);
	}
}

/* A new track for the process of @ev. */
static struct life *life_begin(struct timeline *t, const struct event *ev, struct life *parent)
{
	const struct life *above = ev->ppid == EV_NO_PID ? NULL : pidtab_find(t->tab, ev->ppid);
	struct life l = { .track = ++t->tracks, .last_ns = ev->ts_ns };
	struct life *kept;

	*parent = above ? *above : (struct life){ .track = 0 };
	l.group = above ? above->group : l.track;
	l.depth = above ? above->depth + 1 : 0;
	kept = pidtab_add(t->tab, ev->pid);
	*kept = l;
	sort_track(t, kept);
	if (!above)
		name_track(t, kept, "process_name", ev);
	return kept;
}

/* ---- slices ----------------------------------------------------------------------------------- */

static void put_args(struct json_out *j, const struct str *args)
{
	struct str rest = *args, arg;

	jout_key(j, "args");
	jout_open(j, '[');
	while (args_next(&rest, &arg))
		jout_string(j, arg.p, arg.len);
	jout_close(j, ']');
}

static void put_what(struct json_out *j, const struct event *ev)
{
	jout_key(j, "args");
	jout_open(j, '{');
	put_u64(j, "pid", (uint64_t)ev->pid);
	if (ev->ppid >= 0)
		put_u64(j, "ppid", (uint64_t)ev->ppid);
	if (ev->uid != EV_NO_UID)
		put_u64(j, "uid", ev->uid);
	if (ev->path.p) {
		jout_key(j, "path");
		jout_string(j, ev->path.p, ev->path.len);
	}
	if (ev->args.p)
		put_args(j, &ev->args);
	if (ev->kind == EV_FORK)
		put_text(j, "forked_from", "not yet executed anything");
	jout_close(j, '}');
}

static void slice_begin(struct timeline *t, const struct life *l, const struct event *ev)
{
	name_track(t, l, "thread_name", ev);
	entry_begin(t, "B", l);
	put_name(&t->json, ev->comm);
	put_text(&t->json, "cat", "process");
	put_ts(&t->json, l->last_ns);
	put_what(&t->json, ev);
	entry_end(t);
}

static void put_end(struct json_out *j, const struct event *ev)
{
	char name[SIGNAME_MAX];

	if (ev->status != EV_NO_STATUS && WIFSIGNALED(ev->status)) {
		signame_format(name, WTERMSIG(ev->status));
		put_text(j, "signal", name);
	} else if (ev->status != EV_NO_STATUS) {
		put_u64(j, "exit_code", (uint64_t)WEXITSTATUS(ev->status));
	}
	if (ev->duration_ns != EV_NO_TIME)
		put_u64(j, "duration_ns", ev->duration_ns);
	if (ev->cpu_user_ns != EV_NO_TIME && ev->cpu_sys_ns != EV_NO_TIME)
		put_u64(j, "cpu_ns", ev->cpu_user_ns + ev->cpu_sys_ns);
	if (ev->max_rss_bytes != EV_NO_SIZE)
		put_u64(j, "max_rss_bytes", ev->max_rss_bytes);
}

/* @ev: the exit; NULL: the process goes on, as another program or unseen, which @why says. */
static void slice_end(struct timeline *t, const struct life *l, const struct event *ev,
		      const char *why)
{
	entry_begin(t, "E", l);
	put_ts(&t->json, l->last_ns);
	jout_key(&t->json, "args");
	jout_open(&t->json, '{');
	if (ev)
		put_end(&t->json, ev);
	else
		put_text(&t->json, "end", why);
	jout_close(&t->json, '}');
	entry_end(t);
}

/* An entry leaves the table: its slice is open. */
static void life_gone(void *ctx, pid_t pid, void *value)
{
	struct timeline *t = ctx;
	struct life *l = value;

	(void)pid;
	if (l->group && t->last_ns != EV_NO_TIME && l->last_ns < t->last_ns)
		l->last_ns = t->last_ns;
	if (l->group)
		slice_end(t, l, NULL, t->finished ? "still running" : "end not seen");
}

/* ---- events ----------------------------------------------------------------------------------- */

static void advance(struct life *l, uint64_t ts_ns)
{
	if (ts_ns > l->last_ns)
		l->last_ns = ts_ns;
}

/* A process begins to be seen: by its fork, or later. */
static struct life *process_begin(struct timeline *t, const struct event *ev)
{
	struct life parent, *l = life_begin(t, ev, &parent);

	if (ev->kind == EV_EXIT && ev->duration_ns != EV_NO_TIME)
		l->last_ns = ev->duration_ns < ev->ts_ns - t->first_ns ? ev->ts_ns - ev->duration_ns
								       : t->first_ns;
	if (l->last_ns < parent.last_ns && parent.track)
		l->last_ns = parent.last_ns;
	slice_begin(t, l, ev);
	if (parent.track)
		put_arrow(t, &parent, l);
	return l;
}

static void take_exec(struct timeline *t, const struct event *ev)
{
	struct life *l = pidtab_find(t->tab, ev->pid);

	if (!l) {
		process_begin(t, ev);
		return;
	}
	advance(l, ev->ts_ns);
	slice_end(t, l, NULL, "executed another program");
	slice_begin(t, l, ev);
}

static void take_exit(struct timeline *t, const struct event *ev)
{
	struct life *l = pidtab_find(t->tab, ev->pid);

	if (!l)
		l = process_begin(t, ev);
	advance(l, ev->ts_ns);
	slice_end(t, l, ev, NULL);
	l->group = 0; /* nothing is open */
	pidtab_remove(t->tab, ev->pid);
}

static void take_failed(struct timeline *t, const struct event *ev)
{
	const struct life *l = pidtab_find(t->tab, ev->pid);
	char name[ERRNAME_MAX];

	if (!l)
		return;
	errname_format(name, ev->error);
	entry_begin(t, "i", l);
	put_text(&t->json, "name", "exec failed");
	put_ts(&t->json, ev->ts_ns > l->last_ns ? ev->ts_ns : l->last_ns);
	put_text(&t->json, "s", "t");
	jout_key(&t->json, "args");
	jout_open(&t->json, '{');
	put_text(&t->json, "error", name);
	if (ev->path.p) {
		jout_key(&t->json, "path");
		jout_string(&t->json, ev->path.p, ev->path.len);
	}
	jout_close(&t->json, '}');
	entry_end(t);
}

static void timeline_event(struct sink *s, const struct event *ev)
{
	struct timeline *t = (struct timeline *)s;
	const struct life *known;

	if (ev->pid < 0 || ev->ts_ns == EV_NO_TIME || event_of_thread(ev))
		return;
	if (t->first_ns == EV_NO_TIME || ev->ts_ns < t->first_ns)
		t->first_ns = ev->ts_ns;
	if (t->last_ns == EV_NO_TIME || ev->ts_ns > t->last_ns)
		t->last_ns = ev->ts_ns;
	if (ev->flags & EVF_EXEC_FAILED) {
		take_failed(t, ev);
	} else if (ev->kind == EV_EXEC) {
		take_exec(t, ev);
	} else if (ev->kind == EV_EXIT) {
		take_exit(t, ev);
	} else {
		/* A fork that comes late, behind an exec, tells nothing new. */
		known = pidtab_find(t->tab, ev->pid);
		if (!known || ev->ts_ns >= known->last_ns)
			process_begin(t, ev);
	}
}

static void timeline_lost(struct sink *s, enum event_kind kind, uint64_t count, const char *place)
{
	struct timeline *t = (struct timeline *)s;

	entry_begin(t, "i", NULL);
	put_text(&t->json, "name", "events lost");
	put_ts(&t->json, t->last_ns == EV_NO_TIME ? 0 : t->last_ns);
	put_text(&t->json, "s", "g");
	jout_key(&t->json, "args");
	jout_open(&t->json, '{');
	put_u64(&t->json, "count", count);
	if (kind < EV_KINDS)
		put_text(&t->json, "kind", event_kind_name(kind));
	if (place)
		put_text(&t->json, "place", place);
	jout_close(&t->json, '}');
	entry_end(t);
}

/* ---- sink ------------------------------------------------------------------------------------- */

static void timeline_flush(struct sink *s)
{
	outbuf_flush(&((struct timeline *)s)->out);
}

static void timeline_finish(struct sink *s)
{
	struct timeline *t = (struct timeline *)s;

	t->finished = true;
	pidtab_free(t->tab);
	t->tab = NULL;
	outbuf_puts(&t->out, "\n]}\n");
	outbuf_flush(&t->out);
}

static int timeline_error(const struct sink *s)
{
	return ((const struct timeline *)s)->out.err;
}

static void timeline_close(struct sink *s)
{
	struct timeline *t = (struct timeline *)s;

	pidtab_free(t->tab);
	outbuf_free(&t->out);
	free(t);
}

static const struct sink_ops timeline_ops = {
	.event = timeline_event,
	.lost = timeline_lost,
	.flush = timeline_flush,
	.finish = timeline_finish,
	.error = timeline_error,
	.close = timeline_close,
};

static void put_head(struct timeline *t, int64_t wall_offset_ns)
{
	struct json_out *j = &t->json;

	jout_open(j, '{');
	put_text(j, "displayTimeUnit", "ms");
	jout_key(j, "otherData");
	jout_open(j, '{');
	put_text(j, "program", "proctrace " PROCTRACE_VERSION);
	jout_key(j, "wall_clock_minus_ts_ns");
	jout_i64(j, wall_offset_ns);
	jout_close(j, '}');
	jout_key(j, "traceEvents");
	jout_open(j, '[');
}

struct sink *sink_timeline_new(const struct sink_timeline_cfg *cfg)
{
	struct timeline *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->sink.ops = &timeline_ops;
	t->first_ns = t->last_ns = EV_NO_TIME;
	t->tab = pidtab_new(ENTRIES, sizeof(struct life), life_gone, t);
	if (!t->tab || outbuf_init(&t->out, cfg->fd)) {
		pidtab_free(t->tab);
		free(t);
		return NULL;
	}
	t->json.out = &t->out;
	put_head(t, cfg->wall_known ? cfg->wall_offset_ns : walltime_offset_now());
	return &t->sink;
}
