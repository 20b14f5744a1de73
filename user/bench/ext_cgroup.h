/* SPDX-License-Identifier: MIT */
/* ext_cgroup: a cgroup (v2) below our own, for the processes of one command; and what does without. (Internal to
 * external.) @path is empty where there is none. */
#ifndef PT_BENCH_EXT_CGROUP_H
#define PT_BENCH_EXT_CGROUP_H

#include <limits.h>

#include "bench/ext_process.h"

/* Makes one, or leaves @path empty. */
void ext_cgroup_make(char path[PATH_MAX]);
/* Moves the calling process there. Between fork and exec. */
void ext_cgroup_enter(const char *path);
struct ext_cpu ext_cgroup_cpu(const char *path);
bool ext_cgroup_empty(const char *path);
void ext_cgroup_kill(const char *path, int sig);
void ext_cgroup_remove(const char *path);

/* The CPU time of the processes of session @sid and of the children that they have reaped: without those that were
 * reaped by others, and in steps of the kernel's tick. */
struct ext_cpu ext_session_cpu(pid_t sid);

#endif
