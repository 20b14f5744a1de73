/* SPDX-License-Identifier: MIT */
/*
 * reader: one source, its thread and its recording. Readers share nothing with each other, so that a
 * slow source cannot make another one lose.
 *
 * reader_open → reader_start → … → reader_stop → use source_stats and the recording → reader_close, all by
 * the command's thread.
 */
#ifndef PT_BENCH_READER_H
#define PT_BENCH_READER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "bench/conditions.h"
#include "bench/inject.h"
#include "bench/recording.h"
#include "load/truth.h"
#include "source/source.h"

struct reader {
	struct source source;
	struct filter filter;
	struct recording *rec; /* borrowed */
	struct sink *sink;
	pthread_t thread;
	_Atomic pid_t tid; /* of the thread */
	bool running;
	int wake_fd;
	atomic_bool stop;
	const struct conditions *cond; /* borrowed */
	_Atomic uint64_t load_began_ns; /* injected stalls count from here; 0: no load, no stall */
	uint64_t stall_begin_ns,
		stall_end_ns; /* of the first one, once the thread has ended; 0: none */
	int broken; /* -errno of drain, once the thread has ended */
	double user_s, sys_s; /* CPU time of the thread, once it has ended */
	uint64_t waits, preempted; /* its voluntary and involuntary context switches, then too */
};

/* Opens the source @ops with @cfg (filter, sink and wake_fd are filled in here), for the kinds that bench takes,
 * under @cond, which is borrowed. @inject (may be NULL) stands between it and its recording. 0 or -errno. */
int reader_open(struct reader *r, const struct source_ops *ops, const struct source_cfg *cfg,
		const struct conditions *cond, struct recording *rec, const struct truth *names,
		struct injector *inject, struct err *e);
/* Starts the thread, then the source. 0 or -errno. */
int reader_start(struct reader *r, struct err *e);
/* Ends the source, drains what is buffered, ends the thread. */
void reader_stop(struct reader *r);
/* Safe after a failed open or start. */
void reader_close(struct reader *r);

#endif
