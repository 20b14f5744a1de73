// SPDX-License-Identifier: MIT
#include "bench/matching.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PID_LIMIT (4U << 20) /* the kernel's PID_MAX_LIMIT on 64 bits */

static int window_compare(const void *pa, const void *pb)
{
	const struct window *a = pa, *b = pb;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Windows of a pid come from segments that are in order, one after the other: most often sorted. */
static void windows_sort(struct window *w, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (w[i - 1].start_ns > w[i].start_ns) {
			qsort(w, n, sizeof(*w), window_compare);
			return;
		}
	}
}

static int pids_bound(const struct truth *truth, uint32_t *end)
{
	*end = 0;
	for (unsigned s = 0; s < truth->nsegments; s++) {
		const struct truth_segment *seg = &truth->segment[s];

		for (size_t i = 0; i < seg->n; i++) {
			if (seg->launch[i].pid < 1 || (uint32_t)seg->launch[i].pid > PID_LIMIT)
				return -EINVAL;
			if ((uint32_t)seg->launch[i].pid >= *end)
				*end = seg->launch[i].pid + 1;
		}
	}
	return 0;
}

/*
 * Counting sort by pid. While it runs, cursor[p] is where the next window of p goes; it starts as
 * the end of the windows of p - 1, and ends as the end of those of p. Hence cursor = first + 1.
 */
static void windows_place(struct matching *m, const struct truth *truth)
{
	uint32_t *cursor = m->first + 1, index = 0;

	for (unsigned s = 0; s < truth->nsegments; s++)
		for (size_t i = 0; i < truth->segment[s].n; i++)
			cursor[truth->segment[s].launch[i].pid + 1]++;
	for (uint32_t p = 0; p < m->pid_end; p++)
		cursor[p + 1] += cursor[p];
	for (unsigned s = 0; s < truth->nsegments; s++) {
		for (size_t i = 0; i < truth->segment[s].n; i++) {
			const struct truth_launch *l = &truth->segment[s].launch[i];

			m->window[cursor[l->pid]++] = (struct window){
				.start_ns = l->start_ns,
				.launch = l,
				.index = index++,
			};
		}
	}
}

int matching_init(struct matching *m, const struct truth *truth)
{
	int err;

	memset(m, 0, sizeof(*m));
	m->n = truth_count(truth);
	if (m->n >= UINT32_MAX)
		return -E2BIG;
	err = pids_bound(truth, &m->pid_end);
	if (err)
		return err;
	m->window = malloc((m->n ? m->n : 1) * sizeof(*m->window));
	m->first = calloc((size_t)m->pid_end + 2, sizeof(*m->first));
	if (!m->window || !m->first) {
		matching_free(m);
		return -ENOMEM;
	}
	windows_place(m, truth);
	for (uint32_t p = 0; p < m->pid_end; p++)
		windows_sort(m->window + m->first[p], m->first[p + 1] - m->first[p]);
	return 0;
}

void matching_free(struct matching *m)
{
	free(m->window);
	free(m->first);
	m->window = NULL;
	m->first = NULL;
}

/* The last time stamp that an event of @kind can have and still belong to @l. */
static uint64_t window_end(const struct truth_launch *l, enum event_kind kind, uint64_t exit_lag_ns)
{
	if (!l->end_ns)
		return UINT64_MAX;
	if (kind != EV_EXIT)
		return l->end_ns;
	return l->end_ns > UINT64_MAX - exit_lag_ns ? UINT64_MAX : l->end_ns + exit_lag_ns;
}

/* The last window of the pid that starts at or before the event, if the event lies in it. A late EXIT
 * thus never reaches into the next launch of its pid. */
static struct window *window_find(const struct matching *m, const struct rec *r,
				  uint64_t exit_lag_ns)
{
	uint32_t lo, hi, first;

	if (r->pid >= m->pid_end)
		return NULL;
	first = lo = m->first[r->pid];
	hi = m->first[r->pid + 1];
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (m->window[mid].start_ns <= r->ts_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == first)
		return NULL;
	if (r->ts_ns > window_end(m->window[lo - 1].launch, rec_kind(r), exit_lag_ns))
		return NULL;
	return &m->window[lo - 1];
}

/* An order of equal kinds that does not ask who was delivered first. */
static bool rec_precedes(const struct rec *a, const struct rec *b)
{
	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns;
	if (a->kind != b->kind)
		return a->kind < b->kind;
	if (a->status != b->status)
		return a->status < b->status;
	return a->name < b->name;
}

int matching_events(struct matching *m, const struct rec *rec, size_t n, uint64_t exit_lag_ns)
{
	if (n >= UINT32_MAX)
		return -E2BIG;
	for (size_t i = 0; i < n; i++) {
		struct window *w = window_find(m, &rec[i], exit_lag_ns);
		enum event_kind kind = rec_kind(&rec[i]);

		if (!w || kind >= EV_KINDS) {
			m->foreign++;
			continue;
		}
		if (w->event[kind]) {
			m->duplicate[kind]++;
			if (rec_precedes(&rec[w->event[kind] - 1], &rec[i]))
				continue;
		}
		w->event[kind] = i + 1;
	}
	return 0;
}
