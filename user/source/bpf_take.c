// SPDX-License-Identifier: MIT
/* bpf_take: from the records of the BPF programs to struct event. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "source/bpf_priv.h"

const enum event_kind bpf_event_kind[PT_KINDS] = {
	[PT_FORK] = EV_FORK, [PT_EXEC] = EV_EXEC, [PT_EXIT] = EV_EXIT
};

static uint32_t flags_take(uint8_t wire)
{
	static const struct {
		uint8_t wire;
		uint32_t flag;
	} table[] = {
		{ PT_ARGS_TRUNCATED, EVF_ARGS_TRUNCATED },
		{ PT_PATH_TRUNCATED, EVF_PATH_TRUNCATED },
		{ PT_ARGS_UNREADABLE, EVF_ARGS_UNREADABLE },
		{ PT_NONLEADER_EXEC, EVF_NONLEADER_EXEC },
		{ PT_EXEC_FAILED, EVF_EXEC_FAILED },
		{ PT_THREAD, EVF_THREAD },
	};
	uint32_t flags = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (wire & table[i].wire)
			flags |= table[i].flag;
	return flags;
}

/* Older kernels leave bytes of an earlier name behind the NUL. */
static void comm_take(char dst[16], const char src[PT_COMM_LEN])
{
	memcpy(dst, src, strnlen(src, PT_COMM_LEN));
}

/* A string that ends with NUL; nothing: absent. */
static struct str str_take(const char *p, uint32_t len)
{
	return len ? (struct str){ p, len - 1 } : (struct str){ 0 };
}

/* "c\0b\0a\0", the names from the innermost outwards, is /a/b/c. */
static struct str cwd_join(char dst[PT_CWD_MAX + 1], const char *names, uint32_t len)
{
	char *p = dst + PT_CWD_MAX;
	const char *end = names + len;
	uint32_t n;

	if (!len || len > PT_CWD_MAX)
		return (struct str){ 0 };
	for (const char *name = names; name < end; name += n + 1) {
		n = (uint32_t)strnlen(name, (size_t)(end - name));
		p -= n;
		memcpy(p, name, n);
		*--p = '/';
	}
	return (struct str){ p, (size_t)(dst + PT_CWD_MAX - p) };
}

/* What a failed exec was given, as the kernel names the file of a successful one. */
static struct str attempt_path(char *dst, size_t size, const struct pt_record *r, struct str path)
{
	int n;

	if (!(r->flags & PT_EXEC_FAILED) || r->status == PT_AT_FDCWD || !path.p || path.p[0] == '/')
		return path;
	n = snprintf(dst, size, "/dev/fd/%d%s%.*s", r->status, path.len ? "/" : "", (int)path.len,
		     path.p);
	return (struct str){ dst, (size_t)n < size ? (size_t)n : size - 1 };
}

static bool strings_take(struct event *ev, const struct pt_full *f, size_t len,
			 const struct source_cfg *cfg, struct bpf_strings *room)
{
	const char *path = (const char *)(f + 1), *interp = path + f->exec.path_len;
	const char *cwd = interp + f->exec.interp_len, *args = cwd + f->exec.cwd_len;
	uint64_t want = sizeof(*f) + (uint64_t)f->exec.path_len + f->exec.interp_len +
			f->exec.cwd_len + f->exec.args_len;

	if (len < want)
		return false;
	if (cfg->want_path)
		ev->path = attempt_path(room->path, sizeof(room->path), &f->rec,
					str_take(path, f->exec.path_len));
	ev->interp = str_take(interp, f->exec.interp_len);
	ev->cwd = cwd_join(room->cwd, cwd, f->exec.cwd_len);
	if (cfg->want_args && !(f->rec.flags & PT_ARGS_UNREADABLE))
		ev->args = (struct str){ args, f->exec.args_len };
	comm_take(ev->old_comm, f->exec.old_comm);
	if (f->rec.flags & PT_EXEC_FAILED)
		ev->error = f->error;
	return true;
}

/*
 * The tick samples which side it finds running; the scheduler knows how long that was in all. So the one
 * is divided like the other, as the kernel does for wait4(2) (cputime_adjust).
 */
static void usage_take(struct event *ev, const struct pt_full *f)
{
	uint64_t sampled = f->exit.utime_ns + f->exit.stime_ns;
	uint64_t ran = f->exit.runtime_ns ? f->exit.runtime_ns : sampled;
	double user = sampled ? (double)f->exit.utime_ns / (double)sampled : 1.0;

	ev->cpu_user_ns = (uint64_t)((double)ran * user);
	if (ev->cpu_user_ns > ran)
		ev->cpu_user_ns = ran;
	ev->cpu_sys_ns = ran - ev->cpu_user_ns;
	ev->max_rss_bytes = f->exit.max_rss_pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool full_take(struct event *ev, const struct pt_full *f, size_t len,
		      const struct source_cfg *cfg, struct bpf_strings *room)
{
	if (len < sizeof(*f))
		return false;
	ev->gid = f->gid;
	ev->euid = f->euid;
	ev->loginuid = f->loginuid;
	ev->sessionid = f->sessionid;
	ev->ns_pid = (pid_t)f->ns_pid;
	ev->pidns = f->pidns;
	comm_take(ev->parent_comm, f->parent_comm);
	if (ev->kind == EV_EXIT && cfg->want_usage)
		usage_take(ev, f);
	return ev->kind != EV_EXEC || strings_take(ev, f, len, cfg, room);
}

bool bpf_take(struct event *ev, const void *data, size_t len, const struct source_cfg *cfg,
	      struct bpf_strings *room)
{
	const struct pt_record *r = data;

	if (len < sizeof(*r) || r->kind >= PT_KINDS)
		return false;
	*ev = event_empty(bpf_event_kind[r->kind]);
	ev->cpu = r->cpu;
	ev->flags = r->flags ? flags_take(r->flags) : 0;
	ev->ts_ns = r->ts_ns;
	ev->pid = (pid_t)r->pid;
	ev->tid = (pid_t)r->tid;
	ev->ppid = (pid_t)r->ppid;
	ev->uid = r->uid;
	ev->cgroup_id = r->cgroup_id;
	comm_take(ev->comm, r->comm);
	if (r->kind == PT_EXIT) {
		ev->status = r->status;
		ev->duration_ns = r->duration_ns;
		ev->tid = ev->pid; /* the end of the process, whichever thread was the last */
	}
	return !cfg->full || full_take(ev, data, len, cfg, room);
}
