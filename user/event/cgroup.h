/* SPDX-License-Identifier: MIT */
/* cgroup: finds cgroups of the version 2 hierarchy, by folder or by container. */
#ifndef PT_EVENT_CGROUP_H
#define PT_EVENT_CGROUP_H

#include <stdint.h>

#include "base/err.h"

struct cgroup {
	uint64_t id;
	int level; /* below the root of the hierarchy */
};

/* From a folder of a mounted hierarchy, or from a path below its root as events have it ("/user.slice").
 * 0, or -errno with a sentence. */
int cgroup_by_path(const char *path, struct cgroup *out, struct err *e);
/* The one whose name contains @container, an id of at least 4 letters. 0, or -errno with a sentence. */
int cgroup_by_container(const char *container, struct cgroup *out, struct err *e);

#endif
