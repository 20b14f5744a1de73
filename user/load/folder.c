// SPDX-License-Identifier: MIT
#include "load/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "proctrace-"
#define DIGITS 16
#define NAME_LEN (sizeof(PREFIX) - 1 + DIGITS)
/* A folder younger than this may not be locked yet. */
#define YOUNG_S 10

int folder_name(const char *parent, char *dir, size_t size)
{
	uint64_t r;
	int n;

	if (getrandom(&r, sizeof(r), 0) != sizeof(r))
		return -errno;
	n = snprintf(dir, size, "%s/" PREFIX "%016llx", parent, (unsigned long long)r);
	if (n >= 0 && (size_t)n < size)
		return 0;
	*dir = 0;
	return -ENAMETOOLONG;
}

static int open_dir(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int folder_make(const char *dir)
{
	int fd, r;

	if (mkdir(dir, 0700))
		return -errno;
	fd = open_dir(AT_FDCWD, dir);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	r = -errno;
	if (fd >= 0)
		close(fd);
	rmdir(dir);
	return r;
}

/* Consumes @fd. */
static void remove_at(int at, const char *name, int fd)
{
	DIR *d = fdopendir(fd);

	if (!d) {
		close(fd);
		return;
	}
	for (const struct dirent *f = readdir(d); f; f = readdir(d))
		if (f->d_name[0] != '.')
			unlinkat(fd, f->d_name, 0);
	unlinkat(at, name, AT_REMOVEDIR);
	closedir(d);
}

void folder_remove(const char *dir)
{
	const int fd = open_dir(AT_FDCWD, dir);

	if (fd >= 0)
		remove_at(AT_FDCWD, dir, fd);
}

static int is_abandoned(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	       time(NULL) - st.st_mtime > YOUNG_S && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

void folder_sweep(const char *parent)
{
	DIR *d = opendir(parent);

	if (!d)
		return;
	for (const struct dirent *f = readdir(d); f; f = readdir(d)) {
		int fd;

		if (strlen(f->d_name) != NAME_LEN || strncmp(f->d_name, PREFIX, sizeof(PREFIX) - 1))
			continue;
		fd = open_dir(dirfd(d), f->d_name);
		if (fd >= 0 && is_abandoned(fd))
			remove_at(dirfd(d), f->d_name, fd);
		else if (fd >= 0)
			close(fd);
	}
	closedir(d);
}
