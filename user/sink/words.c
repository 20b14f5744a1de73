// SPDX-License-Identifier: MIT
#include "sink/words.h"

#include <sys/wait.h>

#include "base/errname.h"
#include "base/escape.h"
#include "base/human.h"
#include "base/signame.h"
#include "event/args.h"

/* Every argument of n bytes takes n + 1 in @s, and at most 4n + 4 here. */
static size_t str_room(const struct str *s)
{
	return s->p ? ESCAPE_SHELL_MAX(s->len) : 0;
}

size_t words_room(const struct event *ev)
{
	return str_room(&ev->args) + str_room(&ev->path) + str_room(&ev->interp) +
	       str_room(&ev->cwd);
}

void words_comm(struct line *l, const char comm[16])
{
	const size_t n = strnlen(comm, 16);

	l->p += escape_text(l->p, ESCAPE_TEXT_MAX(n), comm, n);
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

static void put_path(struct line *l, const struct str *path)
{
	l->p += escape_shell(l->p, ESCAPE_SHELL_MAX(path->len), path->p, path->len);
}

void words_command(struct line *l, const struct event *ev)
{
	if (ev->args.len)
		put_args(l, &ev->args);
	else if (ev->path.p)
		put_path(l, &ev->path);
	if (ev->flags & EVF_ARGS_TRUNCATED)
		line_puts(l, " …");
	if (ev->flags & EVF_ARGS_UNREADABLE)
		line_puts(l, " (arguments could not be read)");
	if (ev->flags & EVF_GONE)
		line_puts(l, "(gone before its name was read)");
}

static void put_error(struct line *l, int error)
{
	char name[ERRNAME_MAX];

	line_put(l, name, errname_format(name, error));
}

void words_status(struct line *l, const struct event *ev)
{
	char name[SIGNAME_MAX];

	if (ev->flags & EVF_EXEC_FAILED) {
		put_error(l, ev->error);
	} else if (ev->kind != EV_EXIT) {
		return;
	} else if (ev->status == EV_NO_STATUS) {
		line_puts(l, "ended");
	} else if (WIFEXITED(ev->status)) {
		line_puts(l, "exit ");
		line_u64(l, WEXITSTATUS(ev->status));
	} else {
		line_put(l, name, signame_format(name, WTERMSIG(ev->status)));
		line_puts(l, WCOREDUMP(ev->status) ? " (core)" : "");
	}
}

static void put_usage(struct line *l, const struct event *ev)
{
	char time[HUMAN_MAX];

	if (ev->cpu_user_ns != EV_NO_TIME && ev->cpu_sys_ns != EV_NO_TIME) {
		line_puts(l, ", CPU ");
		line_put(l, time, human_duration(time, ev->cpu_user_ns + ev->cpu_sys_ns));
	}
	if (ev->max_rss_bytes != EV_NO_SIZE) {
		line_puts(l, ", ");
		words_bytes(l, ev->max_rss_bytes);
	}
}

void words_details(struct line *l, const struct event *ev)
{
	char duration[HUMAN_MAX];

	if (ev->flags & EVF_EXEC_FAILED) {
		put_error(l, ev->error);
		line_puts(l, ": ");
	}
	/* A shell tries one path after the other with the same arguments. */
	if (ev->flags & EVF_EXEC_FAILED && ev->path.p)
		put_path(l, &ev->path);
	else if (ev->kind == EV_EXEC)
		words_command(l, ev);
	if (ev->flags & EVF_THREAD)
		line_puts(l, "thread ");
	if (ev->flags & EVF_THREAD && ev->tid >= 0)
		line_u64(l, (uint64_t)ev->tid);
	if (ev->kind != EV_EXIT)
		return;
	words_status(l, ev);
	if (ev->duration_ns != EV_NO_TIME) {
		line_puts(l, " after ");
		line_put(l, duration, human_duration(duration, ev->duration_ns));
	}
	put_usage(l, ev);
}

void words_bytes(struct line *l, uint64_t bytes)
{
	static const char unit[] = "BKMGTPE";
	unsigned u = 0;

	/* Tenths, rounded; three digits at most before the unit. */
	for (; bytes >= 1024 && unit[u + 1]; u++) {
		if (bytes < 1024 * 10 && u + 2 < sizeof(unit)) {
			uint64_t tenths = (bytes * 10 + 512) / 1024;

			line_u64(l, tenths / 10);
			line_puts(l, ".");
			line_u64(l, tenths % 10);
			line_put(l, unit + u + 1, 1);
			return;
		}
		bytes = (bytes + 512) / 1024;
	}
	line_u64(l, bytes);
	line_put(l, unit + u, 1);
}
