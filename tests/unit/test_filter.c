// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/args.h"
#include "event/filter.h"
#include "event/pidset.h"

static struct event event_of(enum event_kind kind, pid_t pid, pid_t ppid, const char *comm)
{
	struct event ev = event_empty(kind);

	ev.pid = ev.tid = pid;
	ev.ppid = ppid;
	ev.uid = 1000;
	ev.cgroup_id = 77;
	memcpy(ev.comm, comm, strnlen(comm, sizeof(ev.comm)));
	return ev;
}

static bool matches(struct filter *f, enum event_kind kind, pid_t pid, pid_t ppid)
{
	struct event ev = event_of(kind, pid, ppid, "testApp");

	return filter_match(f, &ev);
}

static void any_lets_all_pass(void **state)
{
	struct filter f = filter_any();
	struct event nothing = event_empty(EV_FORK);

	(void)state;
	assert_true(filter_match(&f, &nothing));
	assert_true(matches(&f, EV_EXIT, 1, 0));
	filter_free(&f);
	filter_free(NULL);
}

static void each_id_selects(void **state)
{
	static const uint64_t here[FILTER_IDS] = {
		[FILTER_PID] = 5, [FILTER_PPID] = 1, [FILTER_UID] = 1000, [FILTER_CGROUP] = 77
	};

	(void)state;
	for (int id = 0; id < FILTER_IDS; id++) {
		struct filter f = filter_any();

		assert_int_equal(filter_add_id(&f, id, FILTER_ONLY, here[id] + 1, NULL), 0);
		assert_false(matches(&f, EV_EXEC, 5, 1));
		/* Values of one kind are alternatives. */
		assert_int_equal(filter_add_id(&f, id, FILTER_ONLY, here[id], NULL), 0);
		assert_true(matches(&f, EV_EXEC, 5, 1));
		assert_int_equal(filter_add_id(&f, id, FILTER_EXCEPT, here[id], NULL), 0);
		assert_false(matches(&f, EV_EXEC, 5, 1));
	}
}

static void kinds_select_and_all_must_fit(void **state)
{
	struct filter f = filter_any();

	(void)state;
	f.kinds = EV_MASK(EV_EXEC);
	assert_true(matches(&f, EV_EXEC, 5, 1));
	assert_false(matches(&f, EV_EXIT, 5, 1));
	assert_false(filter_selects(&f));
	filter_add_id(&f, FILTER_PID, FILTER_ONLY, 5, NULL);
	assert_true(filter_selects(&f));
	filter_add_id(&f, FILTER_UID, FILTER_ONLY, 1, NULL);
	assert_false(matches(&f, EV_EXEC, 5, 1));
}

static void too_many_values_are_refused(void **state)
{
	struct filter f = filter_any();
	struct err e;

	(void)state;
	for (int i = 0; i < FILTER_MAX; i++)
		assert_int_equal(filter_add_id(&f, FILTER_PID, FILTER_ONLY, 1, &e), 0);
	assert_int_equal(filter_add_id(&f, FILTER_PID, FILTER_ONLY, 1, &e), -EINVAL);
}

static void name_is_a_part_of_comm(void **state)
{
	struct event full = event_of(EV_EXEC, 5, 1, "exactly16bytes!!");
	struct filter f = filter_any();
	struct err e;

	(void)state;
	filter_add_text(&f, FILTER_NAME, FILTER_ONLY, "app", &e);
	assert_false(matches(&f, EV_EXEC, 5, 1));
	filter_add_text(&f, FILTER_NAME, FILTER_ONLY, "App", &e);
	assert_true(matches(&f, EV_EXEC, 5, 1));
	/* comm need not be terminated. */
	assert_false(filter_match(&f, &full));
	filter_add_text(&f, FILTER_NAME, FILTER_ONLY, "bytes!!", &e);
	assert_true(filter_match(&f, &full));
	filter_add_text(&f, FILTER_NAME, FILTER_EXCEPT, "16", &e);
	assert_false(filter_match(&f, &full));
	assert_int_equal(filter_add_text(&f, FILTER_NAME, FILTER_ONLY, "sixteen bytes ..", &e),
			 -EINVAL);
}

/* Against memmem(), on texts of two letters, where beginnings and ends overlap much. */
static void needles_find_what_memmem_finds(void **state)
{
	uint32_t rng = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct needles n = { 0 };
		char hay[17] = "", text[3][5] = { "", "", "" };
		bool want = false;
		size_t len = (rng = rng * 1664525 + 1013904223) >> 28;

		for (size_t k = 0; k < len; k++)
			hay[k] = "ab"[(rng = rng * 1664525 + 1013904223) >> 31];
		for (int t = 0; t < 3; t++) {
			size_t m = 1 + ((rng = rng * 1664525 + 1013904223) >> 30);

			for (size_t k = 0; k < m; k++)
				text[t][k] = "ab"[(rng = rng * 1664525 + 1013904223) >> 31];
			assert_true(needles_add(&n, text[t]));
			want |= memmem(hay, len, text[t], m) != NULL;
		}
		assert_int_equal(needles_find(&n, hay, len), want);
	}
}

static void needles_have_room_for_64_bytes(void **state)
{
	static const char long_one[] =
		"0123456789012345678901234567890123456789012345678901234567890123";
	struct needles n = { 0 };

	(void)state;
	assert_false(needles_add(&n, ""));
	assert_true(needles_add(&n, long_one));
	assert_false(needles_add(&n, "x"));
	assert_true(needles_find(&n, long_one, 64));
	assert_false(needles_find(&n, long_one, 63));
}

static void expressions_fit_comm(void **state)
{
	struct filter f = filter_any();
	struct err e;

	(void)state;
	assert_int_equal(filter_set_regex(&f, FILTER_ONLY, "(", &e), -EINVAL);
	assert_int_equal(filter_set_regex(&f, FILTER_ONLY, "^test(App|1)$", &e), 0);
	assert_true(matches(&f, EV_EXEC, 5, 1));
	assert_int_equal(filter_set_regex(&f, FILTER_ONLY, "x", &e), -EINVAL);
	assert_int_equal(filter_set_regex(&f, FILTER_EXCEPT, "p+", &e), 0);
	assert_false(matches(&f, EV_EXEC, 5, 1));
	filter_free(&f);
}

static bool ends_match(struct filter *f, int status)
{
	struct event ev = event_of(EV_EXIT, 5, 1, "testApp");

	ev.status = status;
	ev.duration_ns = 1000;
	return filter_match(f, &ev);
}

static void ends_select(void **state)
{
	struct filter f = filter_any();
	struct err e;

	(void)state;
	assert_int_equal(filter_add_status(&f, "3", &e), 0);
	assert_int_equal(filter_add_status(&f, "SIGKILL", &e), 0);
	assert_true(ends_match(&f, 3 << 8));
	assert_true(ends_match(&f, 9));
	assert_false(ends_match(&f, 0));
	assert_false(ends_match(&f, 9 << 8));
	assert_false(ends_match(&f, 3));
	assert_int_equal(filter_add_status(&f, "SEGV", &e), 0);
	assert_true(ends_match(&f, 11 | 0x80));
	for (int i = 0; i < 4; i++)
		assert_int_equal(
			filter_add_status(&f, (const char *const[]){ "256", "-1", "SIGX", "" }[i],
					  &e),
			-EINVAL);
	f = filter_any();
	assert_int_equal(filter_add_status(&f, "nonzero", &e), 0);
	assert_false(ends_match(&f, 0));
	assert_true(ends_match(&f, 255 << 8));
	assert_true(ends_match(&f, 1));
	f = filter_any();
	f.min_duration_ns = 1000;
	assert_true(ends_match(&f, 0));
	f.min_duration_ns = 1001;
	assert_false(ends_match(&f, 0));
}

static void absent_never_matches(void **state)
{
	struct event nothing = event_empty(EV_EXEC);
	struct filter f;
	struct err e;

	(void)state;
	for (int id = 0; id < FILTER_IDS; id++) {
		f = filter_any();
		filter_add_id(&f, id, FILTER_ONLY, 0, &e);
		assert_false(filter_match(&f, &nothing));
		f = filter_any();
		filter_add_id(&f, id, FILTER_EXCEPT, 0, &e);
		assert_false(filter_match(&f, &nothing));
	}
	for (int sense = 0; sense < FILTER_SENSES; sense++) {
		f = filter_any();
		filter_add_text(&f, FILTER_NAME, sense, "a", &e);
		assert_false(filter_match(&f, &nothing));
	}
	f = filter_any();
	f.pidns = 1;
	assert_false(filter_match(&f, &nothing));
	f = filter_any();
	filter_add_status(&f, "nonzero", &e);
	assert_false(filter_match(&f, &nothing));
	f = filter_any();
	filter_add_follow(&f, FILTER_ONLY, 10, &e);
	assert_false(filter_match(&f, &nothing));
	filter_free(&f);
}

static struct filter following(pid_t pid)
{
	struct filter f = filter_any();

	filter_add_follow(&f, FILTER_ONLY, pid, NULL);
	return f;
}

static void follows_descendants(void **state)
{
	struct filter f = following(10);

	(void)state;
	f.kinds = EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT);
	assert_true(matches(&f, EV_EXEC, 10, 1));
	assert_false(matches(&f, EV_EXEC, 11, 1));
	/* Forks are not delivered, and yet they count. */
	assert_false(matches(&f, EV_FORK, 20, 10));
	assert_false(matches(&f, EV_FORK, 30, 20));
	assert_true(matches(&f, EV_EXEC, 30, 20));
	assert_true(matches(&f, EV_EXIT, 20, 10));
	/* Its parent is gone and it was handed to init. */
	assert_true(matches(&f, EV_EXEC, 30, 1));
	assert_true(matches(&f, EV_EXIT, 30, 1));
	/* The pid is used again by strangers. */
	assert_false(matches(&f, EV_FORK, 30, 1));
	assert_false(matches(&f, EV_EXEC, 30, 1));
	assert_true(matches(&f, EV_EXIT, 10, 1));
	assert_false(matches(&f, EV_EXEC, 10, 1));
	filter_free(&f);
}

static void following_survives_losses(void **state)
{
	struct filter f = following(10);
	struct event thread = event_of(EV_EXIT, 40, 10, "worker");

	(void)state;
	/* The fork of 20 was lost. */
	assert_true(matches(&f, EV_EXEC, 20, 10));
	assert_true(matches(&f, EV_EXIT, 20, 1));
	/* The exit of 30 was lost, and its pid used again by strangers. */
	assert_true(matches(&f, EV_FORK, 30, 10));
	assert_false(matches(&f, EV_FORK, 30, 1));
	assert_false(matches(&f, EV_EXEC, 30, 1));
	/* A thread's end is not its process's. */
	assert_true(matches(&f, EV_FORK, 40, 10));
	thread.tid = 41;
	assert_true(filter_match(&f, &thread));
	assert_true(matches(&f, EV_EXIT, 40, 10));
	filter_free(&f);
}

static void those_who_live_already_are_followed(void **state)
{
	struct filter f = following(10);

	(void)state;
	assert_false(filter_seed(&f, 12, 11));
	assert_true(filter_seed(&f, 11, 10));
	assert_false(filter_seed(&f, 11, 10));
	assert_true(filter_seed(&f, 12, 11));
	assert_true(matches(&f, EV_EXEC, 12, 11));
	filter_free(&f);
	f = filter_any();
	assert_false(filter_seed(&f, 11, 10));
	filter_add_follow(&f, FILTER_EXCEPT, 10, NULL);
	assert_true(matches(&f, EV_EXEC, 5, 1));
	assert_true(filter_seed(&f, 11, 10));
	assert_false(matches(&f, EV_EXIT, 11, 10));
	filter_free(&f);
}

static bool executes(struct filter *f, pid_t pid, const char *path, uint32_t flags)
{
	struct event ev = event_of(EV_EXEC, pid, 1, "testApp");

	ev.path = (struct str){ path, strlen(path) };
	ev.flags = flags;
	return filter_match(f, &ev);
}

/* An end belongs to the program that ran last. */
static void paths_hold_until_the_end(void **state)
{
	struct filter f = filter_any();

	(void)state;
	filter_add_text(&f, FILTER_PATH, FILTER_ONLY, "/bin/t", NULL);
	assert_true(executes(&f, 5, "/usr/bin/true", 0));
	assert_false(executes(&f, 6, "/usr/bin/false", 0));
	assert_true(matches(&f, EV_FORK, 7, 5));
	assert_true(matches(&f, EV_EXIT, 7, 5));
	assert_false(matches(&f, EV_EXIT, 6, 1));
	assert_true(executes(&f, 6, "/usr/bin/trial", EVF_EXEC_FAILED));
	assert_false(executes(&f, 5, "/usr/bin/false", EVF_EXEC_FAILED));
	assert_true(matches(&f, EV_EXIT, 5, 1));
	assert_false(matches(&f, EV_EXIT, 5, 1));
	assert_true(executes(&f, 5, "/usr/bin/true", 0));
	assert_false(executes(&f, 5, "/usr/bin/false", 0));
	assert_false(matches(&f, EV_EXIT, 5, 1));
	filter_free(&f);
	f = filter_any();
	filter_add_text(&f, FILTER_PATH, FILTER_EXCEPT, "true", NULL);
	assert_true(executes(&f, 6, "/usr/bin/false", 0));
	assert_false(executes(&f, 5, "/usr/bin/true", 0));
	assert_false(matches(&f, EV_EXIT, 5, 1));
	assert_true(matches(&f, EV_EXIT, 8, 1));
	filter_free(&f);
}

static void pidset_agrees_with_a_bitmap(void **state)
{
	static bool in[5000];
	struct pidset *s = pidset_new();
	uint32_t rng = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		pid_t pid;

		rng = rng * 1664525 + 1013904223;
		pid = (pid_t)(rng >> 8) % 4999 + 1;
		if (rng >> 31) {
			assert_int_equal(pidset_add(s, pid), 0);
			in[pid] = true;
		} else {
			pidset_remove(s, pid);
			in[pid] = false;
		}
		if (i % 1000 == 0)
			for (pid = 1; pid < 5000; pid++)
				assert_int_equal(pidset_has(s, pid), in[pid]);
	}
	assert_false(pidset_has(s, 0));
	assert_false(pidset_has(s, -1));
	pidset_free(s);
	pidset_free(NULL);
}

/* Where the v2 hierarchy is mounted, in a unified or a hybrid layout; NULL: not as a root. */
static const char *cgroup2_root(void)
{
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct stat st;
	char path[64];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", places[i]);
		if (!access(path, F_OK) && !stat(places[i], &st) && st.st_ino == 1)
			return places[i];
	}
	return NULL;
}

static void cgroups_are_folders_of_cgroup2(void **state)
{
	struct filter f = filter_any();
	const char *root = cgroup2_root();
	struct err e;

	(void)state;
	assert_int_equal(filter_add_cgroup(&f, FILTER_ONLY, "/nonexistent", &e), -ENOENT);
	assert_int_equal(filter_add_cgroup(&f, FILTER_ONLY, "/tmp", &e), -EINVAL);
	assert_non_null(strstr(e.text, "'/tmp' is no cgroup"));
	assert_int_equal(filter_add_container(&f, FILTER_ONLY, "abc", &e), -EINVAL);
	assert_int_equal(filter_add_container(&f, FILTER_ONLY, "no such container", &e), -ENOENT);
	assert_int_equal(f.id[FILTER_CGROUP][FILTER_ONLY].n, 0);
	if (!root) {
		print_message("no root of a cgroup v2 hierarchy is mounted here\n");
		skip();
	}
	assert_int_equal(filter_add_cgroup(&f, FILTER_ONLY, root, &e), 0);
	assert_int_equal(f.id[FILTER_CGROUP][FILTER_ONLY].v[0], 1);
	assert_int_equal(f.cgroup_depth, 0);
}

static void args_are(const char *p, size_t n, const char *const *want)
{
	struct str rest = { p, n }, arg;

	for (; args_next(&rest, &arg); want++) {
		assert_non_null(*want);
		assert_int_equal(arg.len, strlen(*want));
		assert_memory_equal(arg.p, *want, arg.len);
	}
	assert_null(*want);
}

#define ARGS_ARE(bytes, ...) \
	args_are(bytes, sizeof(bytes) - 1, (const char *const[]){ __VA_ARGS__ })

static void arguments_are_kept_whole(void **state)
{
	(void)state;
	ARGS_ARE("", NULL);
	ARGS_ARE("\0", "", NULL);
	ARGS_ARE("a\0", "a", NULL);
	ARGS_ARE("a\0\0", "a", "", NULL);
	ARGS_ARE("\0\0b\0", "", "", "b", NULL);
	ARGS_ARE("a\0cu", "a", "cu", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_lets_all_pass),
		cmocka_unit_test(each_id_selects),
		cmocka_unit_test(kinds_select_and_all_must_fit),
		cmocka_unit_test(too_many_values_are_refused),
		cmocka_unit_test(name_is_a_part_of_comm),
		cmocka_unit_test(needles_find_what_memmem_finds),
		cmocka_unit_test(needles_have_room_for_64_bytes),
		cmocka_unit_test(expressions_fit_comm),
		cmocka_unit_test(ends_select),
		cmocka_unit_test(absent_never_matches),
		cmocka_unit_test(follows_descendants),
		cmocka_unit_test(following_survives_losses),
		cmocka_unit_test(those_who_live_already_are_followed),
		cmocka_unit_test(paths_hold_until_the_end),
		cmocka_unit_test(pidset_agrees_with_a_bitmap),
		cmocka_unit_test(cgroups_are_folders_of_cgroup2),
		cmocka_unit_test(arguments_are_kept_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
