// SPDX-License-Identifier: MIT
/* Ways to start a process. */
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

static void leave(void *code)
{
	_exit((int)(intptr_t)code);
}

static void exec_target(void *argv)
{
	target_exec(argv);
}

static void case_fork(void)
{
	struct life l = life_new(child_run(leave, (void *)3));

	expect_fork(&l, NULL);
	expect_exit(&l, reap(l.pid));
}

static void case_fork_exec(void)
{
	const char *const *argv = ARGV("target", "exit", "7");

	expect_child(child_run(exec_target, (void *)(uintptr_t)argv), self, argv, NULL);
}

static void case_vfork(void)
{
	const char *const *argv = ARGV("target", "exit", "8");
	pid_t pid = vfork();

	if (!pid)
		target_exec(argv);
	expect_child(pid, self, argv, NULL);
}

static void case_posix_spawn(void)
{
	const char *const *argv = ARGV("target", "exit", "9");
	pid_t pid;

	must(!posix_spawn(&pid, self, NULL, NULL, (char *const *)(uintptr_t)argv, NULL), "spawn");
	expect_child(pid, self, argv, NULL);
}

static void case_clone3(void)
{
	const char *const *argv = ARGV("target", "exit", "10");
	struct clone_args args = { .exit_signal = SIGCHLD };
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (!pid)
		target_exec(argv);
	must(pid > 0, "clone3");
	expect_child(pid, self, argv, NULL);
}

static char stack[65536] __attribute__((aligned(16)));

static int clone_entry(void *argv)
{
	target_exec(argv);
}

/* Without a signal to the parent at the end, and with all that can be shared. */
static void case_clone_shared(void)
{
	const char *const *argv = ARGV("target", "exit", "11");
	pid_t pid = clone(clone_entry, stack + sizeof(stack),
			  CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_FS, (void *)(uintptr_t)argv);

	must(pid > 0, "clone");
	expect_child(pid, self, argv, NULL);
}

static void sibling_make(void *arg)
{
	struct shared *s = arg;
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

	if (!pid)
		_exit(12);
	s->pid = pid;
	_exit(0);
}

/* A child of ours that another child has made. */
static void case_clone_parent(void)
{
	struct shared *s = shared_new();
	struct life maker = life_new(child_run(sibling_make, s)), made;

	expect_fork(&maker, NULL);
	expect_exit(&maker, reap(maker.pid));
	made = life_new(s->pid);
	made.born_ns = maker.born_ns;
	expect_fork(&made, NULL);
	expect_exit(&made, reap(made.pid));
}

static void orphan_run(void *arg)
{
	struct shared *s = arg;

	s->pid = getpid();
	while (getppid() != s->other)
		usleep(1000);
	target_exec(ARGV("orphan", "exit", "13"));
}

static void orphan_make(void *arg)
{
	child_run(orphan_run, arg);
	_exit(0);
}

/* Its parent ends before it executes; we are told to take orphans in. */
static void case_orphan(void)
{
	struct shared *s = shared_new();
	struct life middle, orphan;

	s->other = getpid();
	middle = life_new(child_run(orphan_make, s));
	expect_fork(&middle, NULL);
	expect_exit(&middle, reap(middle.pid));
	while (!s->pid)
		usleep(1000);
	orphan = life_new(s->pid);
	orphan.born_ns = middle.born_ns;
	orphan.ppid = middle.pid;
	expect_fork(&orphan, NULL);
	orphan.ppid = getpid();
	expect_exec(&orphan, self, ARGV("orphan", "exit", "13"), NULL);
	expect_exit(&orphan, reap(orphan.pid));
}

static void daemon_session(void *arg)
{
	setsid();
	child_run(orphan_run, arg);
	_exit(0);
}

static void case_daemon(void)
{
	struct shared *s = shared_new();
	struct life middle, orphan;

	s->other = getpid();
	middle = life_new(child_run(daemon_session, s));
	expect_fork(&middle, NULL);
	expect_exit(&middle, reap(middle.pid));
	while (!s->pid)
		usleep(1000);
	orphan = life_new(s->pid);
	orphan.born_ns = middle.born_ns;
	orphan.ppid = middle.pid;
	expect_fork(&orphan, NULL);
	orphan.ppid = getpid();
	expect_exec(&orphan, self, ARGV("orphan", "exit", "13"), NULL);
	expect_exit(&orphan, reap(orphan.pid));
}

static void traced_run(void *arg)
{
	struct shared *s = arg;

	while (!s->go)
		usleep(1000);
	target_exec(ARGV("traced", "exit", "14"));
}

static void tracer_run(void *arg)
{
	struct shared *s = arg;
	int status;

	if (ptrace(PTRACE_SEIZE, s->pid, NULL, NULL))
		_exit(96);
	s->go = 1;
	while (waitpid(s->pid, &status, __WALL) == s->pid && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, s->pid, NULL, NULL);
	_exit(0);
}

/* The tracer becomes the parent that gets the signals; the real parent stays. */
static void case_ptrace(void)
{
	struct shared *s = shared_new();
	struct life traced = life_new(child_run(traced_run, s)), tracer;

	s->pid = traced.pid;
	tracer = life_new(child_run(tracer_run, s));
	expect_fork(&tracer, NULL);
	expect_exit(&tracer, reap(tracer.pid));
	expect_fork(&traced, NULL);
	expect_exec(&traced, self, ARGV("traced", "exit", "14"), NULL);
	expect_exit(&traced, reap(traced.pid));
}

const struct workload_case start_cases[] = {
	{ "fork", case_fork },
	{ "fork-exec", case_fork_exec },
	{ "vfork", case_vfork },
	{ "posix-spawn", case_posix_spawn },
	{ "clone3", case_clone3 },
	{ "clone-shared", case_clone_shared },
	{ "clone-parent", case_clone_parent },
	{ "orphan", case_orphan },
	{ "daemon", case_daemon },
	{ "ptrace", case_ptrace },
	{ NULL, NULL },
};
