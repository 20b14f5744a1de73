// SPDX-License-Identifier: MIT
#include "sink/columns.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/human.h"
#include "sink/words.h"

/* Most that one column without strings of a process can take, padding and escapes included. */
#define FIXED_MAX 128
#define CGROUP_MAX 4096
#define TREE_MAX 24 /* deeper ones are not indented further */
#define TIME_WIDTH 12
#define SECONDS_WIDTH 13

/* ---- values ----------------------------------------------------------------------------------- */

static void put_i64(struct line *l, int64_t v, bool absent)
{
	if (!absent)
		line_u64(l, (uint64_t)v);
}

/* Seconds with six decimals. */
static void put_seconds(struct line *l, uint64_t ns)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%5llu.%06llu",
			 (unsigned long long)(ns / NSEC_PER_SEC),
			 (unsigned long long)(ns % NSEC_PER_SEC / 1000));

	line_put(l, text, (size_t)n);
}

static void put_moment(struct columns *c, struct line *l, uint64_t ts_ns)
{
	if (ts_ns == EV_NO_TIME || c->time == TEXT_TIME_NONE)
		return;
	if (c->first_ns == EV_NO_TIME)
		c->first_ns = ts_ns;
	if (c->time == TEXT_TIME_WALL) {
		walltime_clock(&c->wall, ts_ns, l->p);
		l->p += WALLTIME_CLOCK_LEN;
	} else {
		uint64_t from = c->time == TEXT_TIME_REL ? c->first_ns : 0;

		put_seconds(l, ts_ns > from ? ts_ns - from : 0);
	}
}

static void put_time(struct columns *c, struct line *l, const struct event *ev)
{
	put_moment(c, l, ev->ts_ns);
}

static void put_start(struct columns *c, struct line *l, const struct event *ev)
{
	bool known = ev->duration_ns != EV_NO_TIME && ev->duration_ns <= ev->ts_ns;

	put_moment(c, l, known ? ev->ts_ns - ev->duration_ns : EV_NO_TIME);
}

static void put_event(struct columns *c, struct line *l, const struct event *ev)
{
	(void)c;
	line_puts(l, event_kind_name(ev->kind));
}

static void put_user_of(struct columns *c, struct line *l, uid_t uid)
{
	const char *name;
	size_t n;

	if (uid == EV_NO_UID)
		return;
	name = username_get(&c->users, uid, &n);
	line_put(l, name, n);
}

static void put_duration_of(struct line *l, uint64_t ns)
{
	char text[HUMAN_MAX];

	if (ns != EV_NO_TIME)
		line_put(l, text, human_duration(text, ns));
}

static void put_str(struct line *l, const struct str *s)
{
	if (s->p)
		l->p += escape_shell(l->p, ESCAPE_SHELL_MAX(s->len), s->p, s->len);
}

#define PUT(name) static void put_##name(struct columns *c, struct line *l, const struct event *ev)
#define PUT_AS(name, what) \
	PUT(name)          \
	{                  \
		(void)c;   \
		what;      \
	}

PUT_AS(pid, put_i64(l, ev->pid, ev->pid < 0))
PUT_AS(tid, put_i64(l, ev->tid, ev->tid < 0))
PUT_AS(ppid, put_i64(l, ev->ppid, ev->ppid < 0))
PUT_AS(nspid, put_i64(l, ev->ns_pid, ev->ns_pid < 0))
PUT_AS(pidns, put_i64(l, (int64_t)ev->pidns, ev->pidns == EV_NO_PIDNS))
PUT_AS(uid, put_i64(l, ev->uid, ev->uid == EV_NO_UID))
PUT_AS(gid, put_i64(l, ev->gid, ev->gid == EV_NO_GID))
PUT_AS(euid, put_i64(l, ev->euid, ev->euid == EV_NO_UID))
PUT_AS(session, put_i64(l, ev->sessionid, ev->sessionid == EV_NO_SESSION))
PUT_AS(cpu, put_i64(l, ev->cpu, ev->cpu == EV_NO_CPU))
PUT_AS(user, put_user_of(c, l, ev->uid))
PUT_AS(login, put_user_of(c, l, ev->loginuid))
PUT_AS(comm, words_comm(l, ev->comm))
PUT_AS(oldcomm, words_comm(l, ev->old_comm))
PUT_AS(parent, words_comm(l, ev->parent_comm))
PUT_AS(path, put_str(l, &ev->path))
PUT_AS(interp, put_str(l, &ev->interp))
PUT_AS(cwd, put_str(l, &ev->cwd))
PUT_AS(args, words_command(l, ev))
PUT_AS(status, words_status(l, ev))
PUT_AS(duration, put_duration_of(l, ev->duration_ns))
PUT_AS(details, words_details(l, ev))
PUT_AS(rss, if (ev->max_rss_bytes != EV_NO_SIZE) words_bytes(l, ev->max_rss_bytes))
PUT_AS(cputime, bool known = ev->cpu_user_ns != EV_NO_TIME && ev->cpu_sys_ns != EV_NO_TIME;
       put_duration_of(l, known ? ev->cpu_user_ns + ev->cpu_sys_ns : EV_NO_TIME))

PUT(cgroup)
{
	struct cgroup_name name = { 0 };

	if (ev->cgroup_id == EV_NO_CGROUP)
		return;
	if (c->cgroups)
		name = cgroups_get(c->cgroups, ev->cgroup_id);
	if (name.path.p)
		l->p += escape_shell(l->p, CGROUP_MAX, name.path.p, name.path.len);
	else
		line_u64(l, ev->cgroup_id);
}

PUT(container)
{
	struct cgroup_name name = { 0 };

	if (c->cgroups && ev->cgroup_id != EV_NO_CGROUP)
		name = cgroups_get(c->cgroups, ev->cgroup_id);
	if (name.container.p)
		line_put(l, name.container.p, name.container.len < 12 ? name.container.len : 12);
}

/* The end of a process closes its branch. */
PUT(tree)
{
	const unsigned depth = c->depth < TREE_MAX ? c->depth : TREE_MAX;

	for (unsigned i = 1; i < depth; i++)
		line_puts(l, "│ ");
	if (depth)
		line_puts(l, ev->kind == EV_EXIT ? "└ " : "├ ");
	if (ev->kind != EV_EXEC) {
		words_comm(l, ev->comm);
		line_puts(l, ev->comm[0] ? "  " : "");
	}
	words_details(l, ev);
}

const struct column column_table[] = {
	{ "time", "TIME", "when, as --time says", TIME_WIDTH, false, false, put_time },
	{ "start", "START", "when an ended process had started", TIME_WIDTH, false, false,
	  put_start },
	{ "event", "EVENT", "fork, exec or exit", 5, false, false, put_event },
	{ "pid", "PID", "process", 7, true, false, put_pid },
	{ "tid", "TID", "thread", 7, true, false, put_tid },
	{ "ppid", "PPID", "parent process", 7, true, false, put_ppid },
	{ "parent", "PARENT", "name of the parent", 15, false, false, put_parent },
	{ "nspid", "NSPID", "process in its own pid namespace", 7, true, false, put_nspid },
	{ "pidns", "PIDNS", "number of that namespace", 10, true, false, put_pidns },
	{ "user", "USER", "name of the user", USERNAME_COLUMNS, false, false, put_user },
	{ "uid", "UID", "user", 6, true, false, put_uid },
	{ "gid", "GID", "group", 6, true, false, put_gid },
	{ "euid", "EUID", "effective user", 6, true, false, put_euid },
	{ "login", "LOGIN", "name of the user who logged in", USERNAME_COLUMNS, false, false,
	  put_login },
	{ "session", "SESSION", "session of that login", 7, true, false, put_session },
	{ "cpu", "CPU", "CPU on which it happened", 3, true, false, put_cpu },
	{ "comm", "COMM", "name", 15, false, false, put_comm },
	{ "oldcomm", "OLD COMM", "name before an exec", 15, false, false, put_oldcomm },
	{ "path", "PATH", "file that was executed", 24, false, true, put_path },
	{ "interp", "INTERP", "interpreter of a script", 16, false, true, put_interp },
	{ "cwd", "CWD", "working directory", 24, false, true, put_cwd },
	{ "args", "ARGUMENTS", "arguments, as for a shell", 32, false, true, put_args },
	{ "status", "STATUS", "exit status, signal or error", 14, false, false, put_status },
	{ "duration", "DURATION", "from start to end", 8, true, false, put_duration },
	{ "cputime", "CPU TIME", "time on CPUs, with --usage", 8, true, false, put_cputime },
	{ "rss", "RSS", "most memory, with --usage", 6, true, false, put_rss },
	{ "cgroup", "CGROUP", "path of the cgroup", 24, false, true, put_cgroup },
	{ "container", "CONTAINER", "container that the cgroup names", 12, false, false,
	  put_container },
	{ "details", "DETAILS", "command, or how it ended", 40, false, true, put_details },
	{ "tree", "PROCESS", "the same, indented by ancestry", 40, false, true, put_tree },
	{ NULL, NULL, NULL, 0, false, false, NULL },
};

/* ---- choice ----------------------------------------------------------------------------------- */

static const struct column *column_find(const char *name, size_t len)
{
	const struct column *c = column_table;

	while (c->name && (strlen(c->name) != len || memcmp(c->name, name, len) != 0))
		c++;
	return c->name ? c : NULL;
}

static int refuse(const char *name, struct err *e)
{
	char list[400] = "";
	size_t n = 0;

	for (const struct column *c = column_table; c->name; c++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "", c->name);
	return err_set(e, -EINVAL, "'%.64s' is no column; take of %s", name, list);
}

int columns_choose(struct columns *c, const char *const *names, unsigned n, struct err *e)
{
	for (unsigned i = 0; i < n; i++) {
		const struct column *found = column_find(names[i], strlen(names[i]));

		if (!found)
			return refuse(names[i], e);
		if (columns_have(c, names[i]))
			return err_set(e, -EINVAL, "'%s' is there twice", names[i]);
		c->v[c->n++] = found; /* the table has fewer than COLUMNS_MAX */
	}
	return 0;
}

void columns_choose_list(struct columns *c, const char *list)
{
	for (const char *p = list; *p;) {
		size_t len = strcspn(p, ",");

		c->v[c->n++] = column_find(p, len);
		p += len + (p[len] == ',');
	}
}

bool columns_have(const struct columns *c, const char *name)
{
	for (unsigned i = 0; i < c->n; i++)
		if (!strcmp(c->v[i]->name, name))
			return true;
	return false;
}

void columns_print(FILE *to)
{
	for (const struct column *c = column_table; c->name; c++)
		fprintf(to, "%-10s %s\n", c->name, c->help);
}

/* ---- lines ------------------------------------------------------------------------------------ */

static unsigned width_of(const struct columns *c, const struct column *col)
{
	bool is_time = col->put == put_time || col->put == put_start;

	if (!is_time || c->time == TEXT_TIME_WALL)
		return col->width;
	return c->time == TEXT_TIME_NONE ? 0 : SECONDS_WIDTH;
}

size_t columns_room(const struct columns *c, const struct event *ev)
{
	/* A string may be shown twice: in its own column and in the details. */
	return c->n * FIXED_MAX + 2 * words_room(ev) + (c->cgroups ? CGROUP_MAX : 0) + 4 * TREE_MAX;
}

/* The text from @from on is a column's value: aligns it. */
static void column_end(struct line *l, char *from, unsigned width, bool right)
{
	size_t used = line_columns(l, from), pad = used < width ? width - used : 0;

	if (right && pad) {
		memmove(from + pad, from, (size_t)(l->p - from));
		memset(from, ' ', pad);
		l->p += pad;
	} else {
		line_blanks(l, pad);
	}
	line_blanks(l, 1);
}

void columns_put_header(struct columns *c, struct line *l)
{
	for (unsigned i = 0; i < c->n; i++) {
		const struct column *col = c->v[i];
		unsigned width = width_of(c, col);
		char *from = l->p;

		if (!width)
			continue;
		line_puts(l, col->title);
		column_end(l, from, width, col->right);
	}
}

void columns_put(struct columns *c, struct line *l, const struct event *ev)
{
	for (unsigned i = 0; i < c->n; i++) {
		const struct column *col = c->v[i];
		unsigned width = width_of(c, col);
		bool last = i + 1 == c->n;
		char *from = l->p;

		if (!width)
			continue;
		col->put(c, l, ev);
		if (l->p == from && !last && col->put != put_time)
			line_puts(l, "-");
		if (col->strings && !last && !c->whole)
			line_cut(l, from, width);
		column_end(l, from, width, col->right);
	}
}

void columns_put_time(struct columns *c, struct line *l, uint64_t ts_ns)
{
	char *from = l->p;

	if (!c->n || c->v[0]->put != put_time || c->time == TEXT_TIME_NONE)
		return;
	put_moment(c, l, ts_ns);
	column_end(l, from, width_of(c, c->v[0]), false);
}
