// SPDX-License-Identifier: MIT
#include "base/tty.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios saved;
static volatile sig_atomic_t taken;

static void keys_take(void)
{
	struct termios raw = saved;

	raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO); /* signals by Ctrl-C and Ctrl-Z stay */
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	taken = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

static bool in_foreground(void)
{
	return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* Suspended, the shell wants its terminal as it was; continued, we take it again. */
static void on_tstp(int sig)
{
	sigset_t set;

	tty_keys_stop();
	signal(sig, SIG_DFL);
	raise(sig);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL); /* stops here */
	signal(sig, on_tstp);
	if (in_foreground())
		keys_take();
}

bool tty_keys_start(void)
{
	if (!isatty(STDIN_FILENO) || !in_foreground() || tcgetattr(STDIN_FILENO, &saved))
		return false;
	keys_take();
	if (!taken)
		return false;
	atexit(tty_keys_stop);
	signal(SIGTSTP, on_tstp);
	return true;
}

int tty_key(void)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned char key;

	if (poll(&p, 1, 0) != 1 || read(STDIN_FILENO, &key, 1) != 1)
		return -1;
	return key;
}

void tty_keys_stop(void)
{
	if (taken)
		tcsetattr(STDIN_FILENO, TCSANOW, &saved);
	taken = 0;
}

unsigned tty_width(int fd)
{
	struct winsize ws;

	if (!isatty(fd))
		return 0;
	return ioctl(fd, TIOCGWINSZ, &ws) || !ws.ws_col ? 80 : ws.ws_col;
}
