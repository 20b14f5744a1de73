// SPDX-License-Identifier: MIT
#include "sink/join.h"

#include <stdlib.h>
#include <string.h>

#include "sink/lineage.h"
#include "sink/pidtab.h"

#define ENTRIES 32768
/* All strings that are kept: beyond it, processes end without their arguments, and say so. */
#define STRINGS_MAX (64U << 20)

/* What is kept of an exec; its strings follow one another at @text. */
struct exec {
	uint64_t ts_ns;
	char *text;
	uint32_t path, args, interp, cwd; /* lengths */
	uint32_t flags;
	char comm[16], old_comm[16];
	uint8_t has_path, has_args, has_interp, has_cwd;
	uint32_t pad;
};

struct sink_join {
	struct sink sink, *to;
	struct pidtab *tab;
	size_t strings; /* bytes kept */
};

static size_t exec_size(const struct exec *x)
{
	return (size_t)x->path + x->args + x->interp + x->cwd;
}

static void exec_gone(void *ctx, pid_t pid, void *value)
{
	struct sink_join *j = ctx;
	struct exec *x = value;

	(void)pid;
	if (x->text)
		j->strings -= exec_size(x);
	free(x->text);
}

static char *str_keep(char *to, const struct str *s)
{
	if (s->len)
		memcpy(to, s->p, s->len);
	return to + s->len;
}

static void strings_keep(struct sink_join *j, struct exec *x, const struct event *ev)
{
	size_t size = exec_size(x);
	char *p = j->strings + size <= STRINGS_MAX ? malloc(size ? size : 1) : NULL;

	if (!p) {
		x->path = x->args = x->interp = x->cwd = 0;
		x->has_path = x->has_args = x->has_interp = x->has_cwd = 0;
		x->flags |= EVF_ARGS_TRUNCATED;
		return;
	}
	x->text = p;
	j->strings += size;
	p = str_keep(p, &ev->path);
	p = str_keep(p, &ev->args);
	p = str_keep(p, &ev->interp);
	str_keep(p, &ev->cwd);
}

static void exec_keep(struct sink_join *j, const struct event *ev)
{
	struct exec *x = pidtab_add(j->tab, ev->pid);

	*x = (struct exec){ .ts_ns = ev->ts_ns,
			    .path = (uint32_t)ev->path.len,
			    .args = (uint32_t)ev->args.len,
			    .interp = (uint32_t)ev->interp.len,
			    .cwd = (uint32_t)ev->cwd.len,
			    .flags = ev->flags,
			    .has_path = ev->path.p != NULL,
			    .has_args = ev->args.p != NULL,
			    .has_interp = ev->interp.p != NULL,
			    .has_cwd = ev->cwd.p != NULL };
	memcpy(x->comm, ev->comm, sizeof(x->comm));
	memcpy(x->old_comm, ev->old_comm, sizeof(x->old_comm));
	strings_keep(j, x, ev);
}

static struct str str_back(const char **p, uint32_t len, bool has)
{
	struct str s = { has ? *p : NULL, len };

	*p += len;
	return s;
}

/* The name at the end may be that of the thread which went last: that of the exec is the program's. */
static void exec_add(const struct exec *x, struct event *ev)
{
	const char *p = x->text;

	ev->path = str_back(&p, x->path, x->has_path);
	ev->args = str_back(&p, x->args, x->has_args);
	ev->interp = str_back(&p, x->interp, x->has_interp);
	ev->cwd = str_back(&p, x->cwd, x->has_cwd);
	ev->flags |= x->flags;
	if (x->comm[0])
		memcpy(ev->comm, x->comm, sizeof(ev->comm));
	memcpy(ev->old_comm, x->old_comm, sizeof(ev->old_comm));
	if (ev->duration_ns == EV_NO_TIME && ev->ts_ns != EV_NO_TIME && ev->ts_ns >= x->ts_ns)
		ev->duration_ns = ev->ts_ns - x->ts_ns;
}

static void join_event(struct sink *s, const struct event *ev)
{
	struct sink_join *j = (struct sink_join *)s;
	struct event whole = *ev;
	const struct exec *x;

	if (ev->pid == EV_NO_PID || event_of_thread(ev) || ev->flags & EVF_EXEC_FAILED)
		return;
	if (ev->kind == EV_EXEC) {
		exec_keep(j, ev);
		return;
	}
	if (ev->kind == EV_EXIT) {
		x = pidtab_find(j->tab, ev->pid);
		if (x)
			exec_add(x, &whole);
		sink_event(j->to, &whole);
	}
	/* A fork shows that an end was missed. */
	pidtab_remove(j->tab, ev->pid);
}

static void join_lost(struct sink *s, enum event_kind kind, uint64_t count, const char *place)
{
	struct sink *to = ((struct sink_join *)s)->to;

	if (to->ops->lost)
		to->ops->lost(to, kind, count, place);
}

static void join_mismatch(struct sink *s, const struct event *ev, const char *only)
{
	struct sink *to = ((struct sink_join *)s)->to;

	if (to->ops->mismatch)
		to->ops->mismatch(to, ev, only);
}

static void join_flush(struct sink *s)
{
	struct sink *to = ((struct sink_join *)s)->to;

	if (to->ops->flush)
		to->ops->flush(to);
}

static int join_error(const struct sink *s)
{
	const struct sink *to = ((const struct sink_join *)s)->to;

	return to->ops->error ? to->ops->error(to) : 0;
}

static void join_close(struct sink *s)
{
	struct sink_join *j = (struct sink_join *)s;

	pidtab_free(j->tab);
	j->to->ops->close(j->to);
	free(j);
}

static const struct sink_ops join_ops = {
	.event = join_event,
	.lost = join_lost,
	.mismatch = join_mismatch,
	.flush = join_flush,
	.error = join_error,
	.close = join_close,
};

struct sink *sink_join_new(struct sink *to)
{
	struct sink_join *j = to ? calloc(1, sizeof(*j)) : NULL;

	if (!to)
		return NULL;
	if (j)
		j->tab = pidtab_new(ENTRIES, sizeof(struct exec), exec_gone, j);
	if (!j || !j->tab) {
		free(j);
		to->ops->close(to);
		return NULL;
	}
	j->sink.ops = &join_ops;
	j->to = to;
	return &j->sink;
}
