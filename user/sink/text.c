// SPDX-License-Identifier: MIT
#include "sink/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/escape.h"
#include "base/human.h"
#include "base/outbuf.h"
#include "base/signame.h"
#include "base/walltime.h"
#include "event/args.h"
#include "sink/username.h"

#define EVENT_COLUMNS 5
#define PID_COLUMNS 7
#define COMM_COLUMNS 15

/* Most that the columns before the strings, and the words around these, can take. */
#define FIXED_MAX 512

struct sink_text {
	struct sink sink;
	struct outbuf out;
	struct walltime wall;
	unsigned width;
	struct username_cache users;
};

/* A line being built in the room of the outbuf, which is large enough for any event. */
struct line {
	char *start, *p;
};

static void line_put(struct line *l, const char *s, size_t n)
{
	memcpy(l->p, s, n);
	l->p += n;
}

static void line_puts(struct line *l, const char *s)
{
	line_put(l, s, strlen(s));
}

static void line_blanks(struct line *l, size_t n)
{
	memset(l->p, ' ', n);
	l->p += n;
}

/* The text from @from on is a column: fills it up to @columns. */
static void line_fill(struct line *l, const char *from, size_t columns)
{
	size_t used = escape_columns(from, (size_t)(l->p - from), 0, NULL);

	if (used < columns)
		line_blanks(l, columns - used);
}

static void line_pid(struct line *l, pid_t pid)
{
	char digits[DECIMAL_MAX] = "-";
	unsigned n = pid >= 0 ? decimal_format(digits, (uint64_t)pid) : 1;

	line_blanks(l, n < PID_COLUMNS ? PID_COLUMNS + 1 - n : 1);
	line_put(l, digits, n);
}

static struct line line_begin(struct sink_text *t, size_t strings)
{
	char *room = outbuf_room(&t->out, FIXED_MAX + strings);

	return (struct line){ room, room };
}

/* Cuts the line to the terminal, ends it and hands it to the outbuf. */
static void line_end(struct sink_text *t, struct line *l)
{
	size_t n, fit;

	while (l->p > l->start && l->p[-1] == ' ')
		l->p--;
	n = (size_t)(l->p - l->start);
	if (t->width && escape_columns(l->start, n, t->width - 1, &fit) > t->width) {
		l->p = l->start + fit;
		line_puts(l, "…");
	}
	*l->p++ = '\n';
	outbuf_took(&t->out, (size_t)(l->p - l->start));
}

static void put_time(struct sink_text *t, struct line *l, uint64_t ts_ns)
{
	line_blanks(l, WALLTIME_CLOCK_LEN + 1);
	if (ts_ns != EV_NO_TIME)
		walltime_clock(&t->wall, ts_ns, l->p - WALLTIME_CLOCK_LEN - 1);
}

static void put_event(struct line *l, const char *name)
{
	const char *from = l->p;

	line_puts(l, name);
	line_fill(l, from, EVENT_COLUMNS);
}

static void put_user(struct sink_text *t, struct line *l, uid_t uid)
{
	const char *from, *name = "-";
	size_t n = 1;

	if (uid != EV_NO_UID)
		name = username_get(&t->users, uid, &n);
	line_blanks(l, 1);
	from = l->p;
	line_put(l, name, n);
	line_fill(l, from, USERNAME_COLUMNS);
	line_blanks(l, 1);
}

static void put_comm(struct line *l, const struct event *ev)
{
	const size_t n = strnlen(ev->comm, sizeof(ev->comm));
	const char *from = l->p;

	if (n)
		l->p += escape_text(l->p, ESCAPE_TEXT_MAX(n), ev->comm, n);
	else
		line_puts(l, "-");
	line_fill(l, from, COMM_COLUMNS);
	line_blanks(l, 1);
}

/* Room for put_args(): every argument of n bytes takes n + 1 in @args, and at most 4n + 4 here. */
static size_t args_room(const struct str *args)
{
	return args->p ? ESCAPE_SHELL_MAX(args->len) : 0;
}

static void put_args(struct line *l, const struct str *args)
{
	struct str rest = *args, arg;

	while (args_next(&rest, &arg)) {
		l->p += escape_shell(l->p, ESCAPE_SHELL_MAX(arg.len), arg.p, arg.len);
		line_blanks(l, 1);
	}
	if (args->len)
		l->p--;
}

static void put_exec(struct line *l, const struct event *ev)
{
	if (ev->args.len)
		put_args(l, &ev->args);
	else if (ev->path.p)
		l->p += escape_shell(l->p, ESCAPE_SHELL_MAX(ev->path.len), ev->path.p,
				     ev->path.len);
	if (ev->flags & EVF_ARGS_TRUNCATED)
		line_puts(l, " …");
	if (ev->flags & EVF_ARGS_UNREADABLE)
		line_puts(l, " (arguments could not be read)");
	if (ev->flags & EVF_GONE)
		line_puts(l, "(gone before its name was read)");
}

static void put_exit(struct line *l, const struct event *ev)
{
	char name[SIGNAME_MAX], digits[DECIMAL_MAX], duration[HUMAN_MAX];

	if (ev->status == EV_NO_STATUS) {
		line_puts(l, "ended");
	} else if (WIFEXITED(ev->status)) {
		line_puts(l, "exit ");
		line_put(l, digits, decimal_format(digits, WEXITSTATUS(ev->status)));
	} else {
		line_put(l, name, signame_format(name, WTERMSIG(ev->status)));
		line_puts(l, WCOREDUMP(ev->status) ? " (core)" : "");
	}
	if (ev->duration_ns != EV_NO_TIME) {
		line_puts(l, " after ");
		line_put(l, duration, human_duration(duration, ev->duration_ns));
	}
}

static void text_event(struct sink *s, const struct event *ev)
{
	struct sink_text *t = (struct sink_text *)s;
	struct line l = line_begin(t, args_room(&ev->args) + args_room(&ev->path));

	if (!l.start)
		return;
	put_time(t, &l, ev->ts_ns);
	put_event(&l, event_kind_name(ev->kind));
	line_pid(&l, ev->pid);
	line_pid(&l, ev->ppid);
	put_user(t, &l, ev->uid);
	put_comm(&l, ev);
	if (ev->kind == EV_EXEC)
		put_exec(&l, ev);
	else if (ev->kind == EV_EXIT)
		put_exit(&l, ev);
	line_end(t, &l);
}

static void text_lost(struct sink *s, enum event_kind kind, uint64_t count, const char *place)
{
	struct sink_text *t = (struct sink_text *)s;
	struct line l = line_begin(t, 0);
	char digits[DECIMAL_MAX];

	if (!l.start)
		return;
	put_time(t, &l, EV_NO_TIME);
	put_event(&l, "lost");
	line_blanks(&l, 1);
	line_put(&l, digits, decimal_format(digits, count));
	line_puts(&l, " ");
	line_puts(&l, kind < EV_KINDS ? event_kind_name(kind) : "");
	line_puts(&l, kind < EV_KINDS ? " " : "");
	line_puts(&l, count == 1 ? "event was lost here" : "events were lost here");
	if (place) {
		line_puts(&l, ": ");
		l.p += escape_text(l.p, FIXED_MAX / 2, place, strlen(place));
	}
	line_end(t, &l);
}

static void text_flush(struct sink *s)
{
	outbuf_flush(&((struct sink_text *)s)->out);
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
	free(t);
}

static const struct sink_ops text_ops = {
	.event = text_event,
	.lost = text_lost,
	.flush = text_flush,
	.error = text_error,
	.close = text_close,
};

struct sink *sink_text_new(const struct sink_text_cfg *cfg)
{
	static const char header[] =
		"TIME         EVENT     PID    PPID USER     COMM            DETAILS";
	struct sink_text *t = calloc(1, sizeof(*t));
	struct line l;

	if (!t)
		return NULL;
	t->sink.ops = &text_ops;
	if (outbuf_init(&t->out, cfg->fd)) {
		free(t);
		return NULL;
	}
	t->width = cfg->width;
	t->wall = cfg->wall_known ? walltime_fixed(true, cfg->wall_offset_ns) : walltime_live(true);
	l = line_begin(t, 0);
	line_puts(&l, header);
	line_end(t, &l);
	return &t->sink;
}
