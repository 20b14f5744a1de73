// SPDX-License-Identifier: MIT
#include "bench/ext_process.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/ext_cgroup.h"

/* A pipe holds what is printed in a second at the highest rates. */
#define PIPE_BYTES (1 << 20)
/* So wide that nobody cuts a line. */
#define COLUMNS 4000
#define LOOK_NS (2 * NSEC_PER_MSEC)

/* A Ctrl-C is how such programs are ended by hand: there they write what they hold, and leave groups of netlink. */
static const struct {
	int sig;
	uint64_t patience_ns;
} stops[] = {
	{ SIGINT, 5 * NSEC_PER_SEC },
	{ SIGTERM, 2 * NSEC_PER_SEC },
	{ SIGKILL, 2 * NSEC_PER_SEC },
};

static int channel_open(bool tty, int fds[2], struct err *e)
{
	const struct winsize size = { .ws_col = COLUMNS, .ws_row = 50 };
	struct termios raw;

	if (!tty) {
		if (pipe2(fds, O_CLOEXEC))
			return err_set(e, -errno, "cannot make a pipe: %s", strerror(errno));
		fcntl(fds[0], F_SETPIPE_SZ, PIPE_BYTES);
		return 0;
	}
	if (openpty(&fds[0], &fds[1], NULL, NULL, &size))
		return err_set(e, -errno, "cannot get a terminal: %s", strerror(errno));
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	fcntl(fds[1], F_SETFD, FD_CLOEXEC);
	if (!tcgetattr(fds[1], &raw)) {
		cfmakeraw(&raw);
		tcsetattr(fds[1], TCSANOW, &raw);
	}
	return 0;
}

static void environment_set(void)
{
	const char *path = getenv("PATH");
	char *more;

	/* Where such tools are installed, and sudo or cron do not look. */
	if (asprintf(&more, "%s:/usr/local/sbin:/usr/sbin:/sbin:/usr/share/bcc/tools",
		     path ? path : "/usr/bin:/bin") > 0)
		setenv("PATH", more, 1);
	setenv("TERM", "dumb", 1);
	setenv("PAGER", "cat", 1);
}

static void child_run(const struct ext_process *p, const char *command, bool tty, int fd)
{
	sigset_t none;
	int in = tty ? fd : open("/dev/null", O_RDONLY | O_CLOEXEC);

	setsid();
	if (tty)
		ioctl(fd, TIOCSCTTY, 0);
	prctl(PR_SET_PDEATHSIG, stops[0].sig);
	if (p->cgroup[0])
		ext_cgroup_enter(p->cgroup);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(in, 0) < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
		_exit(127);
	close_range(3, ~0U, 0);
	environment_set();
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

int ext_process_start(struct ext_process *p, const char *command, bool tty, int *out_fd,
		      struct err *e)
{
	int fds[2], err = channel_open(tty, fds, e);

	*p = (struct ext_process){ .tty_fd = -1 };
	if (err)
		return err;
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	ext_cgroup_make(p->cgroup);
	p->pid = fork();
	if (p->pid == 0)
		child_run(p, command, tty, fds[1]);
	if (p->pid < 0) {
		err = err_set(e, -errno, "cannot fork: %s", strerror(errno));
		p->pid = 0;
		ext_cgroup_remove(p->cgroup);
		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (tty)
		p->tty_fd = fds[1];
	else
		close(fds[1]);
	*out_fd = fds[0];
	return 0;
}

bool ext_process_alive(struct ext_process *p)
{
	siginfo_t info = { .si_pid = 0 };

	/* Not reaped before all is over: as long as the number is taken, its group cannot be another's. */
	if (p->pid && !p->ended && !waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT))
		p->ended = info.si_pid == p->pid;
	return p->pid && !p->ended;
}

struct ext_cpu ext_process_cpu(const struct ext_process *p)
{
	if (p->cgroup[0])
		return ext_cgroup_cpu(p->cgroup);
	return p->pid ? ext_session_cpu(p->pid) : (struct ext_cpu){ .known = false };
}

static void send(const struct ext_process *p, int sig)
{
	kill(-p->pid, sig);
	/* Members that left the group have to hear of it too, but none twice. */
	if (p->cgroup[0] && (p->ended || sig == SIGKILL))
		ext_cgroup_kill(p->cgroup, sig);
}

/* A dead leader that is not reaped yet is no longer in its cgroup. */
static bool is_over(struct ext_process *p)
{
	return !ext_process_alive(p) && (!p->cgroup[0] || ext_cgroup_empty(p->cgroup));
}

void ext_process_stop(struct ext_process *p)
{
	if (!p->pid)
		return;
	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops) && !is_over(p); i++) {
		const uint64_t until = clock_now_ns() + stops[i].patience_ns;

		send(p, stops[i].sig);
		while (!is_over(p) && clock_now_ns() < until)
			clock_sleep_ns(LOOK_NS);
	}
	/* What ignores all that, or was not in a cgroup. */
	send(p, SIGKILL);
	waitpid(p->pid, &p->status, 0);
	if (p->tty_fd >= 0)
		close(p->tty_fd);
	ext_cgroup_remove(p->cgroup);
	*p = (struct ext_process){ .tty_fd = -1, .ended = true, .status = p->status };
}
