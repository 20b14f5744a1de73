// SPDX-License-Identifier: MIT
#include "load/limits.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CHILDREN_MAX 4096
#define CHILD_BYTES (128U << 10) /* a small process, its kernel stack and page tables included */

/* The number that @path holds; UINT64_MAX if none ("max", no such file). */
static uint64_t read_number(const char *path)
{
	uint64_t v = UINT64_MAX;
	FILE *f = fopen(path, "re");

	if (!f)
		return v;
	if (fscanf(f, "%" SCNu64, &v) != 1)
		v = UINT64_MAX;
	fclose(f);
	return v;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The lowest limit in @group (modified) and its ancestors below @root. */
static uint64_t lowest_up(const char *root, char *group, const char *file)
{
	uint64_t lowest = UINT64_MAX;
	char path[4096];

	for (;;) {
		char *slash;

		if (snprintf(path, sizeof(path), "%s%s/%s", root, group, file) < (int)sizeof(path))
			lowest = min_u64(lowest, read_number(path));
		slash = strrchr(group, '/');
		if (!slash)
			return lowest;
		*slash = 0;
	}
}

/* True if @controller is one of the comma-separated @list. */
static bool lists(const char *list, const char *controller)
{
	const size_t len = strlen(controller);

	for (const char *p = list; (p = strstr(p, controller)); p += len)
		if ((p == list || p[-1] == ',') && (!p[len] || p[len] == ','))
			return true;
	return false;
}

/* The lowest limit of our cgroup, of either version. */
static uint64_t cgroup_limit(const char *controller, const char *file_v1, const char *file_v2)
{
	char line[4096], root[64];
	uint64_t lowest = UINT64_MAX;
	FILE *f = fopen("/proc/self/cgroup", "re");

	if (!f)
		return lowest;
	while (fgets(line, sizeof(line), f)) {
		char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;

		if (!group)
			continue;
		*group++ = 0;
		list++;
		group[strcspn(group, "\n")] = 0;
		snprintf(root, sizeof(root), "/sys/fs/cgroup%s%s", *list ? "/" : "",
			 *list ? controller : "");
		if (!*list)
			lowest = min_u64(lowest, lowest_up(root, group, file_v2));
		else if (lists(list, controller))
			lowest = min_u64(lowest, lowest_up(root, group, file_v1));
	}
	fclose(f);
	return lowest;
}

uint64_t limits_memory(void)
{
	uint64_t kib = 0;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	if (f)
		fclose(f);
	return min_u64(kib << 10, cgroup_limit("memory", "memory.limit_in_bytes", "memory.max"));
}

unsigned limits_children(void)
{
	uint64_t n = CHILDREN_MAX;
	struct rlimit rl;

	n = min_u64(n, read_number("/proc/sys/kernel/pid_max") / 4);
	n = min_u64(n, read_number("/proc/sys/kernel/threads-max") / 4);
	n = min_u64(n, cgroup_limit("pids", "pids.max", "pids.max") / 2);
	n = min_u64(n, limits_memory() / CHILD_BYTES / 2);
	if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &rl) == 0 && rl.rlim_cur != RLIM_INFINITY)
		n = min_u64(n, rl.rlim_cur / 2);
	return n > 1 ? (unsigned)n : 1;
}
