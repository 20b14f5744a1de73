/* SPDX-License-Identifier: MIT */
/*
 * ext_process: a command in a session of its own, and in a cgroup of its own where cgroup v2 is to be had, so that
 * all its processes can be ended and their CPU time be told. (Internal to external.) Command's thread.
 */
#ifndef PT_BENCH_EXT_PROCESS_H
#define PT_BENCH_EXT_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct ext_process {
	pid_t pid; /* leader of its session and process group; 0: none */
	bool ended;
	int status; /* as wait(2) reported it, once stopped */
	int tty_fd; /* the program's side of its terminal, so that it does not hang up early; -1 */
	char cgroup[PATH_MAX]; /* empty: none */
};

struct ext_cpu {
	double user_s, sys_s;
	bool known;
};

/* Runs @command by /bin/sh, with a terminal or a pipe; *out_fd is what it prints, not blocking. 0 or -errno. */
int ext_process_start(struct ext_process *p, const char *command, bool tty, int *out_fd,
		      struct err *e);
/* Whether it still runs. */
bool ext_process_alive(struct ext_process *p);
/* CPU time so far of all its processes. */
struct ext_cpu ext_process_cpu(const struct ext_process *p);
/* Asks it to end, ever more strongly; returns once all is over. Safe if nothing was started. */
void ext_process_stop(struct ext_process *p);

#endif
