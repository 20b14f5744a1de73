// SPDX-License-Identifier: MIT
/* What is executed, and how. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workload.h"

struct command {
	const char *path;
	const char *const *argv;
};

static void command_exec(void *arg)
{
	const struct command *c = arg;

	execv(c->path, (char *const *)(uintptr_t)c->argv);
	_exit(99);
}

/* As it is in nearly all cases: the path and the arguments that were given are those to be seen. */
static int command_expect(const char *path, const char *const argv[])
{
	struct command c = { path, argv };

	return expect_child(child_run(command_exec, &c), path, argv, NULL);
}

/* Executes a script; the kernel puts @head before its further arguments. */
static void script_expect(const char *script, const char *const head[], const char *interp)
{
	const char *argv[8] = { "ignored", "further", NULL }, *seen[8];
	struct command c = { script, argv };
	char extra[PATH_MAX];
	size_t n = 0;

	for (; head[n]; n++)
		seen[n] = head[n];
	seen[n++] = "further";
	seen[n] = NULL;
	snprintf(extra, sizeof(extra), "\"interp\":\"%s\"", interp);
	expect_child(child_run(command_exec, &c), script, seen, extra);
}

static void case_script(void)
{
	const char *script = file_script("script", "#!/bin/sh\nexit 5\n");

	script_expect(script, ARGV("/bin/sh", script), "/bin/sh");
}

static void case_script_argument(void)
{
	char text[PATH_MAX];
	const char *script;

	snprintf(text, sizeof(text), "#! %s exit\n", self);
	script = file_script("script-argument-long-name", text);
	script_expect(script, ARGV(self, "exit", script), self);
}

static void case_script_nested(void)
{
	const char *inner = file_script("inner", "#!/bin/sh\nexit 6\n"), *outer;
	char text[PATH_MAX];

	snprintf(text, sizeof(text), "#!%s\n", inner);
	outer = file_script("outer", text);
	script_expect(outer, ARGV("/bin/sh", inner, outer), "/bin/sh");
}

/* ---- by descriptor ---------------------------------------------------------------------------- */

struct by_fd {
	int fd, tell;
	const char *name; /* below it; "": itself */
	const char *const *argv;
};

static void fd_exec(void *arg)
{
	const struct by_fd *b = arg;

	dup2(b->tell, TELL_FD);
	syscall(SYS_execveat, b->fd, b->name, b->argv, environ, b->name[0] ? 0 : AT_EMPTY_PATH);
	_exit(99);
}

/* @script: the interpreter, else NULL. */
static void fd_expect(int fd, const char *name, const char *script)
{
	const char *const *argv = ARGV("target", "tell");
	struct by_fd b = { .fd = fd, .name = name, .argv = argv };
	char path[64], comm[32] = "", extra[PATH_MAX] = "";
	struct life l;
	int ends[2];

	snprintf(path, sizeof(path), "/dev/fd/%d%s%s", fd, name[0] ? "/" : "", name);
	must(!pipe2(ends, O_CLOEXEC), "pipe");
	b.tell = ends[1];
	l = life_new(child_run(fd_exec, &b));
	must(read(ends[0], comm, sizeof(comm)) > 0, "read");
	close(ends[0]);
	close(ends[1]);
	expect_fork(&l, NULL);
	snprintf(extra, sizeof(extra), "\"comm\":\"%s\"%s%s%s", comm,
		 script ? ",\"interp\":\"" : "", script ? script : "", script ? "\"" : "");
	expect_exec(&l, path, script ? ARGV(script, "tell", path, "tell") : argv, extra);
	l.comm = comm;
	expect_exit(&l, reap(l.pid));
}

static void case_execveat_fd(void)
{
	int fd = open(self, O_RDONLY);

	fd_expect(fd, "", NULL);
	close(fd);
}

static void case_execveat_dirfd(void)
{
	int fd = open(tmp, O_RDONLY | O_DIRECTORY);

	file_copy("in-folder");
	fd_expect(fd, "in-folder", NULL);
	close(fd);
}

static void case_memfd(void)
{
	int from = open(self, O_RDONLY | O_CLOEXEC), fd = memfd_create("thing", 0);
	struct stat st;

	must(fd >= 0 && !fstat(from, &st), "memfd");
	must(sendfile(fd, from, NULL, (size_t)st.st_size) == st.st_size, "sendfile");
	fd_expect(fd, "", NULL);
	close(from);
	close(fd);
}

static void case_script_fd(void)
{
	char text[PATH_MAX];
	int fd;

	snprintf(text, sizeof(text), "#!%s tell\n", self);
	fd = open(file_script("by-fd", text), O_RDONLY);
	fd_expect(fd, "", self);
	close(fd);
}

/* ---- arguments -------------------------------------------------------------------------------- */

/* The kernel gives a program at least one argument since Linux 5.18. */
static void case_argv_empty(void)
{
	const char *const none[] = { NULL };
	struct command c = { self, none };

	expect_child(child_run(command_exec, &c), self, ARGV(""), NULL);
}

static void case_argv_last_empty(void)
{
	command_expect(self, ARGV("target", "exit", "0", ""));
}

static void case_argv_all_empty(void)
{
	command_expect(self, ARGV("", "", ""));
}

static void case_argv_long(void)
{
	static char text[100 * 1024 + 1];

	memset(text, 'l', sizeof(text) - 1);
	command_expect(self, ARGV("target", "exit", "0", text));
}

static void case_argv_many(void)
{
	static const char *argv[304] = { "target", "exit", "0" };
	static char text[300][8];

	for (int i = 0; i < 300; i++) {
		snprintf(text[i], sizeof(text[i]), "a%d", i);
		argv[3 + i] = text[i];
	}
	command_expect(self, argv);
}

static void case_hostile(void)
{
	const char *name = file_copy("e\033]0;vil\n\"\\");

	command_expect(name, ARGV("target", "exit", "0", "\033[2J\r\n", "\xff", "\"\\"));
}

static void case_argv_overwritten(void)
{
	command_expect(self, ARGV("target", "scribble", "secret"));
}

/* ---- files ------------------------------------------------------------------------------------ */

static void case_deleted(void)
{
	const char *path = file_copy("deleted");

	command_expect(path, ARGV("target", "unlink", path));
}

static void chdir_exec(void *arg)
{
	const struct command *c = arg;

	must(!chdir(c->path), "chdir");
	target_exec(c->argv);
}

static void case_cwd(void)
{
	const char *const folders[] = { "/", "/proc", "/proc/sys/kernel", tmp };
	char extra[PATH_MAX], real[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		struct command c = { folders[i], ARGV("target", "exit", "0") };

		snprintf(extra, sizeof(extra), "\"cwd\":\"%s\"", realpath(folders[i], real));
		expect_child(child_run(chdir_exec, &c), self, c.argv, extra);
	}
}

/* ---- failures --------------------------------------------------------------------------------- */

/* A file that is not found is given up before the arguments are looked at: they have to be in memory. */
static void touch(const char *const argv[])
{
	for (; *argv; argv++)
		(void)*(const volatile char *)*argv;
}

static void failures_exec(void *arg)
{
	const struct command *c;

	for (c = arg; c->path; c++)
		touch(c->argv);
	for (c = arg; c->path; c++)
		execv(c->path, (char *const *)(uintptr_t)c->argv);
	target_exec(ARGV("target", "exit", "17"));
}

static void case_failed(void)
{
	const struct command fails[] = {
		{ "/nowhere/to be found", ARGV("one", "", "3") },
		{ tmp, ARGV("two") },
		{ file_script("no-format", "\001\002\003"), ARGV("three") },
		{ file_script("no-interpreter", "#!/nowhere\n"), ARGV("four") },
		{ "/proc/self/stat/below", ARGV("five") },
		{ NULL, NULL },
	};
	static const int error[] = { ENOENT, EACCES, ENOEXEC, ENOENT, ENOTDIR };
	struct life l = life_new(child_run(failures_exec, (void *)(uintptr_t)fails));
	int status = reap(l.pid);

	expect_fork(&l, NULL);
	for (size_t i = 0; fails[i].path; i++)
		expect_failed(&l, fails[i].path, fails[i].argv, error[i]);
	expect_exec(&l, self, ARGV("target", "exit", "17"), NULL);
	expect_exit(&l, status);
}

/* A segment that lies where no program may: found out only when the old program is gone. */
static void case_failed_late(void)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr segment;
	} elf = { 0 };
	int fd = open(self, O_RDONLY | O_CLOEXEC);
	struct command c = { file_script("doomed", ""), ARGV("doomed") };
	struct life l;
	int status;

	must(read(fd, &elf.head, sizeof(elf.head)) == sizeof(elf.head), "read");
	close(fd);
	elf.head.e_phoff = sizeof(elf.head);
	elf.head.e_phnum = 1;
	elf.head.e_shnum = 0;
	elf.segment = (Elf64_Phdr){ .p_type = PT_LOAD,
				    .p_flags = PF_R | PF_X,
				    .p_vaddr = 0xffff800000000000U,
				    .p_filesz = sizeof(elf),
				    .p_memsz = sizeof(elf),
				    .p_align = 4096 };
	fd = open(c.path, O_WRONLY | O_CLOEXEC);
	must(write(fd, &elf, sizeof(elf)) == sizeof(elf), "write");
	close(fd);
	l = life_new(child_run(command_exec, &c));
	status = reap(l.pid);
	expect_fork(&l, NULL);
	l.comm = "doomed";
	expect_failed(&l, NULL, NULL, 0);
	expect_exit(&l, status);
}

/* ---- several in one process ------------------------------------------------------------------- */

static void case_chain(void)
{
	const char *const *argv = ARGV("one", "chain", "2", self);
	struct command c = { self, argv };
	struct life l = life_new(child_run(command_exec, &c));
	int status = reap(l.pid);

	expect_fork(&l, NULL);
	expect_exec(&l, self, argv, NULL);
	expect_exec(&l, self, ARGV("two", "chain", "1", self), NULL);
	expect_exec(&l, self, ARGV("three", "exit", "6"), NULL);
	expect_exit(&l, status);
}

static void case_thread_exec(void)
{
	const char *const *argv = ARGV("target", "thread-exec", self);
	struct command c = { self, argv };
	struct life l = life_new(child_run(command_exec, &c));
	int status = reap(l.pid);

	expect_fork(&l, NULL);
	expect_exec(&l, self, argv, NULL);
	expect_exec(&l, self, ARGV("from-thread", "exit", "4"),
		    "\"nonleader_exec\":true,\"old_comm\":\"worker\"");
	expect_exit(&l, status);
}

const struct workload_case exec_cases[] = {
	{ "script", case_script },
	{ "script-argument", case_script_argument },
	{ "script-nested", case_script_nested },
	{ "script-fd", case_script_fd },
	{ "execveat-fd", case_execveat_fd },
	{ "execveat-dirfd", case_execveat_dirfd },
	{ "memfd", case_memfd },
	{ "argv-empty", case_argv_empty },
	{ "argv-last-empty", case_argv_last_empty },
	{ "argv-all-empty", case_argv_all_empty },
	{ "argv-long", case_argv_long },
	{ "argv-many", case_argv_many },
	{ "argv-overwritten", case_argv_overwritten },
	{ "hostile", case_hostile },
	{ "deleted", case_deleted },
	{ "cwd", case_cwd },
	{ "failed", case_failed },
	{ "failed-late", case_failed_late },
	{ "chain", case_chain },
	{ "thread-exec", case_thread_exec },
	{ NULL, NULL },
};
