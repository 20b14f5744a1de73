/* SPDX-License-Identifier: MIT */
/* folder: a private temporary folder that can be told from one whose owner died. Internal to load/. */
#ifndef PT_LOAD_FOLDER_H
#define PT_LOAD_FOLDER_H

#include <stddef.h>

/* Chooses a name in @parent that nobody can guess. 0, -ENAMETOOLONG, or -errno. */
int folder_name(const char *parent, char *dir, size_t size);
/* Makes @dir, for the owner alone, and locks it. Returns the descriptor that holds the lock, or -errno. */
int folder_make(const char *dir);
/* Removes @dir and the files in it; nothing if it is no folder. */
void folder_remove(const char *dir);
/* Removes the folders of ours in @parent whose lock nobody holds. */
void folder_sweep(const char *parent);

#endif
