/* SPDX-License-Identifier: MIT */
/* pidset: a small hash set of process ids. One thread at a time. */
#ifndef PT_EVENT_PIDSET_H
#define PT_EVENT_PIDSET_H

#include <stdbool.h>
#include <sys/types.h>

struct pidset;

/* NULL: no memory. */
struct pidset *pidset_new(void);
/* NULL-safe. */
void pidset_free(struct pidset *s);
bool pidset_has(const struct pidset *s, pid_t pid);
/* 0, also if it was there already; or -ENOMEM. @pid must be above 0. */
int pidset_add(struct pidset *s, pid_t pid);
void pidset_remove(struct pidset *s, pid_t pid);

#endif
