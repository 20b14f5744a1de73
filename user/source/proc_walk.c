// SPDX-License-Identifier: MIT
#include "source/proc_walk.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS_MAX 64

/* 0: it has gone. The name in parentheses may hold anything, also parentheses. */
static pid_t parent_of(int procfd, const char *pid)
{
	char path[64], buf[512], *end;
	ssize_t n;
	int fd, ppid;

	snprintf(path, sizeof(path), "%s/stat", pid);
	fd = openat(procfd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	buf[n] = '\0';
	end = strrchr(buf, ')');
	return end && sscanf(end + 1, " %*c %d", &ppid) == 1 ? ppid : 0;
}

static bool proc_round(DIR *proc, proc_walk_fn fn, void *ctx)
{
	struct dirent *d;
	bool any = false;

	rewinddir(proc);
	while ((d = readdir(proc))) {
		pid_t ppid = isdigit((unsigned char)d->d_name[0])
				     ? parent_of(dirfd(proc), d->d_name)
				     : 0;

		if (ppid > 0)
			any |= fn(ctx, atoi(d->d_name), ppid);
	}
	return any;
}

int proc_walk(proc_walk_fn fn, void *ctx)
{
	DIR *proc = opendir("/proc");

	if (!proc)
		return -errno;
	for (int i = 0; i < ROUNDS_MAX && proc_round(proc, fn, ctx); i++)
		;
	closedir(proc);
	return 0;
}
