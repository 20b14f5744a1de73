// SPDX-License-Identifier: MIT
#include "base/userfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOW (O_WRONLY | O_CLOEXEC | O_NOCTTY)

/* The number in the environment variable @name; false: there is none. */
static bool id_read(const char *name, unsigned *id)
{
	const char *text = getenv(name);
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*id = (unsigned)strtoul(text, &end, 10);
	return !errno && !*end;
}

/* What root makes for a user who cannot remove it helps nobody. */
static void give_to_user(int fd)
{
	unsigned uid, gid;

	if (geteuid() || !id_read("SUDO_UID", &uid) || !id_read("SUDO_GID", &gid))
		return;
	/* Where it is refused (NFS), root keeps the file: no reason to give up a trace. */
	if (fchown(fd, uid, gid))
		return;
}

int userfile_create(const char *path)
{
	int fd = open(path, HOW | O_CREAT | O_EXCL, 0644);

	if (fd < 0)
		return -errno;
	give_to_user(fd);
	return fd;
}

int userfile_open(const char *path, struct err *e)
{
	int fd = userfile_create(path);

	if (fd == -EEXIST) {
		fd = open(path, HOW | O_TRUNC);
		fd = fd < 0 ? -errno : fd;
	}
	if (fd < 0)
		return err_set(e, fd, "cannot write '%s': %s", path, strerror(-fd));
	return fd;
}

bool userfile_same(int a, int b)
{
	struct stat sa, sb;

	return !fstat(a, &sa) && !fstat(b, &sb) && S_ISREG(sa.st_mode) && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}
