// SPDX-License-Identifier: MIT
/*
 * The barest loop that starts a program and waits for its end: what `proctrace load` is measured against by
 * scripts/bench-load.sh. Prints launches per second.
 *
 * Usage: bare_loop PROGRAM MILLISECONDS
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t over;

static void on_alarm(int sig)
{
	(void)sig;
	over = 1;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	const struct sigaction sa = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	const long ms = argc == 3 ? atol(argv[2]) : 0;
	const struct itimerval timer = { .it_value = { ms / 1000, ms % 1000 * 1000 } };
	char *const child_argv[] = { argv[1], NULL }, *const child_env[] = { NULL };
	unsigned long n = 0;
	double begin;

	if (ms < 1)
		return 2;
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	begin = now();
	for (; !over; n++) {
		int status;
		const pid_t pid = vfork();

		if (pid == 0) {
			execve(argv[1], child_argv, child_env);
			_exit(127);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	printf("%.1f\n", (double)n / (now() - begin));
	return 0;
}
