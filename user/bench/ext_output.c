// SPDX-License-Identifier: MIT
#include "bench/ext_output.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"

/* Only addresses: pages come as they are written. Enough for a minute of any monitor. */
#define ROOM (256UL << 20)
#define WAIT_MS 100
/* A terminal's work queue may still be carrying what the program wrote before its end. */
#define LAST_WAIT_MS 50
/* A terminal holds 4095 bytes: with so many waiting, more are about to come. */
#define NO_NAP_BYTES 1024

/* One read. How many bytes; 0: none at present; -1: there is no more. */
static ssize_t take(struct ext_output *o)
{
	const size_t len = atomic_load_explicit(&o->len, memory_order_relaxed);
	char spill[4096];
	const bool full = len + sizeof(spill) > o->cap;
	ssize_t n =
		read(o->fd, full ? spill : o->text + len, full ? sizeof(spill) : o->cap - len - 1);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return -1;
	if (full)
		atomic_store(&o->full, true);
	else
		atomic_store_explicit(&o->len, len + (size_t)n, memory_order_release);
	return n;
}

static void *output_run(void *arg)
{
	struct ext_output *o = arg;
	struct pollfd p = { .fd = o->fd, .events = POLLIN };
	struct rusage ru;
	ssize_t n = 0;

	for (;;) {
		const bool last = atomic_load(&o->stop);

		if (poll(&p, 1, last ? LAST_WAIT_MS : WAIT_MS) == 0 && last)
			break;
		n = p.revents ? take(o) : 0;
		if (n < 0)
			break;
		if (n && n < NO_NAP_BYTES)
			clock_sleep_ns(o->nap_ns);
	}
	getrusage(RUSAGE_THREAD, &ru);
	o->cpu_s = (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
		   (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
	return NULL;
}

int ext_output_start(struct ext_output *o, int fd, uint64_t nap_ns, struct err *e)
{
	sigset_t all, old;
	int err;

	*o = (struct ext_output){ .fd = fd, .cap = ROOM, .nap_ns = nap_ns };
	o->text = mmap(NULL, o->cap, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (o->text == MAP_FAILED) {
		o->text = NULL;
		return err_set(e, -errno, "no room for what a monitor prints: %s", strerror(errno));
	}
	/* Signals belong to the command's thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	err = -pthread_create(&o->thread, NULL, output_run, o);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err)
		return err_set(e, err, "cannot start a reader thread: %s", strerror(-err));
	o->running = true;
	return 0;
}

void ext_output_stop(struct ext_output *o)
{
	if (!o->running)
		return;
	atomic_store(&o->stop, true);
	pthread_join(o->thread, NULL);
	o->running = false;
}

void ext_output_free(struct ext_output *o)
{
	ext_output_stop(o);
	if (o->text)
		munmap(o->text, o->cap);
	if (o->fd >= 0)
		close(o->fd);
	*o = (struct ext_output){ .fd = -1 };
}
