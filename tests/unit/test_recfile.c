// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "event/recformat.h"
#include "sink/recfile.h"
#include "source/replay.h"

static const struct source_ops *const replay = &source_replay;

static char file[] = "/tmp/test_recfile.XXXXXX";

/* A sink that remembers what it got. */
struct memory {
	struct sink sink;
	struct event ev[16];
	char path[16][64], args[16][64];
	unsigned n;
	enum event_kind lost_kind;
	uint64_t lost;
	char place[RECFORMAT_PLACE_MAX + 1];
};

static struct memory mem;

static void remember(struct sink *s, const struct event *ev)
{
	struct memory *m = (struct memory *)s;

	assert_true(m->n < 16);
	m->ev[m->n] = *ev;
	if (ev->path.p)
		memcpy(m->path[m->n], ev->path.p, ev->path.len);
	if (ev->args.p)
		memcpy(m->args[m->n], ev->args.p, ev->args.len);
	m->n++;
}

static void remember_lost(struct sink *s, enum event_kind kind, uint64_t count, const char *place)
{
	struct memory *m = (struct memory *)s;

	m->lost_kind = kind;
	m->lost += count;
	snprintf(m->place, sizeof(m->place), "%s", place ? place : "(none)");
}

static const struct sink_ops memory_ops = { .event = remember, .lost = remember_lost };

static struct event full_event(void)
{
	struct event ev = {
		.kind = EV_EXEC,
		.cpu = 3,
		.flags = EVF_NONLEADER_EXEC,
		.ts_ns = 0x1122334455667788,
		.rx_ns = 0x99,
		.pid = 1234,
		.tid = 1235,
		.ppid = 1,
		.uid = 4000000000U,
		.status = EV_NO_STATUS,
		.duration_ns = EV_NO_TIME,
		.comm = "exactly16bytes!",
		.path = { "/bin/x\xff", 7 },
		.args = { "a\0\0", 3 },
		.cgroup_id = 0xfedcba9876543210,
		.parent_comm = "the parent",
		.old_comm = "before",
		.gid = 5,
		.euid = 6,
		.loginuid = 7,
		.sessionid = 8,
		.ns_pid = 9,
		.pidns = 4026531836,
		.interp = { "/bin/sh", 7 },
		.cwd = { "/\n", 2 },
		.error = 2,
		.cpu_user_ns = 10,
		.cpu_sys_ns = 0x1234567890,
		.max_rss_bytes = 11,
	};

	ev.comm[15] = '!';
	return ev;
}

static void assert_same(const struct event *a, const struct event *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->ts_ns, b->ts_ns);
	assert_int_equal(a->rx_ns, b->rx_ns);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->ppid, b->ppid);
	assert_int_equal(a->uid, b->uid);
	assert_int_equal(a->status, b->status);
	assert_int_equal(a->duration_ns, b->duration_ns);
	assert_int_equal(a->cgroup_id, b->cgroup_id);
	assert_memory_equal(a->comm, b->comm, sizeof(a->comm));
	assert_int_equal(a->path.len, b->path.len);
	assert_int_equal(!a->path.p, !b->path.p);
	assert_int_equal(a->args.len, b->args.len);
	assert_int_equal(!a->args.p, !b->args.p);
	assert_memory_equal(a->parent_comm, b->parent_comm, sizeof(a->parent_comm));
	assert_memory_equal(a->old_comm, b->old_comm, sizeof(a->old_comm));
	assert_int_equal(a->gid, b->gid);
	assert_int_equal(a->euid, b->euid);
	assert_int_equal(a->loginuid, b->loginuid);
	assert_int_equal(a->sessionid, b->sessionid);
	assert_int_equal(a->ns_pid, b->ns_pid);
	assert_int_equal(a->pidns, b->pidns);
	assert_int_equal(a->interp.len, b->interp.len);
	assert_int_equal(!a->interp.p, !b->interp.p);
	assert_int_equal(a->cwd.len, b->cwd.len);
	assert_int_equal(!a->cwd.p, !b->cwd.p);
	assert_int_equal(a->error, b->error);
	assert_int_equal(a->cpu_user_ns, b->cpu_user_ns);
	assert_int_equal(a->cpu_sys_ns, b->cpu_sys_ns);
	assert_int_equal(a->max_rss_bytes, b->max_rss_bytes);
}

/* Writes two events, a loss and a third event to the file. */
static void record_sample(void)
{
	struct event ev = full_event(), empty = event_empty(EV_EXIT), fork = event_empty(EV_FORK);
	int fd = open(file, O_WRONLY | O_TRUNC);
	struct sink *s = sink_recfile_new(
		&(struct sink_recfile_cfg){ .fd = fd, .wall_known = true, .wall_offset_ns = -42 });

	fork.path = (struct str){ "", 0 }; /* present and empty is not absent */
	assert_non_null(s);
	sink_event(s, &ev);
	sink_event(s, &empty);
	s->ops->lost(s, EV_EXEC, 7, "ring full");
	sink_event(s, &fork);
	s->ops->flush(s);
	assert_int_equal(s->ops->error(s), 0);
	s->ops->close(s);
	close(fd);
}

static int replay_all(struct source *s, struct err *e)
{
	int r;

	memset(&mem, 0, sizeof(mem));
	mem.sink.ops = &memory_ops;
	s->ops = replay;
	s->cfg.sink = &mem.sink;
	s->cfg.file = file;
	r = replay->open(s, e);
	if (r)
		return r;
	assert_int_equal(replay->start(s, e), 0);
	do
		r = replay->drain(s, 0);
	while (r >= 0);
	return r;
}

static struct source new_source(void)
{
	struct source s = { .cfg = { .want_path = true, .want_args = true, .wake_fd = -1 } };

	return s;
}

static void what_was_recorded_comes_back(void **state)
{
	struct event full = full_event(), empty = event_empty(EV_EXIT);
	struct source s = new_source();
	struct source_stats stats;
	struct err e;

	(void)state;
	record_sample();
	assert_int_equal(replay_all(&s, &e), -ENODATA);
	assert_int_equal(mem.n, 3);
	assert_same(&mem.ev[0], &full);
	assert_memory_equal(mem.path[0], full.path.p, full.path.len);
	assert_memory_equal(mem.args[0], full.args.p, full.args.len);
	assert_same(&mem.ev[1], &empty);
	assert_int_equal(mem.ev[2].kind, EV_FORK);
	assert_non_null(mem.ev[2].path.p);
	assert_int_equal(mem.lost, 7);
	assert_int_equal(mem.lost_kind, EV_EXEC);
	assert_string_equal(mem.place, "ring full");
	assert_int_equal(replay_wall_offset(&s), -42);
	replay->stats(&s, &stats);
	assert_int_equal(stats.account[0].generated, 10);
	assert_int_equal(stats.account[0].delivered, 3);
	assert_int_equal(stats.malformed, 0);
	replay->close(&s);
	replay->close(&s);
}

static void what_was_not_asked_for_is_left_out(void **state)
{
	struct filter f = filter_any();
	struct source s = new_source();
	struct err e;

	(void)state;
	record_sample();
	f.kinds = EV_MASK(EV_EXEC);
	s.cfg.filter = &f;
	s.cfg.want_path = false;
	s.cfg.args_max = 2;
	assert_int_equal(replay_all(&s, &e), -ENODATA);
	assert_int_equal(mem.n, 1);
	assert_null(mem.ev[0].path.p);
	assert_int_equal(mem.ev[0].args.len, 2);
	assert_true(mem.ev[0].flags & EVF_ARGS_TRUNCATED);
	replay->close(&s);
}

static void patch(off_t at, const void *p, size_t n)
{
	int fd = open(file, O_WRONLY);

	assert_int_equal(pwrite(fd, p, n, at), n);
	close(fd);
}

static void refuses_what_is_no_recording(void **state)
{
	struct source s = new_source();
	struct err e;

	(void)state;
	record_sample();
	patch(0, "x", 1);
	assert_int_equal(replay_all(&s, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "is no recording"));
	patch(0, "\x89", 1);
	patch(8, "\x03", 1);
	assert_int_equal(replay_all(&s, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "of version 3"));
	assert_int_equal(truncate(file, 10), 0);
	assert_int_equal(replay_all(&s, &e), -EBADMSG);
	assert_int_equal(truncate(file, 0), 0);
	assert_int_equal(replay_all(&s, &e), -EBADMSG);
	s.cfg.file = NULL;
	assert_int_equal(replay->open(&s, &e), -EINVAL);
	s.cfg.file = "/nonexistent";
	assert_int_equal(replay->open(&s, &e), -ENOENT);
	s.cfg.file = "/";
	assert_int_equal(replay->open(&s, &e), -EISDIR);
}

static void a_cut_file_gives_what_is_whole(void **state)
{
	struct source s = new_source();
	struct source_stats stats;
	struct err e;

	(void)state;
	record_sample();
	assert_int_equal(truncate(file, RECFORMAT_HEADER + RECFORMAT_EVENT + 19 + 40), 0);
	assert_int_equal(replay_all(&s, &e), -EBADMSG);
	assert_int_equal(mem.n, 1);
	assert_non_null(strstr(s.broken.text, "the record at offset 231 of"));
	assert_non_null(strstr(s.broken.text, "ends in the middle"));
	replay->stats(&s, &stats);
	assert_int_equal(stats.malformed, 1);
	replay->close(&s);
}

static void malformed_records_are_counted_and_skipped(void **state)
{
	struct source s = new_source();
	struct source_stats stats;
	struct err e;

	(void)state;
	record_sample();
	patch(RECFORMAT_HEADER + 68, "\xff\xff\xff\x00", 4);
	assert_int_equal(replay_all(&s, &e), -ENODATA);
	assert_int_equal(mem.n, 2);
	replay->stats(&s, &stats);
	assert_int_equal(stats.malformed, 1);
	assert_non_null(strstr(s.broken.text, "the record at offset 24 of"));
	assert_non_null(strstr(s.broken.text, "its path claims 16777215 bytes"));
	replay->close(&s);
}

static void a_size_that_cannot_be_ends_it(void **state)
{
	static const char *const sizes[] = { "\x00\x00\x00\x00", "\x07\x00\x00\x00",
					     "\xff\xff\xff\xff" };
	struct err e;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct source s = new_source();

		record_sample();
		patch(RECFORMAT_HEADER, sizes[i], 4);
		assert_int_equal(replay_all(&s, &e), -EBADMSG);
		assert_int_equal(mem.n, 0);
		assert_non_null(strstr(s.broken.text, "what follows is lost"));
		replay->close(&s);
	}
}

static void unknown_types_and_longer_records_are_skipped(void **state)
{
	struct event full = full_event();
	uint8_t buf[512] = { 0 };
	struct recformat_item item;
	struct err e;
	size_t n = recformat_event_size(&full), size = 0;

	(void)state;
	recformat_put_event(buf, &full);
	buf[0] += 8; /* a later version added something */
	assert_int_equal(recformat_get(buf, n, RECFORMAT_VERSION, &item, &size, &e), 0);
	assert_int_equal(recformat_get(buf, n + 8, RECFORMAT_VERSION, &item, &size, &e), 1);
	assert_int_equal(size, n + 8);
	assert_same(&item.ev, &full);
	buf[4] = 9;
	assert_int_equal(recformat_get(buf, n + 8, RECFORMAT_VERSION, &item, &size, &e), -EINVAL);
	assert_int_equal(size, n + 8);
	assert_non_null(strstr(e.text, "unknown type 9"));
}

/* As the program of version 1 wrote it: what it did not know is absent, not zero. */
static void version_1_is_read(void **state)
{
	struct event full = full_event(), want;
	struct recformat_item item;
	uint8_t buf[512];
	size_t size = 0;

	(void)state;
	recformat_put_event(buf, &full);
	buf[0] = RECFORMAT_EVENT_V1 + 10;
	memmove(buf + RECFORMAT_EVENT_V1, buf + RECFORMAT_EVENT, 10);
	assert_int_equal(recformat_get(buf, sizeof(buf), 1, &item, &size, NULL), 1);
	assert_int_equal(size, RECFORMAT_EVENT_V1 + 10);
	want = full;
	memset(want.parent_comm, 0, sizeof(want.parent_comm));
	memset(want.old_comm, 0, sizeof(want.old_comm));
	want.gid = EV_NO_GID;
	want.euid = want.loginuid = EV_NO_UID;
	want.sessionid = EV_NO_SESSION;
	want.ns_pid = EV_NO_PID;
	want.pidns = EV_NO_PIDNS;
	want.interp = want.cwd = (struct str){ 0 };
	want.error = 0;
	want.cpu_user_ns = want.cpu_sys_ns = EV_NO_TIME;
	want.max_rss_bytes = EV_NO_SIZE;
	assert_same(&item.ev, &want);
	assert_memory_equal(item.ev.path.p, full.path.p, full.path.len);
}

static void strings_that_are_too_long_are_cut_and_flagged(void **state)
{
	struct event ev = event_empty(EV_EXEC);
	struct recformat_item item;
	size_t len = 3U << 20, size;
	char *text = malloc(len);
	uint8_t *buf = malloc(RECFORMAT_MAX);

	(void)state;
	memset(text, 'x', len);
	ev.path = ev.args = ev.interp = ev.cwd = (struct str){ text, len };
	assert_true(recformat_event_size(&ev) <= RECFORMAT_MAX);
	recformat_put_event(buf, &ev);
	assert_int_equal(recformat_get(buf, RECFORMAT_MAX, RECFORMAT_VERSION, &item, &size, NULL),
			 1);
	assert_int_equal(item.ev.flags, EVF_ARGS_TRUNCATED | EVF_PATH_TRUNCATED);
	assert_true(item.ev.args.len > 250000);
	free(text);
	free(buf);
}

static void woken_readers_return(void **state)
{
	struct source s = new_source();
	struct err e;
	int fd[2];

	(void)state;
	record_sample();
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], "x", 1), 1);
	memset(&mem, 0, sizeof(mem));
	s.cfg.file = file;
	s.cfg.wake_fd = fd[0];
	assert_int_equal(replay->open(&s, &e), 0);
	assert_int_equal(replay->drain(&s, -1), 0);
	replay->close(&s);
	close(fd[0]);
	close(fd[1]);
}

static int make_file(void **state)
{
	int fd = mkstemp(file);

	(void)state;
	close(fd);
	return fd < 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_recorded_comes_back),
		cmocka_unit_test(what_was_not_asked_for_is_left_out),
		cmocka_unit_test(refuses_what_is_no_recording),
		cmocka_unit_test(a_cut_file_gives_what_is_whole),
		cmocka_unit_test(malformed_records_are_counted_and_skipped),
		cmocka_unit_test(a_size_that_cannot_be_ends_it),
		cmocka_unit_test(unknown_types_and_longer_records_are_skipped),
		cmocka_unit_test(version_1_is_read),
		cmocka_unit_test(strings_that_are_too_long_are_cut_and_flagged),
		cmocka_unit_test(woken_readers_return),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
