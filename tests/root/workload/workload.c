// SPDX-License-Identifier: MIT
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *self, *tmp;
static FILE *out;
static const char *case_name = "workload";
static char cwd[PATH_MAX];

void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "workload: %s: %s: %s\n", case_name, what, strerror(errno));
	exit(2);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static uint64_t pidns_self(void)
{
	struct stat st;

	must(!stat("/proc/self/ns/pid", &st), "stat");
	return st.st_ino;
}

/* ---- what to expect --------------------------------------------------------------------------- */

struct life life_new(pid_t pid)
{
	static uint64_t last_ns;
	struct life l = { .pid = pid,
			  .ppid = getpid(),
			  .comm = "workload",
			  .parent_comm = "workload",
			  .uid = getuid(),
			  .euid = geteuid(),
			  .gid = getgid(),
			  .born_ns = last_ns };

	last_ns = now_ns();
	return l;
}

/* Bytes that are no UTF-8 become one replacement each, as many as the tests have; args_hex has the rest. */
static void put_string(const char *s, size_t n)
{
	fputc('"', out);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == 0xff)
			fputs("\\ufffd", out);
		else if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void put_member(const char *key, const char *s)
{
	fprintf(out, ",\"%s\":", key);
	put_string(s, strlen(s));
}

static void put_begin(const char *event, const struct life *l)
{
	fprintf(out, "{\"case\":\"%s\",\"event\":\"%s\",\"pid\":%d,\"ppid\":%d,\"ns_pid\":%d",
		case_name, event, l->pid, l->ppid, l->ns_pid ? l->ns_pid : l->pid);
	fprintf(out, ",\"pidns\":%llu,\"uid\":%u,\"euid\":%u,\"gid\":%u,\"tid\":null",
		(unsigned long long)(l->pidns ? l->pidns : pidns_self()), l->uid, l->euid, l->gid);
	put_member("comm", l->comm);
	put_member("parent_comm", l->parent_comm);
}

static void put_end(const char *extra)
{
	fprintf(out, "%s%s}\n", extra ? "," : "", extra ? extra : "");
}

static void put_args(const char *const argv[])
{
	bool whole = true;

	fputs(",\"args\":[", out);
	for (int i = 0; argv[i]; i++) {
		fputs(i ? "," : "", out);
		put_string(argv[i], strlen(argv[i]));
		whole &= !strchr(argv[i], 0xff);
	}
	fputs("],\"args_hex\":", out);
	if (whole) {
		fputs("null", out);
		return;
	}
	fputc('"', out);
	for (int i = 0; argv[i]; i++)
		for (const char *p = argv[i];; p++) {
			fprintf(out, "%02x", (unsigned char)*p);
			if (!*p)
				break;
		}
	fputc('"', out);
}

void expect_fork(const struct life *l, const char *extra)
{
	put_begin("fork", l);
	put_end(extra);
}

void expect_exec(struct life *l, const char *path, const char *const argv[], const char *extra)
{
	static char comm[16][16];
	static unsigned next;
	char *name = comm[next++ % 16];
	const char *slash = strrchr(path, '/'), *old = l->comm;

	snprintf(name, sizeof(comm[0]), "%s", slash ? slash + 1 : path);
	l->comm = name;
	put_begin("exec", l);
	put_member("old_comm", old);
	put_member("path", path);
	put_member("cwd", cwd);
	fputs(",\"interp\":null,\"nonleader_exec\":null,\"args_truncated\":null,\"failed\":null",
	      out);
	put_args(argv);
	put_end(extra);
}

void expect_failed(const struct life *l, const char *path, const char *const argv[], int error)
{
	put_begin("exec", l);
	if (path)
		put_member("path", path);
	if (argv)
		put_args(argv);
	else
		fputs(",\"path\":null,\"args\":null,\"args_unreadable\":true", out);
	if (error)
		fprintf(out, ",\"error\":%d", error);
	put_end("\"failed\":true");
}

void expect_exit(const struct life *l, int status)
{
	uint64_t longest = l->born_ns ? now_ns() - l->born_ns : UINT64_MAX;
	char extra[160];

	put_begin("exit", l);
	if (WIFSIGNALED(status))
		snprintf(extra, sizeof(extra), "\"signal\":%d,\"core\":%s,\"exit_code\":null",
			 WTERMSIG(status), WCOREDUMP(status) ? "true" : "false");
	else
		snprintf(extra, sizeof(extra), "\"exit_code\":%d,\"signal\":null",
			 WEXITSTATUS(status));
	fprintf(out, ",\"max_duration_ns\":%llu", (unsigned long long)longest);
	put_end(extra);
}

int expect_child(pid_t pid, const char *path, const char *const argv[], const char *extra)
{
	struct life l = life_new(pid);
	int status = reap(pid);

	expect_fork(&l, NULL);
	expect_exec(&l, path, argv, extra);
	expect_exit(&l, status);
	return status;
}

/* ---- doing ------------------------------------------------------------------------------------ */

int reap(pid_t pid)
{
	int status;
	pid_t got;

	do
		got = waitpid(pid, &status, __WALL);
	while (got < 0 && errno == EINTR);
	must(got == pid, "waitpid");
	return status;
}

pid_t child_run(void (*child)(void *), void *arg)
{
	pid_t pid;

	fflush(out);
	pid = fork();
	must(pid >= 0, "fork");
	if (pid)
		return pid;
	child(arg);
	_exit(98);
}

struct shared *shared_new(void)
{
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	must(s != MAP_FAILED, "mmap");
	return s;
}

void target_exec(const char *const argv[])
{
	execv(self, (char *const *)(uintptr_t)argv);
	_exit(99);
}

static const char *file_path(const char *name)
{
	static char path[16][PATH_MAX];
	static unsigned next;
	char *p = path[next++ % 16];

	snprintf(p, PATH_MAX, "%s/%s", tmp, name);
	return p;
}

const char *file_copy(const char *name)
{
	const char *path = file_path(name);
	int from = open(self, O_RDONLY | O_CLOEXEC);
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	static char buf[1 << 16];
	ssize_t n;

	must(from >= 0 && to >= 0, "copy");
	while ((n = read(from, buf, sizeof(buf))) > 0)
		must(write(to, buf, (size_t)n) == n, "write");
	close(from);
	close(to);
	return path;
}

const char *file_script(const char *name, const char *text)
{
	const char *path = file_path(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);

	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "script");
	close(fd);
	return path;
}

static void cases_run(const struct workload_case *c, const char *only)
{
	for (; c->name; c++) {
		if (only && strcmp(only, c->name) != 0)
			continue;
		case_name = c->name;
		c->run();
	}
}

/* This very process: its fork lies before the trace. */
static void expect_self(int argc, char **argv)
{
	struct life l = life_new(getpid());

	(void)argc;
	l.ppid = getppid();
	l.parent_comm = l.comm = "proctrace";
	expect_exec(&l, self, (const char *const *)argv, NULL);
	l.born_ns = 0;
	expect_exit(&l, 0);
}

int main(int argc, char **argv)
{
	target_main(argc, argv);
	if (argc < 3 || strcmp(argv[1], "run") != 0) {
		fputs("usage: /path/to/workload run FILE [CASE]\n", stderr);
		return 2;
	}
	self = argv[0];
	out = fopen(argv[2], "we");
	must(out && getcwd(cwd, sizeof(cwd)), "open");
	tmp = getenv("TMPDIR");
	must(tmp && self[0] == '/', "TMPDIR, absolute path");
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans come to us: their parent is known */
	expect_self(argc, argv);
	cases_run(start_cases, argv[3]);
	cases_run(exec_cases, argv[3]);
	cases_run(end_cases, argv[3]);
	cases_run(odd_cases, argv[3]);
	must(!fclose(out), "write");
	return 0;
}
