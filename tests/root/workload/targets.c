// SPDX-License-Identifier: MIT
/* What the workload does as the program that is executed. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workload.h"

static void do_exit(char **arg)
{
	_exit(atoi(arg[0]));
}

static void do_kill(char **arg)
{
	kill(getpid(), atoi(arg[0]));
}

static void do_rename(char **arg)
{
	prctl(PR_SET_NAME, arg[0]);
	_exit(0);
}

/* What a server does to show its state in ps. */
static void do_scribble(char **arg)
{
	memset(arg[0], 'X', strlen(arg[0]));
	_exit(0);
}

static void do_unlink(char **arg)
{
	_exit(unlink(arg[0]) ? 1 : 0);
}

/* Twice itself, then the end. */
static void do_chain(char **arg)
{
	const char *next[] = { "two", "chain", "1", arg[1], NULL },
		   *last[] = { "three", "exit", "6", NULL };

	execv(arg[1], (char *const *)(uintptr_t)(arg[0][0] == '2' ? next : last));
}

static void *thread_exec(void *path)
{
	const char *argv[] = { "from-thread", "exit", "4", NULL };

	prctl(PR_SET_NAME, "worker");
	execv(path, (char *const *)(uintptr_t)argv);
	return NULL;
}

static void do_thread_exec(char **arg)
{
	pthread_t t;

	pthread_create(&t, NULL, thread_exec, arg[0]);
	for (;;)
		pause();
}

/* Its stat, behind the name in parentheses, begins with the state. */
static bool leader_gone(void)
{
	char path[64], buf[256];
	FILE *f;
	bool gone;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
	f = fopen(path, "re");
	if (!f)
		return true;
	gone = fgets(buf, sizeof(buf), f) && strstr(buf, ") Z");
	fclose(f);
	return gone;
}

static void *thread_last(void *arg)
{
	(void)arg;
	while (!leader_gone())
		usleep(1000);
	_exit(5);
}

static void do_leader_first(char **arg)
{
	pthread_t t;

	(void)arg;
	pthread_create(&t, NULL, thread_last, NULL);
	syscall(SYS_exit, 3);
}

/* Tells the name that the kernel gave it, for older ones name what is executed by descriptor otherwise. */
static void do_tell(char **arg)
{
	char name[16] = "";

	(void)arg;
	prctl(PR_GET_NAME, name);
	_exit(write(TELL_FD, name, sizeof(name)) == sizeof(name) ? 0 : 1);
}

static void do_stop(char **arg)
{
	(void)arg;
	raise(SIGSTOP);
	_exit(16);
}

static void do_file_limit(char **arg)
{
	struct rlimit none = { 0, 0 };
	FILE *f = fopen(arg[0], "w");

	setrlimit(RLIMIT_FSIZE, &none);
	fputs("too much", f);
	fclose(f);
}

static void *thread_segv(void *arg)
{
	(void)arg;
	raise(SIGSEGV);
	return NULL;
}

static void do_thread_segv(char **arg)
{
	pthread_t t;

	(void)arg;
	pthread_create(&t, NULL, thread_segv, NULL);
	for (;;)
		pause();
}

static pthread_barrier_t barrier;

static void *thread_race(void *code)
{
	pthread_barrier_wait(&barrier);
	syscall(SYS_exit_group, (int)(intptr_t)code);
	return NULL;
}

static void do_race(char **arg)
{
	int n = atoi(arg[0]);
	pthread_t t;

	pthread_barrier_init(&barrier, NULL, (unsigned)n);
	for (intptr_t i = 1; i < n; i++)
		pthread_create(&t, NULL, thread_race, (void *)i);
	thread_race((void *)(intptr_t)n);
}

static void *thread_leave(void *arg)
{
	pthread_barrier_wait(&barrier);
	return arg;
}

static void do_storm(char **arg)
{
	int n = atoi(arg[0]);
	pthread_t t;

	pthread_barrier_init(&barrier, NULL, (unsigned)n + 1);
	for (int i = 0; i < n; i++)
		pthread_create(&t, NULL, thread_leave, NULL);
	pthread_barrier_wait(&barrier);
	syscall(SYS_exit, 0); /* only this thread: whichever is the last ends the process */
}

void target_main(int argc, char **argv)
{
	static const struct {
		const char *mode;
		int args;
		void (*run)(char **arg);
	} table[] = {
		{ "exit", 1, do_exit },
		{ "kill", 1, do_kill },
		{ "rename", 1, do_rename },
		{ "scribble", 1, do_scribble },
		{ "unlink", 1, do_unlink },
		{ "chain", 2, do_chain },
		{ "thread-exec", 1, do_thread_exec },
		{ "leader-first", 0, do_leader_first },
		{ "race", 1, do_race },
		{ "storm", 1, do_storm },
		{ "tell", 0, do_tell },
		{ "stop", 0, do_stop },
		{ "file-limit", 1, do_file_limit },
		{ "thread-segv", 0, do_thread_segv },
	};

	if (argc == 0 || !argv[0][0]) /* called without a name */
		_exit(0);
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(table); i++)
		if (!strcmp(argv[1], table[i].mode) && argc >= 2 + table[i].args) {
			table[i].run(argv + 2);
			_exit(97);
		}
}
