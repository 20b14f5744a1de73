// SPDX-License-Identifier: MIT
#include "cmd/trace_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: a byte lets it go, end of file means that proctrace gave up. Whether execvp worked is
 * told by the same socket: close-on-exec ends it, else the errno comes back. */
static void child_run(int fd, char **argv)
{
	char go;
	int err;

	if (read(fd, &go, 1) != 1)
		_exit(127);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execvp(argv[0], argv);
	err = errno;
	if (write(fd, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

int trace_command_fork(struct trace_command *c, char **argv, struct err *e)
{
	int fds[2], err;

	*c = (struct trace_command){ .pidfd = -1, .go_fd = -1 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return err_set(e, -errno, "cannot make a socket pair: %s", strerror(errno));
	c->pid = fork();
	if (c->pid == 0) {
		close(fds[0]);
		child_run(fds[1], argv);
	}
	close(fds[1]);
	c->go_fd = fds[0];
	if (c->pid < 0) {
		c->pid = 0;
		err = err_set(e, -errno, "cannot fork: %s", strerror(errno));
		goto close_all;
	}
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (c->pidfd < 0) {
		err = err_set(e, -errno, "cannot open a pidfd: %s", strerror(errno));
		goto close_all;
	}
	fcntl(c->pidfd, F_SETFD, FD_CLOEXEC);
	return 0;

close_all:
	trace_command_close(c);
	return err;
}

int trace_command_go(struct trace_command *c, struct err *e)
{
	int err = 0;
	ssize_t n = write(c->go_fd, "g", 1);

	while (n == 1 && (n = read(c->go_fd, &err, sizeof(err))) < 0 && errno == EINTR)
		n = 1;
	close(c->go_fd);
	c->go_fd = -1;
	/* The caller knows the command by argv[0]. */
	return err ? err_set(e, -err, "%s", strerror(err)) : 0;
}

bool trace_command_poll(struct trace_command *c, int sig)
{
	if (c->ended)
		return true;
	if (sig)
		kill(c->pid, sig);
	c->ended = waitpid(c->pid, &c->status, WNOHANG) == c->pid;
	return c->ended;
}

int trace_command_exit_code(const struct trace_command *c)
{
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

void trace_command_close(struct trace_command *c)
{
	if (c->pid > 0 && !c->ended) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, &c->status, 0);
		c->ended = true;
	}
	if (c->pidfd >= 0)
		close(c->pidfd);
	if (c->go_fd >= 0)
		close(c->go_fd);
	c->pidfd = c->go_fd = -1;
}
