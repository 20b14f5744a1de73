// SPDX-License-Identifier: MIT
#include "event/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "event/pidset.h"

#define CGROUP_ROOT_ID 1 /* kernfs numbers its root so; ids are inode numbers on 64 bits */
#define CGROUP_MAX_LEVEL 256

struct filter filter_any(void)
{
	return (struct filter){
		.kinds = EV_MASK_ALL,
		.pid = EV_NO_PID,
		.uid = EV_NO_UID,
		.cgroup_id = EV_NO_CGROUP,
		.follow = EV_NO_PID,
	};
}

/* Levels between the open folder @fd, which this closes, and the root of the hierarchy; or -errno. */
static int cgroup_level(int fd)
{
	struct stat st;
	struct statfs fs;

	for (int level = 0; level < CGROUP_MAX_LEVEL; level++) {
		int parent, r = fstat(fd, &st) || fstatfs(fd, &fs) ? -errno : 0;

		if (!r && fs.f_type != CGROUP2_SUPER_MAGIC)
			r = -EXDEV; /* left the mount without having met the root */
		if (r || st.st_ino == CGROUP_ROOT_ID) {
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

int filter_set_cgroup(struct filter *f, const char *path, struct err *e)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), level, r;
	struct stat st;
	struct statfs fs;

	if (fd < 0)
		return err_set(e, -errno, "cannot open the cgroup '%s': %s", path, strerror(errno));
	if (fstat(fd, &st) || fstatfs(fd, &fs)) {
		r = err_set(e, -errno, "cannot look at the cgroup '%s': %s", path, strerror(errno));
		close(fd);
		return r;
	}
	if (fs.f_type != CGROUP2_SUPER_MAGIC) {
		close(fd);
		return err_set(
			e, -EINVAL,
			"'%s' is no cgroup: give a folder below a mounted cgroup v2 hierarchy, "
			"such as /sys/fs/cgroup/user.slice",
			path);
	}
	level = cgroup_level(fd);
	if (level < 0)
		return err_set(
			e, level,
			"cannot tell how deep the cgroup '%s' lies: it is seen from inside a "
			"container; run outside of it",
			path);
	f->cgroup_id = st.st_ino;
	f->cgroup_level = level;
	return 0;
}

/*
 * Whether @ev is of the followed process or a descendant; keeps the set of those that live. Where
 * memory runs out, a descendant goes unfollowed.
 */
static bool follow_match(struct filter *f, const struct event *ev)
{
	const bool is_thread = ev->tid != EV_NO_PID && ev->tid != ev->pid;
	bool ours;

	if (!f->followed) {
		f->followed = pidset_new();
		if (!f->followed || pidset_add(f->followed, f->follow))
			return false;
	}
	if (ev->kind == EV_FORK && !is_thread && ev->pid != f->follow)
		ours = pidset_has(f->followed, ev->ppid);
	else
		/* A lost fork, or an exit of the leader alone, is made up for at exec. */
		ours = pidset_has(f->followed, ev->pid) ||
		       (ev->kind == EV_EXEC && pidset_has(f->followed, ev->ppid));
	/* A fork of strangers ends what an earlier owner of the pid, whose exit was lost, had left. */
	if (!ours || (ev->kind == EV_EXIT && !is_thread))
		pidset_remove(f->followed, ev->pid);
	else if (ev->pid > 0)
		pidset_add(f->followed, ev->pid);
	return ours;
}

bool filter_match(struct filter *f, const struct event *ev)
{
	/* First, and for every event: it keeps state. */
	if (f->follow != EV_NO_PID && !follow_match(f, ev))
		return false;
	if (!(f->kinds & EV_MASK(ev->kind)))
		return false;
	if (f->pid != EV_NO_PID && ev->pid != f->pid)
		return false;
	if (f->uid != EV_NO_UID && ev->uid != f->uid)
		return false;
	/* User space sees no hierarchy in an id: the cgroup itself matches, those below it do not. */
	if (f->cgroup_id != EV_NO_CGROUP && ev->cgroup_id != f->cgroup_id)
		return false;
	return !f->name[0] || memmem(ev->comm, strnlen(ev->comm, sizeof(ev->comm)), f->name,
				     strnlen(f->name, sizeof(f->name)));
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	pidset_free(f->followed);
	f->followed = NULL;
}
