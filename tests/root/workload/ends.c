// SPDX-License-Identifier: MIT
/* Ways to end. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

static void exec_target(void *argv)
{
	target_exec(argv);
}

static int target_expect(const char *const argv[])
{
	return expect_child(child_run(exec_target, (void *)(uintptr_t)argv), self, argv, NULL);
}

static void case_code(void)
{
	must(WEXITSTATUS(target_expect(ARGV("target", "exit", "255"))) == 255, "255");
}

static void killed_by(const char *sig)
{
	must(WTERMSIG(target_expect(ARGV("target", "kill", sig))) == atoi(sig), "signal");
}

static void case_killed(void)
{
	killed_by("9");
}

static void case_terminated(void)
{
	killed_by("15");
}

static void case_realtime_signal(void)
{
	killed_by("40");
}

/* The core goes to this folder, or wherever the machine puts it; wait(2) tells whether there was one. */
static void core_exec(void *arg)
{
	struct rlimit limit = { arg ? 1 << 24 : 0, arg ? 1 << 24 : 0 };

	must(!chdir(tmp) && !setrlimit(RLIMIT_CORE, &limit), "limit");
	target_exec(ARGV("target", "kill", "11"));
}

static void core_expect(void *want)
{
	char extra[4200];

	snprintf(extra, sizeof(extra), "\"cwd\":\"%s\"", realpath(tmp, NULL));
	expect_child(child_run(core_exec, want), self, ARGV("target", "kill", "11"), extra);
}

static void case_core(void)
{
	core_expect("");
}

static void case_no_core(void)
{
	core_expect(NULL);
}

static void case_file_limit(void)
{
	const char *file = file_script("limited", "");

	must(WTERMSIG(target_expect(ARGV("target", "file-limit", file))) == SIGXFSZ, "SIGXFSZ");
}

static void case_leader_first(void)
{
	target_expect(ARGV("target", "leader-first"));
}

static void case_race(void)
{
	for (int i = 0; i < 10; i++)
		target_expect(ARGV("target", "race", "8"));
}

static void case_storm(void)
{
	for (int i = 0; i < 5; i++)
		target_expect(ARGV("target", "storm", "64"));
}

static void case_thread_segv(void)
{
	target_expect(ARGV("target", "thread-segv"));
}

static void case_renamed(void)
{
	const char *const *argv = ARGV("target", "rename", "\033[31mred");
	struct life l = life_new(child_run(exec_target, (void *)(uintptr_t)argv));
	int status = reap(l.pid);

	expect_fork(&l, NULL);
	expect_exec(&l, self, argv, NULL);
	l.comm = "\033[31mred";
	expect_exit(&l, status);
}

static void case_stopped(void)
{
	const char *const *argv = ARGV("target", "stop");
	struct life l = life_new(child_run(exec_target, (void *)(uintptr_t)argv));
	int status;

	must(waitpid(l.pid, &status, WUNTRACED) == l.pid && WIFSTOPPED(status), "stop");
	kill(l.pid, SIGCONT);
	status = reap(l.pid);
	expect_fork(&l, NULL);
	expect_exec(&l, self, argv, NULL);
	expect_exit(&l, status);
}

static void child_of_careless(void *arg)
{
	(void)arg;
	_exit(7);
}

static void careless_run(void *arg)
{
	struct shared *s = arg;

	signal(SIGCHLD, SIG_IGN);
	s->pid = child_run(child_of_careless, NULL);
	/* Returns when there is no child any more, and never has one. */
	_exit(waitpid(s->pid, NULL, 0) < 0 && errno == ECHILD ? 0 : 1);
}

/* Nobody waits for it, and its status is known all the same. */
static void case_ignored(void)
{
	struct shared *s = shared_new();
	struct life careless = life_new(child_run(careless_run, s)), child;
	int status = reap(careless.pid);

	child = life_new(s->pid);
	child.ppid = careless.pid;
	child.born_ns = careless.born_ns;
	expect_fork(&child, NULL);
	expect_exit(&child, 7 << 8);
	expect_fork(&careless, NULL);
	expect_exit(&careless, status);
}

const struct workload_case end_cases[] = {
	{ "code", case_code },
	{ "killed", case_killed },
	{ "terminated", case_terminated },
	{ "realtime-signal", case_realtime_signal },
	{ "core", case_core },
	{ "no-core", case_no_core },
	{ "file-limit", case_file_limit },
	{ "leader-first", case_leader_first },
	{ "race", case_race },
	{ "storm", case_storm },
	{ "thread-segv", case_thread_segv },
	{ "renamed", case_renamed },
	{ "stopped", case_stopped },
	{ "ignored", case_ignored },
	{ NULL, NULL },
};
