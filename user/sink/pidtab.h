/* SPDX-License-Identifier: MIT */
/*
 * pidtab: what is remembered of processes, by pid, in memory of a fixed size: where there is no room, the
 * one of few neighbours that was used longest ago goes. One thread at a time.
 */
#ifndef PT_SINK_PIDTAB_H
#define PT_SINK_PIDTAB_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pidtab;

/* Called with a value that goes: removed, evicted, replaced or closed. */
typedef void (*pidtab_gone_fn)(void *ctx, pid_t pid, void *value);

/* Room for @entries (a power of two, at least 8) values of @size bytes, multiples of 8. NULL: no memory. */
struct pidtab *pidtab_new(size_t entries, size_t size, pidtab_gone_fn gone, void *ctx);
/* All that is left is gone first. NULL-safe. */
void pidtab_free(struct pidtab *t);
/* The value of @pid, or NULL. It may move with the next pidtab_add(). */
void *pidtab_find(struct pidtab *t, pid_t pid);
/* A value of zeros for @pid; what was there of it before is gone. */
void *pidtab_add(struct pidtab *t, pid_t pid);
void pidtab_remove(struct pidtab *t, pid_t pid);

#endif
