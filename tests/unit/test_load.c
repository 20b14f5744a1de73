// SPDX-License-Identifier: MIT
/* The load generator on the real kernel, without root: exact counts, and truth that agrees with itself. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "load/load.h"

#define STATUSES 251 /* launch i of a worker exits with i mod this */
#define DEADLINE_MS 60000
#define FOREVER_NS (3600 * NSEC_PER_SEC)

static struct load_result result; /* too large for a stack */
static struct truth truth;

static struct load *open_pool(unsigned workers, uint64_t max, const char *target)
{
	const struct load_pool_cfg cfg = { .workers = workers,
					   .max_launches = max,
					   .target = target };
	struct load *l = NULL;
	struct err e = { "" };

	if (load_open(&cfg, &l, &e))
		fail_msg("load_open: %s", e.text);
	return l;
}

static void start(struct load *l, const struct load_cfg *cfg)
{
	struct err e = { "" };

	if (load_start(l, cfg, &e))
		fail_msg("load_start: %s", e.text);
}

static void finish(struct load *l)
{
	struct err e = { "" };

	if (load_wait(l, DEADLINE_MS, &result, &e) != 1)
		fail_msg("load_wait: %s", e.text);
	load_truth(l, &truth);
}

static void run(struct load *l, const struct load_cfg *cfg)
{
	start(l, cfg);
	finish(l);
}

static int by_pid_and_time(const void *a, const void *b)
{
	const struct truth_launch *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* No two windows of one pid overlap. Returns how many launches had the pid of an earlier one. */
static size_t check_windows(void)
{
	const size_t n = truth_count(&truth);
	struct truth_launch *all = calloc(n + 1, sizeof(*all));
	size_t reused = 0, k = 0;

	assert_non_null(all);
	for (unsigned i = 0; i < truth.nsegments; i++)
		for (size_t j = 0; j < truth.segment[i].n; j++)
			all[k++] = truth.segment[i].launch[j];
	qsort(all, n, sizeof(*all), by_pid_and_time);
	for (size_t i = 1; i < n; i++) {
		if (all[i].pid != all[i - 1].pid)
			continue;
		reused++;
		assert_true(all[i].start_ns >= all[i - 1].end_ns);
	}
	free(all);
	return reused;
}

/* Each worker's launches: in order, ended, with the status of their place and the worker's name. */
static void check_segments(unsigned workers)
{
	for (unsigned i = 0; i < workers; i++) {
		const struct truth_segment *s = &truth.segment[i];
		char name[16];

		snprintf(name, sizeof(name), "testApp%u", i + 1);
		for (size_t j = 0; j < s->n; j++) {
			const struct truth_launch *l = &s->launch[j];

			assert_int_equal(l->worker, i);
			assert_true(l->pid > 0);
			assert_true(l->start_ns < l->end_ns);
			assert_true(!j || l[-1].start_ns < l->start_ns);
			assert_int_equal(l->status, (j % STATUSES) << 8);
			assert_string_equal(truth.name[l->name - 1], name);
		}
	}
}

static void test_methods_and_modes(void **state)
{
	struct load *l = open_pool(3, 10000, NULL);

	(void)state;
	for (int method = LOAD_VFORK; method <= LOAD_SPAWN; method++)
		for (int mode = LOAD_WAIT; mode <= LOAD_NOWAIT; mode++) {
			const struct load_cfg cfg = { .method = (enum load_method)method,
						      .mode = (enum load_mode)mode,
						      .workers = 3,
						      .count = 2003 };

			load_reset(l);
			run(l, &cfg);
			assert_int_equal(result.launches, 2003);
			assert_int_equal(result.failed, 0);
			assert_int_equal(result.bad_status, 0);
			assert_int_equal(result.latency.n, 2003);
			assert_int_equal(result.worker[0].launches, 668);
			assert_int_equal(result.worker[2].launches, 667);
			assert_int_equal(load_progress(l), 2003);
			assert_int_equal(truth_count(&truth), 2003);
			check_segments(3);
			check_windows();
		}
	load_close(l);
}

static void test_runs_append_until_reset(void **state)
{
	struct load *l = open_pool(2, 10000, NULL);
	struct load_cfg cfg = { .workers = 1, .count = 400 };
	struct err e;

	(void)state;
	run(l, &cfg);
	run(l, &cfg);
	assert_int_equal(result.launches, 400);
	assert_int_equal(truth_count(&truth), 800);
	check_segments(1);

	cfg.workers = 2;
	assert_int_equal(load_start(l, &cfg, &e), -EINVAL);
	load_reset(l);
	run(l, &cfg);
	assert_int_equal(truth_count(&truth), 400);
	check_segments(2);
	load_close(l);
}

static void test_inflight_is_kept(void **state)
{
	struct load *l = open_pool(2, 10000, NULL);
	const struct load_cfg cfg = {
		.mode = LOAD_NOWAIT, .workers = 2, .count = 503, .inflight = 2
	};

	(void)state;
	run(l, &cfg);
	assert_int_equal(result.launches, 503);
	assert_int_equal(result.inflight, 2);
	/* With one at a time, a worker's next launch begins after the end of the one before. */
	for (unsigned w = 0; w < 2; w++)
		for (size_t i = 1; i < truth.segment[w].n; i++)
			assert_true(truth.segment[w].launch[i].start_ns >=
				    truth.segment[w].launch[i - 1].end_ns);
	load_close(l);
}

static void test_rate_starts_on_time(void **state)
{
	struct load *l = open_pool(2, 10000, NULL);
	const struct load_cfg cfg = { .workers = 2, .count = 100, .rate = 1000 };
	const uint64_t begun = clock_now_ns();

	(void)state;
	run(l, &cfg);
	assert_int_equal(result.launches, 100);
	for (unsigned w = 0; w < 2; w++)
		for (size_t i = 0; i < truth.segment[w].n; i++)
			assert_true(truth.segment[w].launch[i].start_ns >=
				    begun + (2 * i + w) * NSEC_PER_MSEC);
	load_close(l);
}

static void test_duration_bounds(void **state)
{
	struct load *l = open_pool(1, 100000, NULL);
	const struct load_cfg cfg = { .workers = 1, .duration_ns = 50 * NSEC_PER_MSEC };

	(void)state;
	run(l, &cfg);
	assert_true(result.launches > 0);
	assert_int_equal(truth_count(&truth), result.launches);
	for (size_t i = 0; i < truth.segment[0].n; i++)
		assert_true(truth.segment[0].launch[i].start_ns - result.start_ns <
			    cfg.duration_ns);
	load_close(l);
}

static void test_stop(void **state)
{
	struct load *l = open_pool(2, 1000000, NULL);
	/* The second would start its next one in an hour. */
	const struct load_cfg cfg[] = {
		{ .workers = 2, .duration_ns = FOREVER_NS },
		{ .workers = 1, .duration_ns = FOREVER_NS, .rate = 1.0 / 3600 },
		{ .workers = 1, .duration_ns = FOREVER_NS, .pause_ns = FOREVER_NS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cfg) / sizeof(*cfg); i++) {
		load_reset(l);
		start(l, &cfg[i]);
		while (load_progress(l) < 1)
			usleep(1000);
		load_stop(l);
		finish(l);
		assert_true(result.launches >= 1);
		assert_int_equal(truth_count(&truth), result.launches);
	}
	load_close(l);
}

static void test_truth_is_bounded(void **state)
{
	struct load *l = open_pool(1, 100, NULL);
	const struct load_cfg cfg = { .workers = 1, .count = 1000 };

	(void)state;
	run(l, &cfg);
	assert_true(result.truth_full);
	assert_true(result.launches >= 100 && result.launches < 1000);
	assert_int_equal(truth_count(&truth), result.launches);
	load_close(l);
}

static void test_probes(void **state)
{
	struct load *l = open_pool(1, 1000, NULL);
	const struct load_cfg cfg = { .workers = 1, .count = 23 };
	struct err e;
	pid_t pid = 0;

	(void)state;
	assert_int_equal(load_probe(l, 0, &pid, &e), 0);
	run(l, &cfg);
	assert_int_equal(load_probe(l, -1, NULL, &e), 0);
	assert_true(load_probe(l, 100000, NULL, &e) < 0);
	load_truth(l, &truth);
	assert_int_equal(truth_count(&truth), 25);
	assert_int_equal(truth.segment[1].n, 2);
	assert_int_equal(truth.segment[1].launch[0].pid, pid);
	assert_int_equal(truth.segment[1].launch[0].worker, TRUTH_HARNESS);
	assert_int_equal(truth.segment[1].launch[1].status, 1 << 8);
	assert_string_equal(truth.name[truth.segment[1].launch[0].name - 1], "testApp");
	load_close(l);
}

/* A program that can be taken away. */
struct script {
	char dir[32], path[64];
};

static struct script script_make(const char *text)
{
	struct script s = { .dir = "/tmp/proctrace-test-XXXXXX" };
	FILE *f;

	assert_non_null(mkdtemp(s.dir));
	snprintf(s.path, sizeof(s.path), "%s/a-name-too-long", s.dir);
	f = fopen(s.path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	chmod(s.path, 0755);
	return s;
}

static void script_remove(const struct script *s)
{
	unlink(s->path);
	rmdir(s->dir);
}

static void test_failed_starts(void **state)
{
	const struct script s = script_make("#!/bin/sh\n");
	struct load *l = open_pool(2, 1000, s.path);

	(void)state;
	script_remove(&s);
	for (int method = LOAD_VFORK; method <= LOAD_SPAWN; method++)
		for (int mode = LOAD_WAIT; mode <= LOAD_NOWAIT; mode++) {
			const struct load_cfg cfg = { .method = (enum load_method)method,
						      .mode = (enum load_mode)mode,
						      .workers = 2,
						      .duration_ns = 100 * NSEC_PER_MSEC };

			load_reset(l);
			run(l, &cfg);
			assert_int_equal(result.launches, 0);
			assert_int_equal(truth_count(&truth), 0);
			/* They are counted, and do not spin. */
			assert_in_range(result.failed, 2, 200);
			assert_int_equal(result.failed_by[0].err, ENOENT);
			assert_int_equal(result.failed_by[0].n, result.failed);
			assert_int_equal(result.failed_by[1].n, 0);
		}
	load_close(l);
}

/* Starts that fail give up in the end, even where nothing else bounds the run. */
static void test_giving_up(void **state)
{
	const struct script s = script_make("#!/bin/sh\n");
	struct load *l = open_pool(1, 1000, s.path);
	const struct load_cfg cfg = { .workers = 1, .count = 23 };

	(void)state;
	script_remove(&s);
	run(l, &cfg);
	assert_true(result.gave_up);
	assert_int_equal(result.launches, 0);
	load_close(l);
}

static void test_custom_target(void **state)
{
	const struct script s = script_make("#!/bin/sh\nexit 3\n");
	struct load *l = open_pool(1, 1000, s.path);
	const struct load_cfg cfg = { .workers = 1, .count = 23 };

	(void)state;
	run(l, &cfg);
	assert_int_equal(result.launches, 23);
	assert_int_equal(result.bad_status, 0);
	assert_int_equal(truth.segment[0].launch[22].status, 3 << 8);
	/* comm has room for 15 bytes. */
	assert_string_equal(truth.name[truth.segment[0].launch[0].name - 1], "a-name-too-long");
	load_close(l);
	script_remove(&s);
}

static void test_children_that_do_not_end(void **state)
{
	const struct script s = script_make("#!/bin/sh\nexec sleep 1000\n");
	struct load *l = open_pool(1, 1000, s.path);

	(void)state;
	for (int mode = LOAD_WAIT; mode <= LOAD_NOWAIT; mode++) {
		const struct load_cfg cfg = { .mode = (enum load_mode)mode,
					      .workers = 1,
					      .duration_ns = 10 * NSEC_PER_MSEC,
					      .inflight = 5 };

		load_reset(l);
		run(l, &cfg);
		assert_int_equal(result.launches, mode == LOAD_WAIT ? 1 : 5);
		for (size_t i = 0; i < result.launches; i++)
			assert_int_equal(truth.segment[0].launch[i].status, SIGKILL);
	}
	load_close(l);
	script_remove(&s);
}

static void test_dead_worker(void **state)
{
	struct load *l = open_pool(2, 1000000, NULL);
	const struct load_cfg cfg = { .workers = 2, .duration_ns = FOREVER_NS };
	struct err e = { "" };
	pid_t pid[8];

	(void)state;
	assert_int_equal(load_pids(l, pid, 8), 4);
	assert_int_equal(load_pgid(l), pid[0]);
	start(l, &cfg);
	kill(pid[2], SIGKILL);
	assert_int_equal(load_wait(l, DEADLINE_MS, &result, &e), -ECHILD);
	assert_non_null(strstr(e.text, "died"));
	load_close(l);
	for (int i = 0; i < 4; i++)
		assert_int_equal(kill(pid[i], 0), -1);
}

static void test_pids_wrap(void **state)
{
	struct load_cfg cfg = { .workers = 2 };
	unsigned long pid_max = 0;
	struct load *l;
	FILE *f = fopen("/proc/sys/kernel/pid_max", "re");

	(void)state;
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu", &pid_max), 1);
	fclose(f);
	if (pid_max > 40000)
		skip(); /* would take minutes */
	cfg.count = pid_max + 2003;
	l = open_pool(2, cfg.count, NULL);
	run(l, &cfg);
	assert_int_equal(truth_count(&truth), cfg.count);
	assert_int_equal(result.bad_status, 0);
	check_segments(2);
	assert_true(check_windows() >= 2003);
	load_close(l);
}

static void refused(const struct load_pool_cfg *cfg, int code, const char *why)
{
	struct load *l;
	struct err e = { "" };

	assert_int_equal(load_open(cfg, &l, &e), code);
	if (!strstr(e.text, why))
		fail_msg("'%s' does not say '%s'", e.text, why);
}

static void test_refusals(void **state)
{
	const struct script s = script_make("no interpreter\n");
	const struct script t = script_make("#!/does/not/exist\n");

	(void)state;
	refused(&(struct load_pool_cfg){ .workers = 0 }, -EINVAL, "workers");
	refused(&(struct load_pool_cfg){ .workers = 257 }, -EINVAL, "workers");
	refused(&(struct load_pool_cfg){ .workers = 1, .target = "/" }, -EISDIR, "folder");
	refused(&(struct load_pool_cfg){ .workers = 1, .target = "/does/not/exist" }, -ENOENT,
		"No such file");
	refused(&(struct load_pool_cfg){ .workers = 1, .target = s.path }, -ENOEXEC, "#!");
	refused(&(struct load_pool_cfg){ .workers = 1, .target = t.path }, -ENOENT, "interpreter");
	chmod(s.path, 0644);
	refused(&(struct load_pool_cfg){ .workers = 1, .target = s.path }, -EACCES, "executable");
	script_remove(&s);
	script_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_methods_and_modes),
		cmocka_unit_test(test_runs_append_until_reset),
		cmocka_unit_test(test_inflight_is_kept),
		cmocka_unit_test(test_rate_starts_on_time),
		cmocka_unit_test(test_duration_bounds),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_truth_is_bounded),
		cmocka_unit_test(test_probes),
		cmocka_unit_test(test_failed_starts),
		cmocka_unit_test(test_giving_up),
		cmocka_unit_test(test_custom_target),
		cmocka_unit_test(test_children_that_do_not_end),
		cmocka_unit_test(test_dead_worker),
		cmocka_unit_test(test_pids_wrap),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
