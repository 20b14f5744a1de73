// SPDX-License-Identifier: MIT
#include "cmd/bench_result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/bench_with.h"

static struct result_latency latency_of(const struct hist *h)
{
	return (struct result_latency){
		.n = h->n,
		.p50 = hist_quantile(h, 0.5),
		.p90 = hist_quantile(h, 0.9),
		.p99 = hist_quantile(h, 0.99),
		.p999 = hist_quantile(h, 0.999),
		.max = hist_quantile(h, 1),
	};
}

static void load_fill(struct result_run *run, const struct load_cfg *cfg,
		      const struct load_result *load)
{
	snprintf(run->method, sizeof(run->method), "%s", load_method_names[cfg->method]);
	snprintf(run->mode, sizeof(run->mode), "%s", load_mode_names[cfg->mode]);
	run->workers = cfg->workers;
	run->inflight = load->inflight;
	run->duration_s = (double)(load->end_ns - load->start_ns) / NSEC_PER_SEC;
	run->pause_s = (double)cfg->pause_ns / NSEC_PER_SEC;
	run->rate_target = cfg->rate;
	run->launches = load->launches;
	run->failed = load->failed;
	run->rate_per_s = load->rate_per_s;
	run->cpu_s = load->cpu_user_s + load->cpu_sys_s;
	run->child_cpu_s = load->child_user_s + load->child_sys_s;
	run->launch_latency = latency_of(&load->latency);
	run->truth_full = load->truth_full;
}

static void source_fill(struct result_source *out, const struct cell_source *s,
			const struct recording *rec)
{
	const struct source_stats *st = &s->stats;

	snprintf(out->name, sizeof(out->name), "%s", s->ops->name);
	out->names = s->ops->names;
	out->buffer_bytes = st->buffer_bytes;
	out->bytes_per_event = st->bytes_per_event;
	out->capacity_events = st->bytes_per_event ? st->buffer_bytes / st->bytes_per_event : 0;
	out->buffer_peak = st->buffer_peak;
	out->malformed = st->malformed;
	out->seq_gaps = st->seq_gaps;
	for (unsigned i = 0; i < st->naccounts; i++) {
		const struct source_account *a = &st->account[i];

		out->generated += a->generated;
		out->delivered += a->delivered;
		out->filtered += a->filtered;
		out->dropped += a->ring_full + a->socket_dropped + a->not_run + a->alloc_failed;
	}
	out->ledger = s->ledger;
	out->has_losses = true;
	out->losses = s->losses;
	out->latency = latency_of(&rec->latency);
	out->reader_user_s = s->reader_user_s;
	out->reader_sys_s = s->reader_sys_s;
	out->reader_waits = s->reader_waits;
	out->reader_preempted = s->reader_preempted;
	memcpy(out->kernel_ns, st->bpf_run_ns, sizeof(out->kernel_ns));
	memcpy(out->kernel_runs, st->bpf_run_cnt, sizeof(out->kernel_runs));
	out->checks_ok =
		s->ledger.identities_hold && (!s->ledger.books_checked || s->ledger.books_balance);
}

static void disturbance_fill(struct result_disturbance *out, const struct disturbance *d)
{
	*out = (struct result_disturbance){
		.steal_s = d->steal_s,
		.foreign_cpu_s = d->foreign_cpu_s,
		.throttled_s = d->throttled_s,
		.foreign_processes = d->foreign_forks,
		.steal = d->marks & DISTURB_STEAL,
		.processes = d->marks & DISTURB_PROCESSES,
		.load = d->marks & DISTURB_LOAD,
		.throttled = d->marks & DISTURB_THROTTLED,
		.gap = d->marks & DISTURB_GAP,
	};
}

/* A rate under a monitor that did not work says nothing. */
static void external_fill(struct result_run *run, const struct external_cfg *cfg,
			  const struct external_result *r)
{
	run->nsources = 1;
	bench_with_fill(&run->source[0], cfg, r);
	run->memory_bytes = 0;
	if (run->source[0].external.bad)
		run->rate_per_s = NAN;
}

void bench_result_fill(struct result_run *run, const struct plan *p, const struct plan_cell *pc,
		       const struct conditions *cond, const struct cell_result *cell,
		       const struct recording *rec)
{
	const struct scenario *sc = &p->scenario[pc->scenario];

	snprintf(run->scenario, sizeof(run->scenario), "%s", sc->name);
	snprintf(run->monitor, sizeof(run->monitor), "%s", p->monitor[pc->monitor].name);
	snprintf(run->study, sizeof(run->study), "%s", sc->study);
	run->cond = *cond;
	run->round = pc->round;
	run->kernel_timed = pc->purpose == SLICE_KERNEL;
	run->gap_s = cell->gap_s;
	run->memory_bytes = cell->memory_bytes;
	disturbance_fill(&run->disturbance, &cell->disturbance);
	load_fill(run, &sc->load, &cell->load);
	run->harness = cell->harness;
	run->interrupted = cell->interrupted;
	memcpy(run->skipped, cell->skipped, sizeof(run->skipped));
	run->nsources = cell->nsources;
	if (p->monitor[pc->monitor].external)
		external_fill(run, p->monitor[pc->monitor].external, &cell->external);
	for (unsigned i = 0; i < cell->nsources; i++)
		source_fill(&run->source[i], &cell->source[i], &rec[i]);
	run->has_cross = cell->has_cross;
	run->cross = cell->cross;
}

int bench_result_pool(struct result *r, const struct plan *p, const struct pooled *pooled)
{
	r->npooled = 0;
	for (unsigned s = 0; s < p->nscenarios; s++) {
		for (unsigned m = 0; m < p->nmonitors; m++) {
			const struct pooled_cell *c = pooled->cell[s][m];
			struct result_pooled *out = c ? result_add_pooled(r) : NULL;

			if (c && !out)
				return -ENOMEM;
			if (!c)
				continue;
			snprintf(out->scenario, sizeof(out->scenario), "%s", p->scenario[s].name);
			snprintf(out->monitor, sizeof(out->monitor), "%s", p->monitor[m].name);
			out->launch = latency_of(&c->launch);
			out->nsources = p->monitor[m].nsources;
			for (unsigned i = 0; i < out->nsources; i++)
				out->source[i] = latency_of(&c->source[i]);
		}
	}
	return 0;
}
