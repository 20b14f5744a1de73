// SPDX-License-Identifier: MIT
#include "load/method.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: exec, or the errno. */
static int exec_target(const struct launch *l)
{
	if (l->die_with) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != l->die_with)
			return ESRCH;
	}
	execve(l->path, l->argv, l->envp);
	return errno;
}

/* The child borrows our memory until it executes, so it can leave its errno on our stack. */
static __attribute__((noinline)) int start_vfork(const struct launch *l, pid_t *pid)
{
	volatile int err = 0;
	const pid_t child = vfork();

	if (child == 0) {
		err = exec_target(l);
		_exit(127);
	}
	if (child < 0)
		return -errno;
	if (err) {
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
		return -err;
	}
	*pid = child;
	return 0;
}

static int start_fork(const struct launch *l, pid_t *pid)
{
	const pid_t child = fork();

	if (child == 0) {
		l->late_errno[getpid()] = (uint8_t)exec_target(l);
		_exit(127);
	}
	if (child < 0)
		return -errno;
	*pid = child;
	return 0;
}

/* Cannot ask for @die_with: the janitor kills what is left of the group. */
static int start_spawn(const struct launch *l, pid_t *pid)
{
	return -posix_spawn(pid, l->path, NULL, NULL, l->argv, l->envp);
}

const struct method methods[] = {
	[LOAD_VFORK] = { .start = start_vfork },
	[LOAD_FORK] = { .start = start_fork, .late = true },
	[LOAD_SPAWN] = { .start = start_spawn },
};
