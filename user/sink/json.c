// SPDX-License-Identifier: MIT
#include "sink/json.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "base/errname.h"
#include "base/json_out.h"
#include "base/signame.h"
#include "base/walltime.h"
#include "event/args.h"

struct sink_json {
	struct sink sink;
	struct outbuf out;
	struct json_out json;
	struct walltime wall;
	struct cgroups *cgroups; /* borrowed; NULL: paths are not asked for */
};

static void put_time(struct sink_json *s, uint64_t ts_ns)
{
	char *room;

	if (ts_ns == EV_NO_TIME)
		return;
	jout_key(&s->json, "ts");
	room = outbuf_room(&s->out, WALLTIME_ISO_LEN + 2);
	if (room) {
		room[0] = '"';
		walltime_iso(&s->wall, ts_ns, room + 1);
		room[WALLTIME_ISO_LEN + 1] = '"';
		outbuf_took(&s->out, WALLTIME_ISO_LEN + 2);
	}
	s->json.comma = true;
	jout_key(&s->json, "mono_ns");
	jout_u64(&s->json, ts_ns);
}

static void put_pid(struct json_out *j, const char *key, pid_t pid)
{
	if (pid == EV_NO_PID)
		return;
	jout_key(j, key);
	jout_i64(j, pid);
}

/* Numbers that have one absent value: all ones. */
static void put_u32(struct json_out *j, const char *key, uint32_t v)
{
	if (v == UINT32_MAX)
		return;
	jout_key(j, key);
	jout_u64(j, v);
}

static void put_u64(struct json_out *j, const char *key, uint64_t v)
{
	if (v == UINT64_MAX)
		return;
	jout_key(j, key);
	jout_u64(j, v);
}

static void put_ids(struct json_out *j, const struct event *ev)
{
	put_u32(j, "cpu", ev->cpu);
	put_pid(j, "pid", ev->pid);
	if (ev->tid != ev->pid)
		put_pid(j, "tid", ev->tid);
	put_pid(j, "ppid", ev->ppid);
	put_pid(j, "ns_pid", ev->ns_pid);
	put_u64(j, "pidns", ev->pidns);
	put_u32(j, "uid", ev->uid);
	put_u32(j, "gid", ev->gid);
	put_u32(j, "euid", ev->euid);
	put_u32(j, "loginuid", ev->loginuid);
	put_u32(j, "sessionid", ev->sessionid);
}

static void put_string(struct json_out *j, const char *key, const char *hex_key, const char *p,
		       size_t n)
{
	jout_key(j, key);
	if (jout_string(j, p, n))
		return;
	jout_key(j, hex_key);
	jout_hex(j, p, n);
}

static void put_str(struct json_out *j, const char *key, const char *hex_key, const struct str *s)
{
	if (s->p)
		put_string(j, key, hex_key, s->p, s->len);
}

static void put_comm(struct json_out *j, const char *key, const char *hex_key, const char comm[16])
{
	if (comm[0])
		put_string(j, key, hex_key, comm, strnlen(comm, 16));
}

static void put_cgroup(struct sink_json *s, uint64_t id)
{
	struct cgroup_name name;

	put_u64(&s->json, "cgroup_id", id);
	if (!s->cgroups || id == EV_NO_CGROUP)
		return;
	name = cgroups_get(s->cgroups, id);
	put_str(&s->json, "cgroup", "cgroup_hex", &name.path);
	put_str(&s->json, "container", "container_hex", &name.container);
}

static void put_args(struct json_out *j, const struct str *args)
{
	struct str rest = *args, arg;
	bool whole = true;

	jout_key(j, "args");
	jout_open(j, '[');
	while (args_next(&rest, &arg))
		whole &= jout_string(j, arg.p, arg.len);
	jout_close(j, ']');
	if (whole)
		return;
	jout_key(j, "args_hex");
	jout_hex(j, args->p, args->len);
}

static void put_names(struct json_out *j, const struct event *ev)
{
	put_comm(j, "comm", "comm_hex", ev->comm);
	put_comm(j, "old_comm", "old_comm_hex", ev->old_comm);
	put_comm(j, "parent_comm", "parent_comm_hex", ev->parent_comm);
	put_str(j, "path", "path_hex", &ev->path);
	put_str(j, "interp", "interp_hex", &ev->interp);
	put_str(j, "cwd", "cwd_hex", &ev->cwd);
	if (ev->args.p)
		put_args(j, &ev->args);
}

static void put_flags(struct json_out *j, uint32_t flags)
{
	static const struct {
		uint32_t flag;
		const char *key;
	} known[] = {
		{ EVF_ARGS_TRUNCATED, "args_truncated" },
		{ EVF_PATH_TRUNCATED, "path_truncated" },
		{ EVF_ARGS_UNREADABLE, "args_unreadable" },
		{ EVF_NONLEADER_EXEC, "nonleader_exec" },
		{ EVF_NAME_LATE, "name_late" },
		{ EVF_GONE, "gone" },
		{ EVF_EXEC_FAILED, "failed" },
		{ EVF_THREAD, "thread" },
	};

	for (size_t i = 0; flags && i < sizeof(known) / sizeof(known[0]); i++) {
		if (!(flags & known[i].flag))
			continue;
		jout_key(j, known[i].key);
		jout_bool(j, true);
	}
}

static void put_signal(struct json_out *j, int status)
{
	char name[SIGNAME_MAX];
	unsigned len = signame_format(name, WTERMSIG(status));

	jout_key(j, "signal");
	jout_i64(j, WTERMSIG(status));
	jout_key(j, "signal_name");
	jout_string(j, name, len);
	jout_key(j, "core");
	jout_bool(j, WCOREDUMP(status));
}

static void put_end(struct json_out *j, const struct event *ev)
{
	if (ev->status != EV_NO_STATUS && WIFEXITED(ev->status)) {
		jout_key(j, "exit_code");
		jout_i64(j, WEXITSTATUS(ev->status));
	} else if (ev->status != EV_NO_STATUS) {
		put_signal(j, ev->status);
	}
	put_u64(j, "duration_ns", ev->duration_ns);
	put_u64(j, "cpu_user_ns", ev->cpu_user_ns);
	put_u64(j, "cpu_sys_ns", ev->cpu_sys_ns);
	put_u64(j, "max_rss_bytes", ev->max_rss_bytes);
}

/* Of an exec that failed. */
static void put_error(struct json_out *j, int error)
{
	char name[ERRNAME_MAX];
	unsigned len = errname_format(name, error);

	jout_key(j, "error");
	jout_i64(j, error);
	jout_key(j, "error_name");
	jout_string(j, name, len);
}

static void json_begin(struct json_out *j, const char *kind)
{
	jout_open(j, '{');
	jout_key(j, "event");
	jout_string(j, kind, strlen(kind));
}

static void json_end(struct json_out *j)
{
	jout_close(j, '}');
	jout_newline(j);
	outbuf_line_end(j->out);
}

static void json_event(struct sink *sink, const struct event *ev)
{
	struct sink_json *s = (struct sink_json *)sink;

	json_begin(&s->json, event_kind_name(ev->kind));
	put_time(s, ev->ts_ns);
	put_ids(&s->json, ev);
	put_cgroup(s, ev->cgroup_id);
	put_names(&s->json, ev);
	put_flags(&s->json, ev->flags);
	if (ev->flags & EVF_EXEC_FAILED)
		put_error(&s->json, ev->error);
	if (ev->kind == EV_EXIT)
		put_end(&s->json, ev);
	json_end(&s->json);
}

static void json_lost(struct sink *sink, enum event_kind kind, uint64_t count, const char *place)
{
	struct json_out *j = &((struct sink_json *)sink)->json;

	json_begin(j, "lost");
	if (kind < EV_KINDS) {
		jout_key(j, "kind");
		jout_string(j, event_kind_name(kind), strlen(event_kind_name(kind)));
	}
	jout_key(j, "count");
	jout_u64(j, count);
	if (place) {
		jout_key(j, "place");
		jout_string(j, place, strlen(place));
	}
	json_end(j);
}

static void json_mismatch(struct sink *sink, const struct event *ev, const char *only)
{
	struct sink_json *s = (struct sink_json *)sink;
	struct json_out *j = &s->json;

	json_begin(j, "mismatch");
	put_time(s, ev->ts_ns);
	jout_key(j, "kind");
	jout_string(j, event_kind_name(ev->kind), strlen(event_kind_name(ev->kind)));
	jout_key(j, "only");
	jout_string(j, only, strlen(only));
	put_pid(j, "pid", ev->pid);
	put_comm(j, "comm", "comm_hex", ev->comm);
	json_end(j);
}

static void json_flush(struct sink *sink)
{
	outbuf_flush(&((struct sink_json *)sink)->out);
}

static int json_error(const struct sink *sink)
{
	return ((const struct sink_json *)sink)->out.err;
}

static void json_sink_close(struct sink *sink)
{
	struct sink_json *s = (struct sink_json *)sink;

	outbuf_flush(&s->out);
	outbuf_free(&s->out);
	free(s);
}

static const struct sink_ops json_ops = {
	.event = json_event,
	.lost = json_lost,
	.mismatch = json_mismatch,
	.flush = json_flush,
	.error = json_error,
	.close = json_sink_close,
};

struct sink *sink_json_new(const struct sink_json_cfg *cfg)
{
	struct sink_json *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->sink.ops = &json_ops;
	if (outbuf_init(&s->out, cfg->fd)) {
		free(s);
		return NULL;
	}
	s->out.file = cfg->file;
	s->json.out = &s->out;
	s->cgroups = cfg->cgroups;
	s->wall =
		cfg->wall_known ? walltime_fixed(false, cfg->wall_offset_ns) : walltime_live(false);
	return &s->sink;
}
