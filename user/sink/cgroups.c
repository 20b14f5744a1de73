// SPDX-License-Identifier: MIT
#include "sink/cgroups.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLOTS 256 /* a power of two */
#define FILEID_KERNFS 0xfe /* include/linux/exportfs.h */
#define CONTAINER_MIN 12

struct slot {
	uint64_t id;
	bool used;
	char *path; /* NULL: not known */
	size_t len;
};

struct cgroups {
	int mount_fd;
	size_t mount_len; /* of the mount point, which is cut off */
	struct slot slot[SLOTS];
};

/* Fields 5 and, behind "-", the type: proc(5). */
bool cgroups_mount(char dst[PATH_MAX])
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, root[PATH_MAX];
	bool found = false;
	size_t cap = 0;

	while (f && !found && getline(&line, &cap, f) > 0) {
		const char *type = strstr(line, " - ");

		found = type && !strncmp(type, " - cgroup2 ", 11) &&
			sscanf(line, "%*s %*s %*s %4095s %4095s", root, dst) == 2 &&
			!strcmp(root, "/");
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

struct cgroups *cgroups_open(void)
{
	char mount[PATH_MAX];
	struct cgroups *c;

	if (!cgroups_mount(mount))
		return NULL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->mount_len = strcmp(mount, "/") ? strlen(mount) : 0;
	c->mount_fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->mount_fd < 0) {
		free(c);
		return NULL;
	}
	return c;
}

void cgroups_close(struct cgroups *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < SLOTS; i++)
		free(c->slot[i].path);
	close(c->mount_fd);
	free(c);
}

/* The path below the mount point of the open folder @fd; NULL: unknown, or removed. */
static char *path_of(const struct cgroups *c, int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < (ssize_t)c->mount_len)
		return NULL;
	path[n] = '\0';
	return strdup(path[c->mount_len] ? path + c->mount_len : "/");
}

/* An id is what the kernel takes as a file handle of the hierarchy (needs CAP_DAC_READ_SEARCH). */
static char *look_up(const struct cgroups *c, uint64_t id)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(id)];
	} h = { .handle = { .handle_bytes = sizeof(id), .handle_type = FILEID_KERNFS } };
	char *path;
	int fd;

	memcpy(h.handle.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(c->mount_fd, &h.handle, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	path = path_of(c, fd);
	close(fd);
	return path;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* The number at the end of a component, without ".scope" and without "docker-" and the like. */
static struct str component_id(const char *p, size_t n)
{
	static const char scope[] = ".scope";
	size_t digits = 0;

	if (n > strlen(scope) && !memcmp(p + n - strlen(scope), scope, strlen(scope)))
		n -= strlen(scope);
	while (digits < n && is_hex(p[n - digits - 1]))
		digits++;
	if (digits < CONTAINER_MIN || (digits < n && p[n - digits - 1] != '-'))
		return (struct str){ 0 };
	return (struct str){ p + n - digits, digits };
}

struct str cgroup_container(struct str path)
{
	size_t end = path.len;

	while (end) {
		const char *slash = memrchr(path.p, '/', end);
		size_t from = slash ? (size_t)(slash - path.p) + 1 : 0;
		struct str id = component_id(path.p + from, end - from);

		if (id.p)
			return id;
		end = slash ? (size_t)(slash - path.p) : 0;
	}
	return (struct str){ 0 };
}

struct cgroup_name cgroups_get(struct cgroups *c, uint64_t id)
{
	struct slot *s = &c->slot[(id ^ id >> 8) & (SLOTS - 1)];
	struct cgroup_name name = { .path = { 0 } };

	if (!s->used || s->id != id) {
		free(s->path);
		*s = (struct slot){ .id = id, .used = true, .path = look_up(c, id) };
		s->len = s->path ? strlen(s->path) : 0;
	}
	if (!s->path)
		return name;
	name.path = (struct str){ s->path, s->len };
	name.container = cgroup_container(name.path);
	return name;
}
