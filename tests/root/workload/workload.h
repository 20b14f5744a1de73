/* SPDX-License-Identifier: MIT */
/*
 * workload: hard lifecycles of processes, each written down as the events that a right tracer shows.
 *
 * `workload run FILE` writes a line of JSON into FILE for each event to expect, in order for each pid; an
 * event that is not written is forbidden. A field that is null must be absent. workload.jq compares.
 * As target, "workload MODE …" (see targets.c) does one thing and ends.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define TELL_FD 100 /* where the target "tell" writes its name */
#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* What events of one process say; of a new one all as it is for the workload's own children. */
struct life {
	pid_t pid, ppid;
	const char *comm, *parent_comm;
	unsigned uid, euid, gid;
	pid_t ns_pid; /* 0: the same as pid */
	uint64_t pidns; /* 0: the workload's */
	uint64_t born_ns; /* when it cannot have lived yet; 0: any */
};

struct life life_new(pid_t pid);
/* @extra: further members of the JSON object, which win over those before; NULL: none. */
void expect_fork(const struct life *l, const char *extra);
/* @l has its new name afterwards: that of the file. */
void expect_exec(struct life *l, const char *path, const char *const argv[], const char *extra);
/* Without @path and @argv: they went with the old program. @error 0: any. */
void expect_failed(const struct life *l, const char *path, const char *const argv[], int error);
void expect_exit(const struct life *l, int status);
/* All three of a child that executes @path and is reaped here; returns its status. */
int expect_child(pid_t pid, const char *path, const char *const argv[], const char *extra);

/* Ends the workload where its own doing fails. */
void must(bool ok, const char *what);
int reap(pid_t pid);
/* fork(); the child never returns from @child. */
pid_t child_run(void (*child)(void *), void *arg);
/* In a child: becomes the target, or ends with 99. */
void target_exec(const char *const argv[]) __attribute__((noreturn));
/* A copy of the workload, or a script with @text, in the temporary folder. */
const char *file_copy(const char *name);
const char *file_script(const char *name, const char *text);

extern const char *self; /* absolute path of this program */
extern const char *tmp; /* folder for files */

/* What two processes share. */
struct shared {
	volatile pid_t pid, other;
	volatile uint64_t value;
	volatile int go;
};
struct shared *shared_new(void);

struct workload_case {
	const char *name;
	void (*run)(void);
};
/* Ended by a NULL name. */
extern const struct workload_case start_cases[], exec_cases[], end_cases[], odd_cases[];

/* "workload MODE …": does not return if argv is such. */
void target_main(int argc, char **argv);

#endif
