/* SPDX-License-Identifier: MIT */
/* method: the ways to start a program. Internal to load/. */
#ifndef PT_LOAD_METHOD_H
#define PT_LOAD_METHOD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "load/load.h"

struct launch {
	const char *path;
	char *const *argv, *const *envp;
	pid_t die_with; /* the child is killed when this process, its parent, dies; 0: no */
	uint8_t *late_errno; /* shared, by pid: where a forked child leaves its errno */
};

struct method {
	/*
	 * Starts one. 0, or -errno and no child is left. A method whose errors come @late returns before
	 * the exec: launch.late_errno[pid] is then not 0 once the child has ended without one.
	 */
	int (*start)(const struct launch *l, pid_t *pid);
	bool late;
};

extern const struct method methods[];

#endif
