/* SPDX-License-Identifier: MIT */
/* trace_command: the command that `trace -- COMMAND` runs: held back until its events can be seen. */
#ifndef PT_CMD_TRACE_COMMAND_H
#define PT_CMD_TRACE_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct trace_command {
	pid_t pid; /* 0: there is none */
	int pidfd; /* readable when it has ended */
	int go_fd; /* closing it lets it run */
	bool ended;
	int status; /* once ended: as wait(2) reports it */
};

/* Forks a process that waits to execute @argv. 0 or -errno with a sentence. */
int trace_command_fork(struct trace_command *c, char **argv, struct err *e);
/* Lets it execute. -errno with a sentence if the command cannot be executed. */
int trace_command_go(struct trace_command *c, struct err *e);
/* Reaps it if it has ended, and says whether it has; passes on signal @sig (0: none). */
bool trace_command_poll(struct trace_command *c, int sig);
/* Its status as a shell tells it: the exit code, or 128 + signal. */
int trace_command_exit_code(const struct trace_command *c);
/* Ends and reaps it if it still runs. */
void trace_command_close(struct trace_command *c);

#endif
