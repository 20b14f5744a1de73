// SPDX-License-Identifier: MIT
#include "bench/losses.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct fate {
	uint64_t start_ns;
	unsigned missing; /* mask */
};

static int fate_compare(const void *pa, const void *pb)
{
	const struct fate *a = pa, *b = pb;

	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

/* What happened to each launch of the load, in order of time. */
static size_t fates_gather(const struct truth *truth, const uint8_t *seen, unsigned kinds,
			   struct fate *fate)
{
	size_t at = 0, n = 0;

	for (unsigned s = 0; s < truth->nsegments; s++) {
		const struct truth_segment *seg = &truth->segment[s];

		for (size_t i = 0; i < seg->n; i++, at++) {
			const struct truth_launch *l = &seg->launch[i];
			unsigned expected = l->end_ns ? kinds : kinds & ~EV_MASK(EV_EXIT);

			if (l->worker != TRUTH_HARNESS)
				fate[n++] = (struct fate){ l->start_ns,
							   expected & ~(unsigned)seen[at] };
		}
	}
	qsort(fate, n, sizeof(*fate), fate_compare);
	return n;
}

static uint64_t since(uint64_t ns, uint64_t began)
{
	return ns > began ? ns - began : 0;
}

static void count_kinds(struct losses *out, unsigned missing)
{
	out->hit++;
	out->exec_only += missing == EV_MASK(EV_EXEC);
	out->exit_only += missing == EV_MASK(EV_EXIT);
}

static void fates_judge(struct losses *out, const struct fate *fate, size_t n,
			const struct losses_cfg *cfg)
{
	uint64_t run = 0;

	for (size_t i = 0; i < n; i++) {
		const uint64_t ns = since(fate[i].start_ns, cfg->began_ns);

		if (!fate[i].missing) {
			run = 0;
			continue;
		}
		count_kinds(out, fate[i].missing);
		out->runs += run == 0;
		if (++run > out->longest)
			out->longest = run;
		if (out->first_ns == LOSSES_NEVER)
			out->first_ns = ns;
		out->last_ns = ns;
		out->hit_after += cfg->stall_end_ns && fate[i].start_ns > cfg->stall_end_ns;
	}
}

/* What came through between the stall's begin and the first loss. */
static void hold_judge(struct losses *out, const struct fate *fate, size_t n,
		       const struct recording *rec, const struct losses_cfg *cfg)
{
	const size_t nrec = atomic_load_explicit(&rec->n, memory_order_acquire);
	uint64_t until = out->first_ns == LOSSES_NEVER ? UINT64_MAX : cfg->began_ns + out->first_ns;

	out->stall_begin_ns = since(cfg->stall_begin_ns, cfg->began_ns);
	out->stall_end_ns = since(cfg->stall_end_ns, cfg->began_ns);
	if (out->first_ns == LOSSES_NEVER)
		until = cfg->stall_end_ns;
	for (size_t i = 0; i < nrec; i++) {
		const struct rec *e = &rec->rec[i];

		out->held_events += cfg->kinds & EV_MASK(rec_kind(e)) &&
				    e->ts_ns >= cfg->stall_begin_ns && e->ts_ns < until;
	}
	for (size_t i = 0; i < n; i++)
		out->held_launches +=
			fate[i].start_ns >= cfg->stall_begin_ns && fate[i].start_ns < until;
}

int losses_find(const struct truth *truth, const uint8_t *seen, const struct recording *rec,
		const struct losses_cfg *cfg, struct losses *out)
{
	struct fate *fate = calloc(truth_count(truth) + 1, sizeof(*fate));
	size_t n;

	*out = (struct losses){ .first_ns = LOSSES_NEVER,
				.last_ns = LOSSES_NEVER,
				.stall_begin_ns = LOSSES_NEVER,
				.stall_end_ns = LOSSES_NEVER };
	if (!fate)
		return -ENOMEM;
	n = fates_gather(truth, seen, cfg->kinds, fate);
	fates_judge(out, fate, n, cfg);
	if (cfg->stall_begin_ns && cfg->stall_end_ns)
		hold_judge(out, fate, n, rec, cfg);
	free(fate);
	return 0;
}
