/* SPDX-License-Identifier: MIT */
/* userfile: files that a program run by sudo writes for the user who called it. Any thread. */
#ifndef PT_BASE_USERFILE_H
#define PT_BASE_USERFILE_H

#include <stdbool.h>

#include "base/err.h"

/*
 * Opens @path for writing, empty. A file that this makes belongs to the user who called sudo; one that
 * was there keeps its owner. A symbolic link is followed to what exists, never to make something.
 * Returns the descriptor, or -errno and a sentence.
 */
int userfile_open(const char *path, struct err *e);
/* Makes @path, which must not be there, for the same user. The descriptor or -errno. */
int userfile_create(const char *path);
/* Whether both descriptors are of one regular file. */
bool userfile_same(int a, int b);

#endif
