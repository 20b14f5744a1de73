// SPDX-License-Identifier: MIT
#include "bench/ext_cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sink/cgroups.h"

#define PREFIX "proctrace-monitor-"

/* Reads a small file whole; false if it cannot. */
static bool file_read(const char *dir, const char *name, char *text, size_t cap)
{
	char path[PATH_MAX + 32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, cap - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n >= 0;
}

/* Our own cgroup: a group below it takes nothing from others, and is part of whatever limits us. */
static bool own_find(char path[PATH_MAX])
{
	char mount[PATH_MAX], text[8192];
	const char *at = NULL;

	if (!cgroups_mount(mount) || !file_read("/proc/self", "cgroup", text, sizeof(text)))
		return false;
	if (strncmp(text, "0::", 3) == 0)
		at = text + 3;
	else if ((at = strstr(text, "\n0::")))
		at += 4;
	return at && snprintf(path, PATH_MAX, "%s%.*s", mount, (int)strcspn(at, "\n"), at) <
			     PATH_MAX - 64;
}

/* Removes groups whose owners were killed. */
static void sweep(const char *dir)
{
	DIR *d = opendir(dir);

	for (const struct dirent *de; d && (de = readdir(d));) {
		char path[PATH_MAX + 300];

		if (strncmp(de->d_name, PREFIX, strlen(PREFIX)) != 0 ||
		    !kill(atoi(de->d_name + strlen(PREFIX)), 0) || errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, de->d_name);
		rmdir(path);
	}
	if (d)
		closedir(d);
}

void ext_cgroup_make(char path[PATH_MAX])
{
	char own[PATH_MAX];
	struct ext_cpu cpu;

	path[0] = '\0';
	if (!own_find(own))
		return;
	sweep(own);
	if (snprintf(path, PATH_MAX, "%s/" PREFIX "%d", own, getpid()) >= PATH_MAX ||
	    (mkdir(path, 0755) && errno != EEXIST)) {
		path[0] = '\0';
		return;
	}
	cpu = ext_cgroup_cpu(path);
	if (!cpu.known) {
		ext_cgroup_remove(path);
		path[0] = '\0';
	}
}

void ext_cgroup_enter(const char *path)
{
	char procs[PATH_MAX + 32];
	int fd;

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
	fd = open(procs, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "0", 1) < 0)
		_exit(127); /* its CPU time would be taken for none */
	close(fd);
}

static double microseconds(const char *text, const char *key, bool *known)
{
	const char *at = strstr(text, key);

	if (!at) {
		*known = false;
		return 0;
	}
	return strtod(at + strlen(key), NULL) / 1e6;
}

struct ext_cpu ext_cgroup_cpu(const char *path)
{
	struct ext_cpu cpu = { .known = true };
	char text[2048];

	if (!file_read(path, "cpu.stat", text, sizeof(text)))
		return (struct ext_cpu){ .known = false };
	cpu.user_s = microseconds(text, "user_usec ", &cpu.known);
	cpu.sys_s = microseconds(text, "system_usec ", &cpu.known);
	return cpu;
}

bool ext_cgroup_empty(const char *path)
{
	char text[64];

	return !file_read(path, "cgroup.procs", text, sizeof(text)) || !text[0];
}

void ext_cgroup_kill(const char *path, int sig)
{
	char text[16384], *save = NULL;

	if (!file_read(path, "cgroup.procs", text, sizeof(text)))
		return;
	for (char *pid = strtok_r(text, "\n", &save); pid; pid = strtok_r(NULL, "\n", &save))
		if (atoi(pid) > 1)
			kill(atoi(pid), sig);
}

void ext_cgroup_remove(const char *path)
{
	if (path[0])
		rmdir(path);
}

/* /proc/PID/stat behind the name, which may hold anything: "S ppid pgrp session …", times as 12th to 15th. */
static void session_add(const char *dir, pid_t sid, struct ext_cpu *cpu)
{
	long unsigned ticks[4];
	char text[1024];
	const char *at;
	int session;

	if (!file_read(dir, "stat", text, sizeof(text)) || !(at = strrchr(text, ')')) ||
	    sscanf(at + 1, " %*c %*d %*d %d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &session,
		   &ticks[0], &ticks[1], &ticks[2], &ticks[3]) != 5 ||
	    session != sid)
		return;
	cpu->known = true;
	cpu->user_s += (double)(ticks[0] + ticks[2]) / (double)sysconf(_SC_CLK_TCK);
	cpu->sys_s += (double)(ticks[1] + ticks[3]) / (double)sysconf(_SC_CLK_TCK);
}

struct ext_cpu ext_session_cpu(pid_t sid)
{
	struct ext_cpu cpu = { .known = false };
	DIR *d = opendir("/proc");

	for (const struct dirent *de; d && (de = readdir(d));) {
		char dir[300];

		if (de->d_name[0] < '1' || de->d_name[0] > '9')
			continue;
		snprintf(dir, sizeof(dir), "/proc/%s", de->d_name);
		session_add(dir, sid, &cpu);
	}
	if (d)
		closedir(d);
	return cpu;
}
