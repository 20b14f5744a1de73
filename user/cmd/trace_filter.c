// SPDX-License-Identifier: MIT
#include "cmd/trace_filter.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BOTH(NAME, ARG, ROW, HELP)                                                     \
	{ .name = NAME,                                                                \
	  .arg = ARG,                                                                  \
	  .parse = opt_list,                                                           \
	  .offset = offsetof(struct trace_filter_opts, row[ROW][FILTER_ONLY]),         \
	  .help = HELP },                                                              \
	{                                                                              \
		.name = "exclude-" NAME, .arg = ARG, .parse = opt_list,                \
		.offset = offsetof(struct trace_filter_opts, row[ROW][FILTER_EXCEPT]), \
		.help = "not those"                                                    \
	}

const struct opt trace_filter_table[] = {
	BOTH("name", "TEXT", TF_NAME, "whose name contains TEXT (at most 15 bytes)"),
	BOTH("name-regex", "REGEX", TF_REGEX, "whose name fits this extended regular expression"),
	BOTH("path", "TEXT", TF_PATH, "that executed a file whose path contains TEXT"),
	BOTH("pid", "PID", TF_PID, "this process"),
	BOTH("ppid", "PID", TF_PPID, "children of this process"),
	BOTH("descendants", "PID", TF_DESCENDANTS,
	     "this running process and all that descend from it"),
	BOTH("uid", "UID", TF_UID, "of the user with this number"),
	BOTH("user", "NAME", TF_USER, "of this user"),
	BOTH("cgroup", "DIR", TF_CGROUP,
	     "in this cgroup (a folder of a v2 hierarchy, or a path below its root) or below it"),
	BOTH("container", "ID", TF_CONTAINER, "in the cgroup whose name contains ID"),
	{ .name = "pidns",
	  .arg = "NS",
	  .parse = opt_string,
	  .offset = offsetof(struct trace_filter_opts, pidns),
	  .help = "in this pid namespace: self, or its inode number" },
	{ .name = "min-duration",
	  .arg = "TIME",
	  .parse = opt_duration,
	  .offset = offsetof(struct trace_filter_opts, min_duration_ns),
	  .help = "only the end of processes that lived so long or longer" },
	{ .name = "exit-status",
	  .arg = "STATUS",
	  .parse = opt_list,
	  .offset = offsetof(struct trace_filter_opts, status),
	  .help = "only the end of processes with this status: nonzero, 0 to 255, or a signal" },
	{ .name = NULL },
};

static int number_parse(const char *text, unsigned long max, const char *what, uint64_t *out,
			struct err *e)
{
	char *end;

	errno = 0;
	*out = strtoul(text, &end, 10);
	if (*end || text[0] < '0' || text[0] > '9')
		return err_set(e, -EINVAL, "'%.64s' is no %s", text, what);
	if (errno || *out > max)
		return err_set(e, -EINVAL, "'%.64s' is too large; at most %lu", text, max);
	return 0;
}

/* ---- one value of a row: what it means for the filter ------------------------------------------- */

static int take_name(struct filter *f, enum filter_sense sense, const char *v, struct err *e)
{
	return filter_add_text(f, FILTER_NAME, sense, v, e);
}

static int take_path(struct filter *f, enum filter_sense sense, const char *v, struct err *e)
{
	return filter_add_text(f, FILTER_PATH, sense, v, e);
}

static int take_pid(struct filter *f, enum filter_sense sense, const char *v, struct err *e)
{
	uint64_t pid;
	int err = number_parse(v, INT32_MAX, "process id", &pid, e);

	return err ? err : filter_add_id(f, FILTER_PID, sense, pid, e);
}

static int take_ppid(struct filter *f, enum filter_sense sense, const char *v, struct err *e)
{
	uint64_t pid;
	int err = number_parse(v, INT32_MAX, "process id", &pid, e);

	return err ? err : filter_add_id(f, FILTER_PPID, sense, pid, e);
}

static int take_descendants(struct filter *f, enum filter_sense sense, const char *v, struct err *e)
{
	uint64_t pid;
	int err = number_parse(v, INT32_MAX, "process id", &pid, e);

	return err ? err : filter_add_follow(f, sense, (pid_t)pid, e);
}

static int take_uid(struct filter *f, enum filter_sense sense, const char *v, struct err *e)
{
	uint64_t uid;
	int err = number_parse(v, UINT32_MAX - 1UL, "user id", &uid, e);

	return err ? err : filter_add_id(f, FILTER_UID, sense, uid, e);
}

static int take_user(struct filter *f, enum filter_sense sense, const char *v, struct err *e)
{
	const struct passwd *pw;

	errno = 0;
	pw = getpwnam(v);
	if (!pw)
		return err_set(e, -EINVAL, "'%.64s' is no user of this machine", v);
	return filter_add_id(f, FILTER_UID, sense, pw->pw_uid, e);
}

static int (*const take[TF_ROWS])(struct filter *, enum filter_sense, const char *,
				  struct err *) = {
	[TF_NAME] = take_name,
	[TF_REGEX] = filter_set_regex,
	[TF_PATH] = take_path,
	[TF_PID] = take_pid,
	[TF_PPID] = take_ppid,
	[TF_DESCENDANTS] = take_descendants,
	[TF_UID] = take_uid,
	[TF_USER] = take_user,
	[TF_CGROUP] = filter_add_cgroup,
	[TF_CONTAINER] = filter_add_container,
};

/* ---- the lot ------------------------------------------------------------------------------------ */

/* The sentence of the value at fault, behind the name of its option. */
static int blame(const char *prefix, const char *name, int err, const struct err *why,
		 struct err *e)
{
	return err_set(e, err, "--%s%s %s", prefix, name, why->text);
}

static int row_apply(const struct trace_filter_opts *o, int row, int sense, struct filter *f,
		     struct err *e)
{
	const struct opt_list *list = &o->row[row][sense];
	struct err why;

	for (unsigned i = 0; i < list->n; i++) {
		int err = take[row](f, (enum filter_sense)sense, list->v[i], &why);

		if (err)
			return blame("", trace_filter_table[2 * row + sense].name, err, &why, e);
	}
	return 0;
}

static int pidns_apply(const char *text, struct filter *f, struct err *e)
{
	struct stat st;

	if (strcmp(text, "self") != 0)
		return number_parse(text, UINT32_MAX,
				    "pid namespace: take self, or an inode number", &f->pidns, e);
	if (stat("/proc/self/ns/pid", &st))
		return err_set(e, -errno, "cannot look at /proc/self/ns/pid: %s", strerror(errno));
	f->pidns = st.st_ino;
	return 0;
}

int trace_filter_apply(const struct trace_filter_opts *o, struct filter *f, struct err *e)
{
	struct err why;
	int err = 0;

	for (int row = 0; row < TF_ROWS; row++)
		for (int sense = 0; !err && sense < FILTER_SENSES; sense++)
			err = row_apply(o, row, sense, f, e);
	if (err)
		return err;
	f->min_duration_ns = o->min_duration_ns;
	for (unsigned i = 0; i < o->status.n; i++) {
		err = filter_add_status(f, o->status.v[i], &why);
		if (err)
			return blame("exit-", "status", err, &why, e);
	}
	err = o->pidns ? pidns_apply(o->pidns, f, &why) : 0;
	return err ? blame("", "pidns", err, &why, e) : 0;
}
