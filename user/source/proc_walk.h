/* SPDX-License-Identifier: MIT */
/* proc_walk: the processes that are there already. */
#ifndef PT_SOURCE_PROC_WALK_H
#define PT_SOURCE_PROC_WALK_H

#include <stdbool.h>
#include <sys/types.h>

/* A process and its parent; true if something came of it. */
typedef bool (*proc_walk_fn)(void *ctx, pid_t pid, pid_t ppid);

/*
 * Calls @fn for each process in /proc, again and again until nothing comes of it any more: children may be
 * met before their parents, and be born while this reads. 0 or -errno.
 */
int proc_walk(proc_walk_fn fn, void *ctx);

#endif
