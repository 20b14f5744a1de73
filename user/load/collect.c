// SPDX-License-Identifier: MIT
/* What the workers measured, as one result. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "load/load_priv.h"

static double seconds(const struct timeval *before, const struct timeval *after)
{
	return (double)(after->tv_sec - before->tv_sec) +
	       (double)(after->tv_usec - before->tv_usec) * 1e-6;
}

static double rate_of(uint64_t n, uint64_t first_ns, uint64_t last_ns)
{
	return last_ns > first_ns ? (double)n * NSEC_PER_SEC / (double)(last_ns - first_ns) : 0;
}

static void add_errno(struct load_result *r, int err, uint64_t n)
{
	for (int i = 0; n && i < LOAD_MAX_ERRNOS; i++) {
		if (r->failed_by[i].n && r->failed_by[i].err != err)
			continue;
		r->failed_by[i].err = err;
		r->failed_by[i].n += n;
		return;
	}
}

static int by_frequency(const void *a, const void *b)
{
	const struct load_failure *x = a, *y = b;

	return (x->n < y->n) - (x->n > y->n);
}

static void add_worker(const struct pool_slot *s, struct load_result *r)
{
	struct load_worker_result *w = &r->worker[s->index];

	w->launches = s->n - s->n_before;
	w->failed = s->failed;
	w->bad_status = s->bad_status;
	w->rate_per_s = rate_of(w->launches, s->first_ns, s->last_ns);
	r->launches += w->launches;
	r->failed += w->failed;
	r->bad_status += w->bad_status;
	r->truth_full |= s->truth_full;
	r->gave_up |= s->gave_up;
	if (w->launches && (!r->start_ns || s->first_ns < r->start_ns))
		r->start_ns = s->first_ns;
	if (w->launches && s->last_ns > r->end_ns)
		r->end_ns = s->last_ns;
	for (int i = 0; i < LOAD_MAX_ERRNOS; i++)
		add_errno(r, s->failed_by[i].err, s->failed_by[i].n);
	r->cpu_user_s += seconds(&s->self[0].ru_utime, &s->self[1].ru_utime);
	r->cpu_sys_s += seconds(&s->self[0].ru_stime, &s->self[1].ru_stime);
	r->child_user_s += seconds(&s->children[0].ru_utime, &s->children[1].ru_utime);
	r->child_sys_s += seconds(&s->children[0].ru_stime, &s->children[1].ru_stime);
	hist_merge(&r->latency, &s->latency);
}

void load_collect(const struct pool *p, struct load_result *r)
{
	memset(r, 0, sizeof(*r));
	hist_init(&r->latency);
	r->nworkers = p->run.workers;
	r->inflight = p->run.mode == LOAD_NOWAIT ? p->inflight * p->run.workers : 0;
	for (unsigned i = 0; i < r->nworkers; i++)
		add_worker(&p->slot[i], r);
	r->rate_per_s = rate_of(r->launches, r->start_ns, r->end_ns);
	qsort(r->failed_by, LOAD_MAX_ERRNOS, sizeof(r->failed_by[0]), by_frequency);
}
