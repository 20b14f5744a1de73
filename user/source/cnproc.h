/* SPDX-License-Identifier: MIT */
/*
 * cnproc: the datagrams of the proc connector, parsed; pure (no socket), so that it can be fuzzed.
 *
 * Layout: nlmsghdr 16, cn_msg 20, proc_event 40 bytes (include/uapi/linux/cn_proc.h; from 5.12 on
 * always 76 in all). Fields lie misaligned and are copied out.
 */
#ifndef PT_SOURCE_CNPROC_H
#define PT_SOURCE_CNPROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "event/event.h"

struct cnproc_msg {
	uint32_t what; /* PROC_EVENT_*; 0: an acknowledgement */
	uint32_t cpu,
		seq; /* seq counts every message of every type on that CPU, from its boot on */
	uint32_t ack; /* request's ack + 1 */
	uint32_t ack_err; /* acknowledgement: 0 or a positive errno */
	uint64_t ts_ns; /* CLOCK_MONOTONIC */
	bool is_event; /* fork, exec or exit; the fields below are filled */
	enum event_kind kind;
	pid_t pid, tid; /* process; FORK: the child */
	pid_t ppid; /* EV_NO_PID for EXEC; for EXIT as the kernel gave it, EV_NO_PID if 0 */
	int status; /* EXIT: raw, of the thread */
};

/* Parses one datagram. 0, or -EBADMSG if it is none of the proc connector's. */
int cnproc_parse(const void *data, size_t len, struct cnproc_msg *m);

/* Sequence numbers of one CPU. */
struct cnproc_cpu {
	uint32_t first, last;
	uint64_t received;
	bool seen;
};

struct cnproc_books {
	struct cnproc_cpu *cpu;
	uint32_t ncpus; /* grows with the highest CPU seen */
	uint64_t received;
};

/* Enters one parsed message. 0 or -ENOMEM. */
int cnproc_books_enter(struct cnproc_books *b, const struct cnproc_msg *m);
/* Messages that the kernel numbered between the first and the last received of each CPU, both
 * included, and how many of these never arrived. Wrapping of the 32-bit numbers is allowed for. */
uint64_t cnproc_books_generated(const struct cnproc_books *b);
uint64_t cnproc_books_gaps(const struct cnproc_books *b);
/* On how many CPUs some never arrived; *most: how many on the one with most. */
unsigned cnproc_books_gap_cpus(const struct cnproc_books *b, uint64_t *most);
void cnproc_books_free(struct cnproc_books *b);

#endif
