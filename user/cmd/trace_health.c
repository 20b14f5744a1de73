// SPDX-License-Identifier: MIT
#include "cmd/trace_health.h"

#include <stdio.h>
#include <sys/resource.h>

#include "base/clock.h"

typedef unsigned long long ull;

/* Where events are lost, in words. */
static const struct place {
	const char *name;
	size_t offset;
} places[] = {
	{ "ring full", offsetof(struct source_account, ring_full) },
	{ "socket buffer full", offsetof(struct source_account, socket_dropped) },
	{ "program not run", offsetof(struct source_account, not_run) },
	{ "no kernel memory", offsetof(struct source_account, alloc_failed) },
};

#define PLACES (sizeof(places) / sizeof(places[0]))

static uint64_t lost_at(const struct source_stats *st, const struct place *p)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < st->naccounts; i++)
		n += *(const uint64_t *)(const void *)((const char *)&st->account[i] + p->offset);
	return n;
}

static uint64_t lost_sum(const struct source_stats *st)
{
	uint64_t n = 0;

	for (size_t i = 0; i < PLACES; i++)
		n += lost_at(st, &places[i]);
	return n;
}

/* ---- each second ------------------------------------------------------------------------------ */

static uint64_t cpu_used_ns(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * NSEC_PER_SEC +
	       (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * NSEC_PER_USEC;
}

static void buffer_print(const struct source_stats *st)
{
	if (!st->buffer_bytes)
		return;
	fprintf(stderr, ", buffer at most %.0f %% full",
		100.0 * (double)st->buffer_peak / (double)st->buffer_bytes);
}

void trace_health_tick(struct trace_health *h, const struct tee *tee, struct source *s)
{
	const uint64_t now = clock_now_ns(), since = h->last_ns ? now - h->last_ns : NSEC_PER_SEC;
	uint64_t events = tee->failed, lost, cpu;
	struct source_stats st;

	if (h->last_ns && since < NSEC_PER_SEC)
		return;
	s->ops->stats(s, &st);
	for (unsigned k = 0; k < EV_KINDS; k++)
		events += tee->events[k];
	lost = lost_sum(&st);
	cpu = cpu_used_ns();
	if (h->last_ns) {
		fprintf(stderr, "proctrace: %.0f events/s, %llu lost",
			(double)(events - h->events) * 1e9 / (double)since, (ull)(lost - h->lost));
		buffer_print(&st);
		fprintf(stderr, ", %.1f %% of a CPU\n",
			100.0 * (double)(cpu - h->cpu_ns) / (double)since);
	}
	*h = (struct trace_health){ .last_ns = now, .events = events, .lost = lost, .cpu_ns = cpu };
}

/* ---- at the end ------------------------------------------------------------------------------- */

/* "312 lost (300 ring full, 12 program not run)" */
static void losses_print(const struct source_stats *st)
{
	const char *before = " (";

	fprintf(stderr, "%llu lost", (ull)lost_sum(st));
	for (size_t i = 0; i < PLACES; i++) {
		uint64_t n = lost_at(st, &places[i]);

		if (!n)
			continue;
		fprintf(stderr, "%s%llu %s", before, (ull)n, places[i].name);
		before = ", ";
	}
	if (lost_sum(st))
		fputc(')', stderr);
}

static void cross_print(const struct source_stats *st)
{
	if (!st->crossed)
		return;
	fprintf(stderr, "; %llu seen by both, %llu only by eBPF, %llu only by netlink",
		(ull)st->cross_both, (ull)st->cross_only[0], (ull)st->cross_only[1]);
	if (st->cross_unchecked)
		fprintf(stderr, ", %llu not checked", (ull)st->cross_unchecked);
}

void trace_totals_print(const struct tee *tee, unsigned shown, struct source *s, uint64_t start_ns)
{
	uint64_t filtered = 0;
	struct source_stats st;

	s->ops->stats(s, &st);
	fputs("proctrace: ", stderr);
	for (unsigned k = 0; k < EV_KINDS; k++)
		if (shown & EV_MASK(k))
			fprintf(stderr, "%llu %s, ", (ull)tee->events[k], event_kind_name(k));
	if (tee->failed)
		fprintf(stderr, "%llu failed exec, ", (ull)tee->failed);
	for (unsigned i = 0; i < st.naccounts; i++)
		filtered += st.account[i].filtered;
	if (s->ops->needs_file) {
		fputs("replayed", stderr);
		if (lost_sum(&st)) /* the places are in the stream */
			fprintf(stderr, ", %llu lost when it was recorded", (ull)lost_sum(&st));
	} else {
		fprintf(stderr, "%llu filtered out in the kernel, ", (ull)filtered);
		losses_print(&st);
		fprintf(stderr, ", in %.1f s", (double)(clock_now_ns() - start_ns) / NSEC_PER_SEC);
	}
	cross_print(&st);
	if (st.malformed)
		fprintf(stderr, ", %llu malformed", (ull)st.malformed);
	fputc('\n', stderr);
}
