// SPDX-License-Identifier: MIT
/* What every process of the pool does first, and the janitor. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "load/futex.h"
#include "load/pool.h"
#include "load/target.h"

void pool_idle(struct pool *p)
{
	if (atomic_fetch_sub(&p->running, 1) == 1)
		futex_wake(&p->running);
}

static void ignore(int sig)
{
	(void)sig;
}

/*
 * A handler that does nothing, instead of SIG_IGN: an exec resets handlers, but not SIG_IGN, so what we
 * launch starts with the defaults at no cost. No SA_RESTART: SIGUSR2 is to interrupt a wait.
 */
static void reset_signals(void)
{
	static const int ignored[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2
	};
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	const struct sigaction by_nothing = { .sa_handler = ignore };
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &by_default, NULL);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		sigaction(ignored[i], &by_nothing, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_from(unsigned first)
{
	if (close_range(first, ~0U, 0) == 0)
		return;
	for (int fd = (int)first, end = (int)sysconf(_SC_OPEN_MAX); fd < end; fd++)
		close(fd);
}

void process_detach(int keep_fd)
{
	if (keep_fd > 0) {
		dup2(keep_fd, 0);
		fcntl(0, F_SETFD, FD_CLOEXEC);
	}
	/* Every open descriptor costs each launch about 78 ns. */
	close_from(keep_fd < 0 ? 0 : 1);
	reset_signals();
}

void janitor_main(struct pool *p, int owner_fd)
{
	char byte;

	process_detach(owner_fd);
	/* End of file: the command, the only one to hold the other end, is gone. */
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		;
	target_remove(p->dir);
	/* What is left of the group that we lead: its number cannot have passed to others. */
	if (getpgrp() == getpid())
		kill(0, SIGKILL);
	_exit(0);
}
