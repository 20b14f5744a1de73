// SPDX-License-Identifier: MIT
/* Other users, other namespaces. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

#define REFUSED 96 /* exit code of a child that may not do what it was to */

static void user_exec(void *arg)
{
	(void)arg;
	if (setgroups(0, NULL) || setgid(65533) || setuid(65534))
		_exit(REFUSED);
	target_exec(ARGV("target", "exit", "0"));
}

static void case_user(void)
{
	struct life l = life_new(child_run(user_exec, NULL));
	int status = reap(l.pid);

	expect_fork(&l, NULL);
	l.uid = l.euid = 65534;
	l.gid = 65533;
	expect_exec(&l, self, ARGV("target", "exit", "0"), NULL);
	expect_exit(&l, status);
}

static void effective_exec(void *arg)
{
	(void)arg;
	if (setresuid((uid_t)-1, 65534, (uid_t)-1))
		_exit(REFUSED);
	target_exec(ARGV("target", "exit", "0"));
}

static void case_effective_user(void)
{
	struct life l = life_new(child_run(effective_exec, NULL));
	int status = reap(l.pid);

	expect_fork(&l, NULL);
	l.euid = 65534;
	expect_exec(&l, self, ARGV("target", "exit", "0"), NULL);
	expect_exit(&l, status);
}

static void login_exec(void *arg)
{
	int fd = open("/proc/self/loginuid", O_WRONLY | O_CLOEXEC);

	(void)arg;
	if (fd < 0 || write(fd, "1234", 4) != 4)
		_exit(REFUSED);
	target_exec(ARGV("target", "exit", "0"));
}

/* Not where the kernel has no audit or the login is sealed. */
static void case_login(void)
{
	struct life l = life_new(child_run(login_exec, NULL));
	int status = reap(l.pid);

	expect_fork(&l, NULL);
	if (WEXITSTATUS(status) != REFUSED)
		expect_exec(&l, self, ARGV("target", "exit", "0"), "\"loginuid\":1234");
	expect_exit(&l, status);
}

static void chroot_exec(void *name)
{
	char *const argv[] = { "inside", "exit", "18", NULL };

	if (chroot(tmp) || chdir("/"))
		_exit(REFUSED);
	execv(name, argv);
	_exit(99);
}

static void case_chroot(void)
{
	file_copy("in-chroot");
	expect_child(child_run(chroot_exec, "/in-chroot"), "/in-chroot",
		     ARGV("inside", "exit", "18"), "\"cwd\":\"/\"");
}

static void user_namespace_exec(void *arg)
{
	(void)arg;
	if (unshare(CLONE_NEWUSER))
		_exit(REFUSED);
	target_exec(ARGV("target", "exit", "19"));
}

/* Nobody in there, and still the user that he is outside. */
static void case_user_namespace(void)
{
	struct life l = life_new(child_run(user_namespace_exec, NULL));
	int status = reap(l.pid);

	expect_fork(&l, NULL);
	if (WEXITSTATUS(status) != REFUSED)
		expect_exec(&l, self, ARGV("target", "exit", "19"), NULL);
	expect_exit(&l, status);
}

/* ---- pid namespaces: an outsider makes one, its child is the init there ------------------------- */

static void init_exec(void *arg)
{
	(void)arg;
	target_exec(ARGV("init", "exit", "20"));
}

static void outsider_run(void *arg)
{
	struct shared *s = arg;
	struct stat st;

	if (unshare(CLONE_NEWPID))
		_exit(REFUSED);
	s->pid = child_run((void (*)(void *))(uintptr_t)s->value, s);
	must(!stat("/proc/self/ns/pid_for_children", &st), "stat");
	s->value = st.st_ino;
	reap(s->pid);
	_exit(0);
}

static struct life outsider_expect(struct shared *s, void (*init)(void *), struct life *outsider)
{
	struct life l;
	int status;

	s->value = (uint64_t)(uintptr_t)init;
	*outsider = life_new(child_run(outsider_run, s));
	status = reap(outsider->pid);
	expect_fork(outsider, NULL);
	expect_exit(outsider, status);
	l = life_new(s->pid);
	l.ppid = outsider->pid;
	l.born_ns = outsider->born_ns;
	l.ns_pid = 1;
	l.pidns = s->value;
	return l;
}

static void case_pid_namespace(void)
{
	struct shared *s = shared_new();
	struct life outsider, init = outsider_expect(s, init_exec, &outsider);

	if (!s->pid)
		return;
	expect_fork(&init, NULL);
	expect_exec(&init, self, ARGV("init", "exit", "20"), NULL);
	expect_exit(&init, 20 << 8);
}

static int owner_fd;

static void left_behind(void *arg)
{
	struct shared *s = arg;

	/* The kernel translates the owner's pid for whoever asks. */
	fcntl(owner_fd, F_SETOWN, getpid());
	s->go = 1;
	for (;;)
		pause();
}

static void init_leaves(void *arg)
{
	struct shared *s = arg;

	child_run(left_behind, s);
	while (!s->go)
		usleep(1000);
	while (!s->other)
		usleep(1000);
	_exit(21);
}

static void owner_read(void *arg)
{
	struct shared *s = arg;

	while (!s->go)
		usleep(1000);
	s->other = fcntl(owner_fd, F_GETOWN);
	_exit(0);
}

/* With its init a namespace ends: the kernel kills all others in it, while they are still its children. */
static void case_pid_namespace_ends(void)
{
	struct shared *s = shared_new();
	struct life outsider, init, child, reader;
	int ends[2];

	must(!pipe(ends), "pipe");
	owner_fd = ends[0];
	reader = life_new(child_run(owner_read, s));
	init = outsider_expect(s, init_leaves, &outsider);
	expect_fork(&reader, NULL);
	expect_exit(&reader, reap(reader.pid));
	expect_fork(&init, NULL);
	expect_exit(&init, 21 << 8);
	child = init;
	child.pid = s->other;
	child.ppid = init.pid;
	child.ns_pid = 2;
	expect_fork(&child, NULL);
	expect_exit(&child, 9);
	close(ends[0]);
	close(ends[1]);
}

const struct workload_case odd_cases[] = {
	{ "user", case_user },
	{ "effective-user", case_effective_user },
	{ "login", case_login },
	{ "chroot", case_chroot },
	{ "user-namespace", case_user_namespace },
	{ "pid-namespace", case_pid_namespace },
	{ "pid-namespace-ends", case_pid_namespace_ends },
	{ NULL, NULL },
};
