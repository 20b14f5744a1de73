/* SPDX-License-Identifier: MIT */
/*
 * cgroups: paths of cgroup ids, asked of the kernel once each and kept. One thread at a time. Bounded
 * memory. The names must be asked for while the cgroup exists; ids are never used again.
 */
#ifndef PT_SINK_CGROUPS_H
#define PT_SINK_CGROUPS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"

struct cgroups;

struct cgroup_name {
	struct str path; /* "/user.slice"; absent: not known */
	struct str container; /* the id in the path, hexadecimal; absent: there is none */
};

/* Where a whole cgroup v2 hierarchy is mounted. false: nowhere. */
bool cgroups_mount(char dst[PATH_MAX]);

/* NULL: there is no cgroup v2 hierarchy here, or no memory. */
struct cgroups *cgroups_open(void);
/* NULL-safe. */
void cgroups_close(struct cgroups *c);
/* The name of @id; lives till the next call. */
struct cgroup_name cgroups_get(struct cgroups *c, uint64_t id);

/*
 * The container in @path: the innermost component that is a hexadecimal number of 12 digits or more, as
 * /docker/ID, docker-ID.scope or cri-containerd-ID.scope. Points into @path. Pure.
 */
struct str cgroup_container(struct str path);

#endif
