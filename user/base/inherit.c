// SPDX-License-Identifier: MIT
#include "base/inherit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

void inherit_repair(void)
{
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* The lowest number free is @fd. A folder can be neither read nor written. */
		if (open("/", O_RDONLY | O_DIRECTORY) != fd)
			return;
	}
}
