// SPDX-License-Identifier: MIT
#include "event/recformat.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

static const uint8_t magic[8] = { 0x89, 'P', 'T', 'R', 'E', 'C', '\r', '\n' };

#define STRINGS 4 /* path, args, interp, cwd */
/* Longest string: all of this length still make one record. */
#define STR_MAX ((RECFORMAT_MAX - RECFORMAT_EVENT) / STRINGS)
#define STR_ABSENT UINT32_MAX

static void put32(uint8_t *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
}

static void put64(uint8_t *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static uint64_t get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

void recformat_put_header(uint8_t dst[RECFORMAT_HEADER], int64_t wall_offset_ns)
{
	memcpy(dst, magic, sizeof(magic));
	put32(dst + 8, RECFORMAT_VERSION);
	put32(dst + 12, 0);
	put64(dst + 16, (uint64_t)wall_offset_ns);
}

int recformat_get_header(const uint8_t *p, size_t n, struct recformat_head *head, struct err *e)
{
	if (n < RECFORMAT_HEADER || memcmp(p, magic, sizeof(magic)) != 0)
		return err_set(e, -EBADMSG, "is no recording of 'proctrace trace --record'");
	head->version = get32(p + 8);
	if (head->version < 1 || head->version > RECFORMAT_VERSION)
		return err_set(e, -EBADMSG,
			       "is a recording of version %u; this program reads versions 1 to %d",
			       head->version, RECFORMAT_VERSION);
	head->wall_offset_ns = (int64_t)get64(p + 16);
	return 0;
}

static size_t stored_len(const struct str *s)
{
	return !s->p ? 0 : s->len < STR_MAX ? s->len : STR_MAX;
}

size_t recformat_event_size(const struct event *ev)
{
	return RECFORMAT_EVENT + stored_len(&ev->path) + stored_len(&ev->args) +
	       stored_len(&ev->interp) + stored_len(&ev->cwd);
}

static uint8_t *put_str(uint8_t *dst, const struct str *s)
{
	size_t n = stored_len(s);

	if (n)
		memcpy(dst, s->p, n);
	return dst + n;
}

static void put_len(uint8_t *dst, const struct str *s)
{
	put32(dst, s->p ? (uint32_t)stored_len(s) : STR_ABSENT);
}

/* What version 2 added to the fixed part. */
static void put_added(uint8_t *dst, const struct event *ev)
{
	put32(dst + 92, ev->gid);
	put32(dst + 96, ev->euid);
	put32(dst + 100, ev->loginuid);
	put32(dst + 104, ev->sessionid);
	put32(dst + 108, (uint32_t)ev->ns_pid);
	put64(dst + 112, ev->pidns);
	put64(dst + 120, ev->cpu_user_ns);
	put64(dst + 128, ev->cpu_sys_ns);
	put64(dst + 136, ev->max_rss_bytes);
	put32(dst + 144, (uint32_t)ev->error);
	put_len(dst + 148, &ev->interp);
	put_len(dst + 152, &ev->cwd);
	memcpy(dst + 156, ev->parent_comm, sizeof(ev->parent_comm));
	memcpy(dst + 172, ev->old_comm, sizeof(ev->old_comm));
}

void recformat_put_event(uint8_t *dst, const struct event *ev)
{
	uint32_t flags = ev->flags;
	uint8_t *strings;

	if (ev->path.p && ev->path.len > STR_MAX)
		flags |= EVF_PATH_TRUNCATED;
	if (ev->args.p && ev->args.len > STR_MAX)
		flags |= EVF_ARGS_TRUNCATED;
	put32(dst, (uint32_t)recformat_event_size(ev));
	put32(dst + 4, ev->kind);
	put32(dst + 8, flags);
	put32(dst + 12, ev->cpu);
	put64(dst + 16, ev->ts_ns);
	put64(dst + 24, ev->rx_ns);
	put64(dst + 32, ev->duration_ns);
	put64(dst + 40, ev->cgroup_id);
	put32(dst + 48, (uint32_t)ev->pid);
	put32(dst + 52, (uint32_t)ev->tid);
	put32(dst + 56, (uint32_t)ev->ppid);
	put32(dst + 60, ev->uid);
	put32(dst + 64, (uint32_t)ev->status);
	put_len(dst + 68, &ev->path);
	put_len(dst + 72, &ev->args);
	memcpy(dst + 76, ev->comm, sizeof(ev->comm));
	put_added(dst, ev);
	strings = put_str(dst + RECFORMAT_EVENT, &ev->path);
	strings = put_str(strings, &ev->args);
	strings = put_str(strings, &ev->interp);
	put_str(strings, &ev->cwd);
}

size_t recformat_put_lost(uint8_t *dst, enum event_kind kind, uint64_t count, const char *place)
{
	size_t len = place ? strnlen(place, RECFORMAT_PLACE_MAX) : 0;

	put32(dst, (uint32_t)(RECFORMAT_LOST + len));
	put32(dst + 4, REC_TYPE_LOST);
	put32(dst + 8, kind);
	put32(dst + 12, (uint32_t)len);
	put64(dst + 16, count);
	if (len)
		memcpy(dst + RECFORMAT_LOST, place, len);
	return RECFORMAT_LOST + len;
}

/* The strings of a record: what is left of its bytes. */
struct strings {
	const uint8_t *p;
	size_t room;
};

/* Takes a string of @len bytes off the front. */
static int get_str(struct strings *from, uint32_t len, const char *what, struct str *s,
		   struct err *e)
{
	*s = (struct str){ 0 };
	if (len == STR_ABSENT)
		return 0;
	if (len > from->room)
		return err_set(e, -EINVAL, "its %s claims %u bytes where %zu are left", what, len,
			       from->room);
	*s = (struct str){ (const char *)from->p, len };
	from->p += len;
	from->room -= len;
	return 0;
}

/* The fixed part of both versions. */
static void get_fixed(const uint8_t *p, struct event *ev)
{
	ev->flags = get32(p + 8);
	ev->cpu = get32(p + 12);
	ev->ts_ns = get64(p + 16);
	ev->rx_ns = get64(p + 24);
	ev->duration_ns = get64(p + 32);
	ev->cgroup_id = get64(p + 40);
	ev->pid = (pid_t)get32(p + 48);
	ev->tid = (pid_t)get32(p + 52);
	ev->ppid = (pid_t)get32(p + 56);
	ev->uid = get32(p + 60);
	ev->status = (int)get32(p + 64);
	memcpy(ev->comm, p + 76, sizeof(ev->comm));
}

static void get_added(const uint8_t *p, struct event *ev)
{
	ev->gid = get32(p + 92);
	ev->euid = get32(p + 96);
	ev->loginuid = get32(p + 100);
	ev->sessionid = get32(p + 104);
	ev->ns_pid = (pid_t)get32(p + 108);
	ev->pidns = get64(p + 112);
	ev->cpu_user_ns = get64(p + 120);
	ev->cpu_sys_ns = get64(p + 128);
	ev->max_rss_bytes = get64(p + 136);
	ev->error = (int)get32(p + 144);
	memcpy(ev->parent_comm, p + 156, sizeof(ev->parent_comm));
	memcpy(ev->old_comm, p + 172, sizeof(ev->old_comm));
}

static int get_event(const uint8_t *p, size_t size, uint32_t version, struct recformat_item *item,
		     struct err *e)
{
	const size_t fixed = version == 1 ? RECFORMAT_EVENT_V1 : RECFORMAT_EVENT;
	struct event *ev = &item->ev;
	struct strings strings;
	int r;

	if (size < fixed)
		return err_set(e, -EINVAL, "it has %zu bytes where an event takes %zu", size,
			       fixed);
	strings = (struct strings){ p + fixed, size - fixed };
	*ev = event_empty((enum event_kind)item->type);
	get_fixed(p, ev);
	r = get_str(&strings, get32(p + 68), "path", &ev->path, e);
	if (!r)
		r = get_str(&strings, get32(p + 72), "argument text", &ev->args, e);
	if (r || version == 1)
		return r;
	get_added(p, ev);
	r = get_str(&strings, get32(p + 148), "interpreter", &ev->interp, e);
	return r ? r : get_str(&strings, get32(p + 152), "working directory", &ev->cwd, e);
}

static int get_lost(const uint8_t *p, size_t size, struct recformat_item *item, struct err *e)
{
	uint32_t kind, len;

	if (size < RECFORMAT_LOST)
		return err_set(e, -EINVAL, "it has %zu bytes where a loss takes %d", size,
			       RECFORMAT_LOST);
	kind = get32(p + 8);
	len = get32(p + 12);
	if (kind > EV_KINDS)
		return err_set(e, -EINVAL, "it tells a loss of events of kind %u", kind);
	if (len > RECFORMAT_PLACE_MAX || len > size - RECFORMAT_LOST)
		return err_set(e, -EINVAL, "its place claims %u bytes", len);
	item->lost_kind = (enum event_kind)kind;
	item->lost_count = get64(p + 16);
	memcpy(item->lost_place, p + RECFORMAT_LOST, len);
	item->lost_place[len] = '\0';
	return 0;
}

int recformat_get(const uint8_t *p, size_t n, uint32_t version, struct recformat_item *item,
		  size_t *size, struct err *e)
{
	uint32_t whole;
	uint8_t type;
	int r;

	if (n < 8)
		return 0;
	whole = get32(p);
	if (whole < 8 || whole > RECFORMAT_MAX)
		return err_set(e, -EBADMSG, "it claims to be %u bytes long", whole);
	if (n < whole)
		return 0;
	*size = whole;
	type = p[4];
	item->type = (enum recformat_type)type;
	if (type < EV_KINDS)
		r = get_event(p, whole, version, item, e);
	else if (type == REC_TYPE_LOST)
		r = get_lost(p, whole, item, e);
	else
		r = err_set(e, -EINVAL, "it is of the unknown type %u", type);
	return r ? r : 1;
}
