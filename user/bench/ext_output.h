/* SPDX-License-Identifier: MIT */
/*
 * ext_output: keeps all that a program prints, in memory, by a thread that does nothing else and wakes seldom.
 * (Internal to external.) Everything else belongs to the command's thread.
 */
#ifndef PT_BENCH_EXT_OUTPUT_H
#define PT_BENCH_EXT_OUTPUT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct ext_output {
	int fd; /* not blocking; owned */
	uint64_t nap_ns;
	char *text;
	size_t cap;
	_Atomic size_t len; /* so much of text may be read, and one byte more be written */
	_Atomic bool full; /* more was printed than there is room */
	_Atomic bool stop;
	bool running;
	pthread_t thread;
	double cpu_s; /* of the thread, once it has ended */
};

/* Takes over @fd, also if it fails. The thread sleeps for @nap_ns after each read: otherwise it would be woken for
 * each line, by the monitor that is to be measured. 0 or -errno. */
int ext_output_start(struct ext_output *o, int fd, uint64_t nap_ns, struct err *e);
/* Takes what is still to be had and ends the thread; the text stays. */
void ext_output_stop(struct ext_output *o);
void ext_output_free(struct ext_output *o);

#endif
