// SPDX-License-Identifier: MIT
#include "bench/reader.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/record_sink.h"

/* How long a reader waits before it looks whether it is to stall or to stop. */
#define WAIT_MS 100

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* The injected fault: the reader stands still. */
static void stall_if_due(struct reader *r, uint64_t *next)
{
	uint64_t began = atomic_load(&r->load_began_ns), now;

	if (!r->cond->stall_ns || !began)
		return;
	if (*next < began)
		*next = began + r->cond->stall_after_ns;
	now = clock_now_ns();
	if (now < *next)
		return;
	clock_sleep_ns(r->cond->stall_ns);
	if (!r->stall_begin_ns) {
		r->stall_begin_ns = now;
		r->stall_end_ns = clock_now_ns();
	}
	if (!r->cond->stall_every_ns)
		*next = UINT64_MAX;
	while (*next <= now)
		*next += r->cond->stall_every_ns;
}

static void *reader_run(void *arg)
{
	struct reader *r = arg;
	const struct source_ops *ops = r->source.ops;
	struct rusage ru;
	uint64_t stall_next = 0;
	int n = 0;

	atomic_store(&r->tid, gettid());
	while (n >= 0 && !atomic_load(&r->stop)) {
		n = ops->drain(&r->source, WAIT_MS);
		stall_if_due(r, &stall_next);
	}
	/* The source has been stopped: what is left is all there will be. */
	while (n >= 0 && (n = ops->drain(&r->source, 0)) > 0)
		;
	r->broken = n < 0 ? n : 0;
	getrusage(RUSAGE_THREAD, &ru);
	r->user_s = seconds(ru.ru_utime);
	r->sys_s = seconds(ru.ru_stime);
	r->waits = (uint64_t)ru.ru_nvcsw;
	r->preempted = (uint64_t)ru.ru_nivcsw;
	return NULL;
}

int reader_open(struct reader *r, const struct source_ops *ops, const struct source_cfg *cfg,
		const struct conditions *cond, struct recording *rec, const struct truth *names,
		struct injector *inject, struct err *e)
{
	int err;

	*r = (struct reader){
		.source = { .ops = ops, .cfg = *cfg }, .cond = cond, .rec = rec, .wake_fd = -1
	};
	r->filter = filter_any();
	r->filter.kinds = ops->bench_kinds;
	/* The one process that is surely none of ours. */
	if (cond->unwatched) {
		err = filter_add_id(&r->filter, FILTER_PID, FILTER_ONLY, 1, e);
		if (err)
			return err;
	}
	recording_reset(rec);
	r->sink = record_sink_new(rec, names->name, names->nnames);
	if (!r->sink)
		return err_set(e, -ENOMEM, "out of memory");
	r->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->wake_fd < 0) {
		err = err_set(e, -errno, "cannot make an eventfd: %s", strerror(errno));
		goto close_sink;
	}
	r->source.cfg.filter = &r->filter;
	r->source.cfg.sink = r->sink;
	if (inject) {
		inject->next = r->sink;
		r->source.cfg.sink = &inject->sink;
	}
	r->source.cfg.wake_fd = r->wake_fd;
	err = ops->open(&r->source, e);
	if (err)
		goto close_wake_fd;
	return 0;

close_wake_fd:
	close(r->wake_fd);
	r->wake_fd = -1;
close_sink:
	r->sink->ops->close(r->sink);
	r->sink = NULL;
	return err;
}

int reader_start(struct reader *r, struct err *e)
{
	sigset_t all, old;
	int err;

	err = r->source.ops->start(&r->source, e);
	if (err)
		return err;
	/* Signals belong to the command's thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	err = -pthread_create(&r->thread, NULL, reader_run, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err)
		return err_set(e, err, "cannot start a reader thread: %s", strerror(-err));
	r->running = true;
	return 0;
}

void reader_stop(struct reader *r)
{
	const uint64_t one = 1;

	if (!r->running)
		return;
	if (r->source.ops->stop)
		r->source.ops->stop(&r->source);
	atomic_store(&r->stop, true);
	/* An eventfd takes 2^64 - 2 such writes before it refuses one. */
	if (write(r->wake_fd, &one, sizeof(one)) < 0)
		r->broken = -errno;
	pthread_join(r->thread, NULL);
	r->running = false;
}

void reader_close(struct reader *r)
{
	reader_stop(r);
	if (r->sink) {
		r->source.ops->close(&r->source);
		r->sink->ops->close(r->sink);
		close(r->wake_fd);
	}
	*r = (struct reader){ .wake_fd = -1 };
}
