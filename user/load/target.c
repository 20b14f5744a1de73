// SPDX-License-Identifier: MIT
#include "load/target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load/folder.h"

extern const char testapp_start[], testapp_end[];

static char *const no_env[] = { NULL };

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0;
	return status;
}

/*
 * Tries the exec alone: under ptrace the new program is stopped before its first instruction, and killed
 * there. Where ptrace is forbidden nothing is tried. 0 or -errno.
 */
static int try_exec(const char *path)
{
	char *const argv[] = { strdupa(path), NULL };
	volatile int err = 0;
	const pid_t pid = vfork();

	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0) {
			execve(path, argv, no_env);
			err = errno;
		}
		_exit(0);
	}
	if (pid < 0)
		return -errno;
	if (WIFSTOPPED(wait_for(pid))) {
		kill(pid, SIGKILL);
		wait_for(pid);
	}
	return -err;
}

int target_check(const struct pool *p, struct err *e)
{
	struct stat st;
	int r;

	if (stat(p->target, &st))
		return err_set(e, -errno, "cannot launch '%s': %s", p->target, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(e, -EISDIR, "cannot launch '%s': it is a folder; name a program",
			       p->target);
	r = try_exec(p->target);
	switch (-r) {
	case 0:
		return 0;
	case EACCES:
		return err_set(e, r,
			       "cannot launch '%s': it is not executable for you, or its file "
			       "system is mounted noexec",
			       p->target);
	case ENOEXEC:
		return err_set(e, r,
			       "cannot launch '%s': it is neither a program for this machine nor a "
			       "script that begins with #!",
			       p->target);
	case ENOENT:
		return err_set(e, r, "cannot launch '%s': the interpreter that it names is missing",
			       p->target);
	default:
		return err_set(e, r, "cannot launch '%s': %s", p->target, strerror(-r));
	}
}

/* The first free copy is the harness's; testApp1… are the workers'. */
static unsigned copies(const struct pool *p)
{
	if (p->target)
		return 1;
	return 1 + (p->workers < POOL_NAMED_COPIES ? p->workers : POOL_NAMED_COPIES);
}

static void copy_name(unsigned copy, char name[16])
{
	if (copy)
		snprintf(name, 16, TARGET_APP "%u", copy % 1000);
	else
		snprintf(name, 16, TARGET_APP);
}

static int write_copy(int dir_fd, const char *name)
{
	const size_t len = (size_t)(testapp_end - testapp_start);
	const int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	ssize_t n;
	int r = 0;

	if (fd < 0)
		return -errno;
	n = write(fd, testapp_start, len);
	if (n != (ssize_t)len || fchmod(fd, 0755))
		r = n < 0 ? -errno : -ENOSPC;
	close(fd);
	return r;
}

/* All copies in the new folder p->dir; the first is tried. */
static int fill(const struct pool *p, int dir_fd)
{
	char path[TARGET_PATH_MAX], name[16];

	for (unsigned i = 0; i < copies(p); i++) {
		int r;

		copy_name(i, name);
		r = write_copy(dir_fd, name);
		if (!r && i == 0) {
			snprintf(path, sizeof(path), "%s/%s", p->dir, name);
			r = try_exec(path);
		}
		if (r)
			return r;
	}
	return 0;
}

static int prepare_in(struct pool *p, const char *parent, int *lock_fd)
{
	int r = folder_name(parent, p->dir, sizeof(p->dir));

	if (r)
		return r;
	folder_sweep(parent);
	r = folder_make(p->dir);
	if (r < 0) {
		p->dir[0] = 0;
		return r;
	}
	*lock_fd = r;
	r = fill(p, *lock_fd);
	if (r) {
		target_remove(p->dir);
		p->dir[0] = 0;
		close(*lock_fd);
		*lock_fd = -1;
	}
	return r;
}

int target_prepare(struct pool *p, int *lock_fd, struct err *e)
{
	const char *const parents[] = { getenv("TMPDIR"), "/dev/shm", "/tmp",
					"/var/tmp",	  "/run",     getenv("XDG_RUNTIME_DIR") };
	const char *last = "";
	int r = -ENOENT;

	for (size_t i = 0; i < sizeof(parents) / sizeof(*parents); i++) {
		if (!parents[i] || !*parents[i])
			continue;
		last = parents[i];
		r = prepare_in(p, parents[i], lock_fd);
		if (!r)
			return 0;
	}
	return err_set(e, r,
		       "found no folder that programs can be run from (the last tried was '%s': "
		       "%s); set TMPDIR to one",
		       last, strerror(-r));
}

void target_remove(const char *dir)
{
	if (*dir)
		folder_remove(dir);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Entries of the table of names that the pool itself needs. */
static unsigned pool_names(const struct pool *p)
{
	return p->target ? 2 : copies(p);
}

unsigned target_names(const struct pool *p, char names[TRUTH_MAX_NAMES][16])
{
	const unsigned n = pool_names(p);

	for (unsigned i = 0; i < copies(p); i++)
		copy_name(i, names[i]);
	if (p->target)
		snprintf(names[1], 16, "%.15s", base_name(p->target));
	if (!p->run_target[0])
		return n;
	snprintf(names[n], 16, "%.15s", base_name(p->run_target));
	return n + 1;
}

const char *target_of_run(const struct pool *p)
{
	return p->run_target[0] ? p->run_target : p->target;
}

uint32_t target_name_of(const struct pool *p, unsigned slot)
{
	if (slot == p->workers)
		return 1;
	if (p->run_target[0])
		return pool_names(p) + 1;
	return p->target ? 2 : 2 + slot % POOL_NAMED_COPIES;
}

const char *target_path(const struct pool *p, const struct pool_slot *s, char buf[TARGET_PATH_MAX])
{
	char name[16];

	if (p->target && s->name != 1)
		return p->target;
	copy_name(s->name - 1, name);
	snprintf(buf, TARGET_PATH_MAX, "%s/%s", p->dir, name);
	return buf;
}

void target_lifetime(const struct pool *p, char text[TARGET_LIFETIME_MAX], char *argv[3])
{
	static char sleeps[] = "s";
	const bool lives = p->run.lifetime_ns > 0;

	snprintf(text, TARGET_LIFETIME_MAX, "%llu", (unsigned long long)p->run.lifetime_ns);
	argv[0] = lives ? text : NULL;
	argv[1] = lives && p->run.lifetime_sleeps ? sleeps : NULL;
	argv[2] = NULL;
}
