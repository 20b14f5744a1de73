// SPDX-License-Identifier: MIT
#include "event/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define ROOT_ID 1 /* kernfs numbers its root so; ids are inode numbers on 64 bits */
#define MAX_LEVEL 256
#define CONTAINER_MIN 4

/* Levels between the open folder @fd, which this closes, and the root of the hierarchy; or -errno. */
static int level_of(int fd)
{
	struct stat st;
	struct statfs fs;

	for (int level = 0; level < MAX_LEVEL; level++) {
		int parent, r = fstat(fd, &st) || fstatfs(fd, &fs) ? -errno : 0;

		if (!r && fs.f_type != CGROUP2_SUPER_MAGIC)
			r = -EXDEV; /* left the mount without having met the root */
		if (r || st.st_ino == ROOT_ID) {
			close(fd);
			return r ? r : level;
		}
		parent = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		r = -errno;
		close(fd);
		if (parent < 0)
			return r;
		fd = parent;
	}
	close(fd);
	return -ELOOP;
}

/* Where the hierarchy is mounted. @has_v1 tells of version 1 hierarchies beside it. */
static bool root_find(char root[PATH_MAX], bool *has_v1)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;

	root[0] = '\0';
	*has_v1 = false;
	while (f && (m = getmntent(f))) {
		if (!strcmp(m->mnt_type, "cgroup2") && !root[0])
			snprintf(root, PATH_MAX, "%s", m->mnt_dir);
		*has_v1 |= !strcmp(m->mnt_type, "cgroup");
	}
	if (f)
		endmntent(f);
	return root[0];
}

static int folder_open(const char *path, struct stat *st, bool *is_cgroup)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	*is_cgroup = false;
	if (fd < 0)
		return -errno;
	if (fstat(fd, st) || fstatfs(fd, &fs)) {
		int r = -errno;

		close(fd);
		return r;
	}
	*is_cgroup = fs.f_type == CGROUP2_SUPER_MAGIC;
	return fd;
}

/* The folder as it stands, else below the root. */
static int either_open(const char *path, struct stat *st, bool *is_cgroup)
{
	char root[PATH_MAX], below[2 * PATH_MAX];
	int fd = folder_open(path, st, is_cgroup), other;
	bool has_v1;

	if ((fd >= 0 && *is_cgroup) || path[0] != '/' || !root_find(root, &has_v1))
		return fd;
	snprintf(below, sizeof(below), "%s%s", root, path);
	other = folder_open(below, st, is_cgroup);
	if (other < 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return other;
}

int cgroup_by_path(const char *path, struct cgroup *out, struct err *e)
{
	struct stat st;
	bool is_cgroup;
	int fd = either_open(path, &st, &is_cgroup);

	if (fd < 0)
		return err_set(e, fd, "cannot open the cgroup '%s': %s", path, strerror(-fd));
	if (!is_cgroup) {
		close(fd);
		return err_set(
			e, -EINVAL,
			"'%s' is no cgroup: give a folder below a mounted cgroup v2 hierarchy, "
			"such as /sys/fs/cgroup/user.slice",
			path);
	}
	out->id = st.st_ino;
	out->level = level_of(fd);
	if (out->level < 0)
		return err_set(
			e, out->level,
			"cannot tell how deep the cgroup '%s' lies: it is seen from inside a "
			"container; run outside of it",
			path);
	return 0;
}

/* Walks over all folders; a container's own cgroups lie below the one that has its name. */
struct search {
	const char *container;
	char path[PATH_MAX]; /* where it stands */
	char found[PATH_MAX];
	unsigned hits;
};

static void search_below(struct search *s, size_t len, int depth)
{
	DIR *dir = depth < MAX_LEVEL ? opendir(s->path) : NULL;
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		if (d->d_type != DT_DIR || d->d_name[0] == '.' ||
		    len + strlen(d->d_name) + 2 > sizeof(s->path))
			continue;
		s->path[len] = '/';
		strcpy(s->path + len + 1, d->d_name);
		if (!strstr(d->d_name, s->container))
			search_below(s, len + 1 + strlen(d->d_name), depth + 1);
		else if (!s->hits++)
			strcpy(s->found, s->path);
		s->path[len] = '\0';
	}
	if (dir)
		closedir(dir);
}

int cgroup_by_container(const char *container, struct cgroup *out, struct err *e)
{
	struct search s = { .container = container };
	bool has_v1;

	if (strlen(container) < CONTAINER_MIN || strchr(container, '/'))
		return err_set(e, -EINVAL, "'%s' is no container id: give %d letters or more",
			       container, CONTAINER_MIN);
	if (!root_find(s.path, &has_v1))
		return err_set(e, -ENOENT,
			       "no cgroup v2 hierarchy is mounted here, and only there can "
			       "containers be told apart");
	search_below(&s, strlen(s.path), 0);
	if (!s.hits)
		return err_set(e, -ENOENT, "no cgroup below %s has '%s' in its name%s", s.path,
			       container,
			       has_v1 ? "; version 1 hierarchies, which this machine also has, "
					"are not searched"
				      : "");
	if (s.hits > 1)
		return err_set(
			e, -EINVAL,
			"%u cgroups have '%s' in their name, such as %s: give more of the id",
			s.hits, container, s.found);
	return cgroup_by_path(s.found, out, e);
}
