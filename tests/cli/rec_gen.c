// SPDX-License-Identifier: MIT
/*
 * rec_gen N [FULL]: a recording of N short processes on stdout: each is forked, executed and ends, eight
 * are alive at once, and pids are used again as on a machine whose pid_max is 32768. FULL: with all fields.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/recformat.h"

#define ALIVE 8
#define PIDS 32000

static void put(const struct event *ev)
{
	static uint8_t buf[RECFORMAT_EVENT + 512];
	const size_t n = recformat_event_size(ev);

	if (n > sizeof(buf))
		abort();
	recformat_put_event(buf, ev);
	if (fwrite(buf, 1, n, stdout) != n)
		exit(1);
}

static struct event event_of(enum event_kind kind, unsigned i, unsigned age)
{
	struct event ev = event_empty(kind);

	ev.cpu = i % 2;
	ev.ts_ns = ev.rx_ns = 1000000 + 10000ULL * (i + age);
	ev.pid = ev.tid = (pid_t)(700 + i % PIDS);
	ev.ppid = 500;
	ev.uid = i % 3 ? 1000 : 0;
	ev.cgroup_id = 4711;
	strcpy(ev.comm, kind == EV_FORK ? "make" : i % 2 ? "cc1" : "sh");
	return ev;
}

static void fill(struct event *ev)
{
	strcpy(ev->parent_comm, "make");
	if (ev->kind == EV_EXEC)
		strcpy(ev->old_comm, "make");
	ev->gid = 1000;
	ev->euid = ev->uid;
	ev->loginuid = 1000;
	ev->sessionid = 3;
	ev->ns_pid = ev->pid - 100;
	ev->pidns = 4026531836;
	if (ev->kind != EV_EXIT)
		return;
	ev->cpu_user_ns = 1234567;
	ev->cpu_sys_ns = 234567;
	ev->max_rss_bytes = 3456 << 10;
}

int main(int argc, char **argv)
{
	const unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	uint8_t header[RECFORMAT_HEADER];
	static const char args[] = "cc1\0-O2\0-o\0user/cmd/trace.o\0user/cmd/trace.c";

	recformat_put_header(header, 1764550932000000000);
	fwrite(header, 1, sizeof(header), stdout);
	for (unsigned i = 0; i < n + ALIVE; i++) {
		struct event fork = event_of(EV_FORK, i, 0), exec = event_of(EV_EXEC, i, 1),
			     end = event_of(EV_EXIT, i - ALIVE, ALIVE);

		exec.path = (struct str){ "/usr/libexec/cc1", 16 };
		exec.args = (struct str){ args, sizeof(args) };
		end.status = i % 16 == 5 ? 1 << 8 : i % 64 == 7 ? 9 : 0;
		end.duration_ns = 10000ULL * ALIVE + i % 100;
		if (argc > 2) {
			fill(&fork);
			fill(&exec);
			fill(&end);
		}
		if (i < n) {
			put(&fork);
			put(&exec);
		}
		if (i >= ALIVE)
			put(&end);
	}
	return fflush(stdout) ? 1 : 0;
}
