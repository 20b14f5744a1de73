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

static void each_setting_selects(void **state)
{
	struct filter f = filter_any();

	(void)state;
	f.kinds = EV_MASK(EV_EXEC);
	assert_true(matches(&f, EV_EXEC, 5, 1));
	assert_false(matches(&f, EV_EXIT, 5, 1));
	f = filter_any();
	f.pid = 5;
	assert_true(matches(&f, EV_EXEC, 5, 1));
	assert_false(matches(&f, EV_EXEC, 6, 5));
	f = filter_any();
	f.uid = 1000;
	assert_true(matches(&f, EV_EXEC, 5, 1));
	f.uid = 0;
	assert_false(matches(&f, EV_EXEC, 5, 1));
	f = filter_any();
	f.cgroup_id = 77;
	assert_true(matches(&f, EV_EXEC, 5, 1));
	f.cgroup_id = 78;
	assert_false(matches(&f, EV_EXEC, 5, 1));
}

static void name_is_a_part_of_comm(void **state)
{
	struct filter f = filter_any();
	struct event full = event_of(EV_EXEC, 5, 1, "exactly16bytes!!");

	(void)state;
	strcpy(f.name, "App");
	assert_true(matches(&f, EV_EXEC, 5, 1));
	strcpy(f.name, "app");
	assert_false(matches(&f, EV_EXEC, 5, 1));
	/* comm need not be terminated. */
	strcpy(f.name, "bytes!!");
	assert_true(filter_match(&f, &full));
	memcpy(f.name, "exactly16bytes!!", 16);
	assert_true(filter_match(&f, &full));
}

static void absent_never_matches(void **state)
{
	struct event nothing = event_empty(EV_EXEC);
	struct filter f;

	(void)state;
	f = filter_any();
	f.uid = 0;
	assert_false(filter_match(&f, &nothing));
	f = filter_any();
	f.pid = 5;
	assert_false(filter_match(&f, &nothing));
	f = filter_any();
	strcpy(f.name, "a");
	assert_false(filter_match(&f, &nothing));
	f = filter_any();
	f.cgroup_id = 1;
	assert_false(filter_match(&f, &nothing));
	f = filter_any();
	f.follow = 10;
	assert_false(filter_match(&f, &nothing));
	filter_free(&f);
}

static void follows_descendants(void **state)
{
	struct filter f = filter_any();

	(void)state;
	f.follow = 10;
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
	struct filter f = filter_any();
	struct event thread = event_of(EV_EXIT, 40, 10, "worker");

	(void)state;
	f.follow = 10;
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
	assert_int_equal(filter_set_cgroup(&f, "/nonexistent", &e), -ENOENT);
	assert_int_equal(filter_set_cgroup(&f, "/tmp", &e), -EINVAL);
	assert_non_null(strstr(e.text, "'/tmp' is no cgroup"));
	assert_true(f.cgroup_id == EV_NO_CGROUP);
	if (!root) {
		print_message("no root of a cgroup v2 hierarchy is mounted here\n");
		skip();
	}
	assert_int_equal(filter_set_cgroup(&f, root, &e), 0);
	assert_int_equal(f.cgroup_id, 1);
	assert_int_equal(f.cgroup_level, 0);
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
		cmocka_unit_test(each_setting_selects),
		cmocka_unit_test(name_is_a_part_of_comm),
		cmocka_unit_test(absent_never_matches),
		cmocka_unit_test(follows_descendants),
		cmocka_unit_test(following_survives_losses),
		cmocka_unit_test(pidset_agrees_with_a_bitmap),
		cmocka_unit_test(cgroups_are_folders_of_cgroup2),
		cmocka_unit_test(arguments_are_kept_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
