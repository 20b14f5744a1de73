// SPDX-License-Identifier: MIT
#include "bench/lookout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/cell.h"

#define CANARY_TIMEOUT_NS (3 * NSEC_PER_SEC)
#define PROBE_TIMEOUT_NS (10 * NSEC_PER_SEC)

/* Whether @rec holds, from entry @from on, each of @kinds for @pid. */
static bool recording_has(const struct recording *rec, size_t from, pid_t pid, unsigned kinds)
{
	size_t n = atomic_load_explicit(&rec->n, memory_order_acquire);
	unsigned seen = 0;

	for (size_t i = from; i < n; i++)
		if (rec->rec[i].pid == (uint32_t)pid)
			seen |= EV_MASK(rec_kind(&rec->rec[i]));
	return (seen & kinds) == kinds;
}

/* A launch that sources are to see. */
struct probe {
	size_t from[CELL_MAX_SOURCES]; /* where in the recordings it cannot be before */
	pid_t pid;
};

static int probe_launch(struct lookout *l, int cpu, struct probe *p, struct err *e)
{
	for (unsigned i = 0; i < l->nreaders; i++)
		p->from[i] = atomic_load(&l->rec[i].n);
	return load_probe(l->load, cpu, &p->pid, e);
}

/* Waits until every source has delivered it. -ETIMEDOUT: @late is the reader that did not. */
static int probe_await(struct lookout *l, const struct probe *p, uint64_t deadline_ns,
		       unsigned *late)
{
	for (unsigned i = 0; i < l->nreaders; i++) {
		unsigned kinds = l->reader[i].filter.kinds & (EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT));

		while (!recording_has(&l->rec[i], p->from[i], p->pid, kinds)) {
			*late = i;
			if (clock_now_ns() >= deadline_ns || l->rec[i].full)
				return -ETIMEDOUT;
			clock_sleep_ns(NSEC_PER_MSEC);
		}
	}
	return 0;
}

static int probe_once(struct lookout *l, int cpu, unsigned *late, struct err *e)
{
	struct probe p;
	int err = probe_launch(l, cpu, &p, e);

	return err ? err : probe_await(l, &p, clock_now_ns() + l->patience_ns, late);
}

int lookout_canary(struct lookout *l, struct err *e)
{
	uint64_t deadline = clock_now_ns() + CANARY_TIMEOUT_NS;
	unsigned late = 0;
	int err;

	do {
		err = probe_once(l, -1, &late, e);
	} while (err == -ETIMEDOUT && clock_now_ns() < deadline);
	if (err == -ETIMEDOUT)
		err_set(e, err,
			"the source %s was opened without complaint but did not see a process that "
			"was "
			"started: see 'proctrace sources'",
			l->reader[late].source.ops->name);
	return err;
}

/* Sends probes to @cpu until one is seen; @err is what became of the first one. */
static int probe_again(struct lookout *l, int cpu, int err, unsigned late, const char *when,
		       struct err *e)
{
	uint64_t deadline = clock_now_ns() + PROBE_TIMEOUT_NS;

	while (err == -ETIMEDOUT) {
		/* Our own memory is full: known, counted, and no reason to wait. */
		if (l->rec[late].full)
			return 0;
		if (clock_now_ns() > deadline)
			return err_set(e, err,
				       "the source %s does not see processes on CPU %d %s the load",
				       l->reader[late].source.ops->name, cpu, when);
		err = probe_once(l, cpu, &late, e);
	}
	return err;
}

/* What came of a launch on @cpu, if not that the CPU has been switched off. */
static int unless_gone(struct lookout *l, int cpu, int err)
{
	if (err != -EINVAL)
		return err;
	CPU_CLR(cpu, &l->cpus);
	l->cpus_changed = true;
	return 0;
}

int lookout_cpus_read(struct lookout *l, struct err *e)
{
	if (sched_getaffinity(0, sizeof(l->cpus), &l->cpus))
		return err_set(e, -errno, "cannot read the CPU mask: %s", strerror(errno));
	return 0;
}

bool lookout_cpus_changed(const struct lookout *l)
{
	cpu_set_t now;

	return l->cpus_changed || sched_getaffinity(0, sizeof(now), &now) ||
	       !CPU_EQUAL(&now, &l->cpus);
}

int lookout_cpus(struct lookout *l, const char *when, struct err *e)
{
	struct probe *probe = calloc(CPU_SETSIZE, sizeof(*probe));
	uint64_t deadline;
	int err = probe ? 0 : err_set(e, -ENOMEM, "out of memory");

	for (int cpu = 0; !err && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &l->cpus))
			err = unless_gone(l, cpu, probe_launch(l, cpu, &probe[cpu], e));
	deadline = clock_now_ns() + l->patience_ns;
	for (int cpu = 0; !err && cpu < CPU_SETSIZE; cpu++) {
		unsigned late = 0;

		if (!CPU_ISSET(cpu, &l->cpus))
			continue;
		err = probe_await(l, &probe[cpu], deadline, &late);
		err = unless_gone(l, cpu, probe_again(l, cpu, err, late, when, e));
	}
	free(probe);
	return err;
}
