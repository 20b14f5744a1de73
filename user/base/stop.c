// SPDX-License-Identifier: MIT
#include "base/stop.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static volatile sig_atomic_t requested, sent_signal;
static int event_fd = -1;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code <= 0) /* from a process: kill(2), sigqueue(3) … */
		sent_signal = sig;
	stop_request();
}

void stop_install(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction now,
		sa = { .sa_sigaction = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_SIGINFO) };

	event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		/* What nohup ignores stays ignored. Not so SIGINT, which a shell ignores for its
		 * background: whoever sends it there means it. */
		if (signals[i] != SIGHUP ||
		    (!sigaction(SIGHUP, NULL, &now) && now.sa_handler != SIG_IGN))
			sigaction(signals[i], &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

bool stop_requested(void)
{
	return requested;
}

int stop_take_signal(void)
{
	uint64_t n;
	int sig;

	if (event_fd < 0 || read(event_fd, &n, sizeof(n)) < 0)
		return 0;
	sig = sent_signal;
	sent_signal = 0;
	return sig;
}

void stop_request(void)
{
	const uint64_t one = 1;
	int saved = errno;

	requested = 1;
	if (event_fd >= 0 && write(event_fd, &one, sizeof(one)) < 0)
		errno = saved; /* full: readable already */
	errno = saved;
}

int stop_fd(void)
{
	return event_fd;
}
