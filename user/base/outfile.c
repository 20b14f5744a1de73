// SPDX-License-Identifier: MIT
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/userfile.h"

#define NUMBER_MAX 12 /* ".4294967295" */

static void name_of(char *dst, size_t cap, const char *path, unsigned number)
{
	if (number)
		snprintf(dst, cap, "%s.%u", path, number);
	else
		snprintf(dst, cap, "%s", path);
}

/* From the oldest on, so that nothing but that is written over. */
static int shift(const struct outfile *f)
{
	const size_t cap = strlen(f->path) + NUMBER_MAX + 1;
	char *from = malloc(cap), *to = malloc(cap);
	int err = from && to ? 0 : -ENOMEM;

	if (!err && !f->keep && unlink(f->path))
		err = -errno;
	for (unsigned i = f->keep; !err && i > 0; i--) {
		name_of(from, cap, f->path, i - 1);
		name_of(to, cap, f->path, i);
		if (rename(from, to) && errno != ENOENT)
			err = -errno;
	}
	free(from);
	free(to);
	return err;
}

int outfile_rotate(struct outfile *f, int fd)
{
	int err = shift(f), fresh;

	if (err)
		return err;
	fresh = userfile_create(f->path);
	if (fresh < 0)
		return fresh;
	if (dup3(fresh, fd, O_CLOEXEC) < 0)
		err = -errno;
	close(fresh);
	f->size = 0;
	return err;
}
