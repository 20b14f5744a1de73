// SPDX-License-Identifier: MIT
/*
 * From runs to one summary per scenario × monitor. Counters are added up, since an event lost in any
 * round is lost; rates and times are medians, since one disturbed round must not speak for all.
 */
#include "report/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/rates.h"

/* A sum with something that is not known is not known. */
static void add_count(uint64_t *to, uint64_t v)
{
	*to = *to == LEDGER_UNKNOWN || v == LEDGER_UNKNOWN ? LEDGER_UNKNOWN : *to + v;
}

static void add_line(struct ledger_line *to, const struct ledger_line *from)
{
	add_count(&to->expected, from->expected);
	add_count(&to->matched, from->matched);
	add_count(&to->lost, from->lost);
	add_count(&to->reported, from->reported);
	add_count(&to->unexplained, from->unexplained);
	add_count(&to->over_reported, from->over_reported);
	add_count(&to->uncertain, from->uncertain);
	add_count(&to->duplicate, from->duplicate);
	add_count(&to->wrong, from->wrong);
	add_count(&to->wrong_status, from->wrong_status);
	add_count(&to->wrong_order, from->wrong_order);
	add_count(&to->wrong_time, from->wrong_time);
}

static void add_ledger(struct ledger *to, const struct ledger *from)
{
	for (unsigned k = 0; k < EV_KINDS; k++)
		if (from->kinds & EV_MASK(k))
			add_line(&to->kind[k], &from->kind[k]);
	to->kinds |= from->kinds;
	add_line(&to->all, &from->all);
	for (unsigned p = 0; p < LOST_PLACES; p++)
		add_count(&to->lost_at[p], from->lost_at[p]);
	add_count(&to->foreign, from->foreign);
	add_count(&to->foreign_generated, from->foreign_generated);
	add_count(&to->misnamed, from->misnamed);
	to->identities_hold = to->identities_hold && from->identities_hold;
	to->books_checked = to->books_checked && from->books_checked;
	to->books_balance = to->books_balance && (from->books_balance || !from->books_checked);
	if (!to->books_why[0])
		memcpy(to->books_why, from->books_why, sizeof(to->books_why));
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Texts are of the first round, or of the first bad one. */
static void add_external(struct result_external *to, const struct result_external *from)
{
	struct result_external sum = !to->is || (from->bad && !to->bad) ? *from : *to;

	sum.bad = to->bad + from->bad;
	sum.startup_s = fmax(to->startup_s, from->startup_s);
	sum.load_cpu_s = to->load_cpu_s + from->load_cpu_s;
	sum.lines = to->lines + from->lines;
	sum.foreign_lines = to->foreign_lines;
	add_count(&sum.foreign_lines, from->foreign_lines);
	sum.by_pid = to->by_pid || from->by_pid;
	*to = sum;
}

static void add_source(struct result_source *to, const struct result_source *from)
{
	to->buffer_bytes = larger(to->buffer_bytes, from->buffer_bytes);
	to->capacity_events = larger(to->capacity_events, from->capacity_events);
	to->bytes_per_event = larger(to->bytes_per_event, from->bytes_per_event);
	to->buffer_peak = larger(to->buffer_peak, from->buffer_peak);
	add_count(&to->generated, from->generated);
	add_count(&to->delivered, from->delivered);
	add_count(&to->filtered, from->filtered);
	add_count(&to->malformed, from->malformed);
	add_count(&to->seq_gaps, from->seq_gaps);
	add_count(&to->dropped, from->dropped);
	add_ledger(&to->ledger, &from->ledger);
	if (from->names)
		add_count(&to->ledger.identified, from->ledger.identified);
	to->names = to->names || from->names;
	to->reader_user_s += from->reader_user_s;
	to->reader_sys_s += from->reader_sys_s;
	to->reader_waits += from->reader_waits;
	to->reader_preempted += from->reader_preempted;
	for (unsigned k = 0; k < EV_KINDS; k++) {
		to->kernel_ns[k] += from->kernel_ns[k];
		to->kernel_runs[k] += from->kernel_runs[k];
	}
	to->checks_ok = to->checks_ok && from->checks_ok;
	if (from->external.is)
		add_external(&to->external, &from->external);
}

/* The source before its first round: sums are 0 and everything held so far. */
static void begin_source(struct result_source *s, const struct result_source *first)
{
	memset(s, 0, sizeof(*s));
	memcpy(s->name, first->name, sizeof(s->name));
	s->checks_ok = true;
	s->ledger.identities_hold = true;
	s->ledger.books_checked = true;
	s->ledger.books_balance = true;
}

/* Times of cross-checks: n adds up, the largest stays, medians are set later. */
static void add_cross(struct cross *to, const struct cross *from)
{
	uint64_t n = to->ts_n + from->ts_n;

	for (unsigned k = 0; k < EV_KINDS; k++) {
		to->kind[k].both += from->kind[k].both;
		to->kind[k].only_a += from->kind[k].only_a;
		to->kind[k].only_b += from->kind[k].only_b;
		to->kind[k].neither += from->kind[k].neither;
	}
	if (n)
		to->a_first =
			(to->a_first * (double)to->ts_n + from->a_first * (double)from->ts_n) /
			(double)n;
	to->ts_n = n;
	to->ts_max_ns = larger(to->ts_max_ns, from->ts_max_ns);
}

static bool same_cell(const struct result_summary *s, const struct result_run *run)
{
	return strcmp(s->monitor, run->monitor) == 0 && strcmp(s->scenario, run->scenario) == 0;
}

/* The summary that @run belongs to, begun if it is the first. */
static struct result_summary *summary_of(struct result *r, const struct result_run *run)
{
	struct result_summary *s;

	for (size_t i = r->nsummaries; i > 0; i--)
		if (same_cell(&r->summary[i - 1], run))
			return &r->summary[i - 1];
	s = &r->summary[r->nsummaries++];
	memcpy(s->scenario, run->scenario, sizeof(s->scenario));
	memcpy(s->monitor, run->monitor, sizeof(s->monitor));
	memcpy(s->study, run->study, sizeof(s->study));
	memcpy(s->method, run->method, sizeof(s->method));
	memcpy(s->mode, run->mode, sizeof(s->mode));
	s->workers = run->workers;
	s->nsources = run->nsources;
	for (unsigned i = 0; i < s->nsources; i++)
		begin_source(&s->source[i], &run->source[i]);
	return s;
}

static void add_disturbance(struct result_disturbed *to, const struct result_disturbance *d)
{
	to->slices += d->steal || d->processes || d->load || d->throttled || d->gap;
	to->steal += d->steal;
	to->processes += d->processes;
	to->load += d->load;
	to->throttled += d->throttled;
	to->gap += d->gap;
}

static void add_run(struct result_summary *s, const struct result_run *run)
{
	if (!run->kernel_timed) {
		s->rounds++;
		add_disturbance(&s->disturbed, &run->disturbance);
	}
	s->memory_bytes = larger(s->memory_bytes, run->memory_bytes);
	s->launches += run->launches;
	s->failed += run->failed;
	for (unsigned i = 0; i < s->nsources && i < run->nsources; i++)
		add_source(&s->source[i], &run->source[i]);
	if (run->has_cross) {
		s->has_cross = true;
		add_cross(&s->cross, &run->cross);
	}
}

/* A run that was cut short, that the kernel took times of, or whose monitor failed, has an odd rate and odd times; it
 * counts there only if there is no other. */
static bool is_odd(const struct result_run *run)
{
	return run->interrupted || run->kernel_timed ||
	       (run->nsources && run->source[0].external.bad);
}

static void collect_rounds(const struct result *r, const size_t *of, size_t summary,
			   struct rounds *rounds)
{
	for (int odd = 0; odd < 2; odd++) {
		rounds->n = 0;
		for (size_t i = 0; i < r->nruns && rounds->n < STATS_MAX_N; i++)
			if (of[i] == summary && (odd || !is_odd(&r->run[i])))
				rounds->run[rounds->n++] = &r->run[i];
		if (rounds->n)
			return;
	}
}

/* Where in a run the latency is: of the launches (source < 0), or of a source's deliveries. */
static const struct result_latency *run_latency(const struct result_run *run, int source)
{
	if (source < 0)
		return &run->launch_latency;
	return (unsigned)source < run->nsources ? &run->source[source].latency : NULL;
}

/* The median of figures of a hostile report may lie beyond what fits. */
static uint64_t whole(double v)
{
	return v < 0x1p63 ? (uint64_t)v : INT64_MAX;
}

static uint64_t median_u64(struct rounds *rounds, int source, size_t offset)
{
	size_t n = 0;

	for (size_t i = 0; i < rounds->n; i++) {
		const struct result_latency *l = run_latency(rounds->run[i], source);

		if (l && l->n)
			rounds->v[n++] = (double)*(const uint64_t *)((const char *)l + offset);
	}
	return whole(stats_median_ci(rounds->v, n).median);
}

static struct result_latency summarise_latency(struct rounds *rounds, int source)
{
	struct result_latency out = {
		.p50 = median_u64(rounds, source, offsetof(struct result_latency, p50)),
		.p90 = median_u64(rounds, source, offsetof(struct result_latency, p90)),
		.p99 = median_u64(rounds, source, offsetof(struct result_latency, p99)),
		.p999 = median_u64(rounds, source, offsetof(struct result_latency, p999)),
	};

	for (size_t i = 0; i < rounds->n; i++) {
		const struct result_latency *l = run_latency(rounds->run[i], source);

		if (!l || !l->n)
			continue;
		out.n += l->n;
		out.max = larger(out.max, l->max);
	}
	return out;
}

static double summarise_cpu(struct rounds *rounds, unsigned source)
{
	size_t n = 0;

	for (size_t i = 0; i < rounds->n; i++) {
		const struct result_run *run = rounds->run[i];
		const struct result_source *s = &run->source[source];
		double us = (s->reader_user_s + s->reader_sys_s) * 1e6 / (double)run->launches;

		if (source < run->nsources && isfinite(us))
			rounds->v[n++] = us;
	}
	return stats_median_ci(rounds->v, n).median;
}

static void summarise_cross(struct result_summary *s, struct rounds *rounds)
{
	size_t n = 0;

	for (size_t i = 0; i < rounds->n; i++)
		if (rounds->run[i]->has_cross && rounds->run[i]->cross.ts_n)
			rounds->v[n++] = (double)rounds->run[i]->cross.ts_p50_ns;
	s->cross.ts_p50_ns = whole(stats_median_ci(rounds->v, n).median);
	n = 0;
	for (size_t i = 0; i < rounds->n; i++)
		if (rounds->run[i]->has_cross && rounds->run[i]->cross.ts_n)
			rounds->v[n++] = (double)rounds->run[i]->cross.ts_p99_ns;
	s->cross.ts_p99_ns = whole(stats_median_ci(rounds->v, n).median);
}

/* Of as many launches, a common histogram says more than medians; of fewer (a run that was resumed), not. */
static void pooled_use(struct result_summary *s, const struct result_pooled *p)
{
	if (!p)
		return;
	if (p->launch.n >= s->launch_latency.n)
		s->launch_latency = p->launch;
	for (unsigned i = 0; i < s->nsources && i < p->nsources; i++)
		if (p->source[i].n >= s->source[i].latency.n)
			s->source[i].latency = p->source[i];
}

static void summarise_times(const struct result *r, struct result_summary *s, struct rounds *rounds)
{
	rates_summarise(r, s, rounds);
	s->launch_latency = summarise_latency(rounds, -1);
	for (unsigned i = 0; i < s->nsources; i++) {
		s->source[i].latency = summarise_latency(rounds, (int)i);
		s->cpu_us_per_launch[i] = summarise_cpu(rounds, i);
	}
	summarise_cross(s, rounds);
	pooled_use(s, result_pooled_find(r, s->scenario, s->monitor));
}

/* Where a summary stands: cells were run in a shuffled order, readers want always the same. */
struct position {
	size_t scenario; /* index of the first summary of the scenario */
	unsigned group, rank; /* ours alone, pairs, others */
	const char *monitor;
	size_t index;
};

static unsigned monitor_rank(const char *monitor)
{
	static const char *const order[] = { "none", "bpf", "netlink", "netlink-names" };
	unsigned n = sizeof(order) / sizeof(*order);

	for (unsigned i = 0; i < n; i++)
		if (strcmp(monitor, order[i]) == 0)
			return i;
	return n;
}

static size_t scenario_first(const struct result *r, size_t summary)
{
	size_t i = 0;

	while (strcmp(r->summary[i].scenario, r->summary[summary].scenario) != 0)
		i++;
	return i;
}

static int position_compare(const void *pa, const void *pb)
{
	const struct position *a = pa, *b = pb;

	if (a->scenario != b->scenario)
		return a->scenario < b->scenario ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->monitor, b->monitor);
}

static int sort_summaries(struct result *r)
{
	struct position *order = calloc(r->nsummaries + 1, sizeof(*order));
	struct result_summary *sorted = calloc(r->nsummaries + 1, sizeof(*sorted));
	int rc = -ENOMEM;

	if (!order || !sorted)
		goto free_order;
	for (size_t i = 0; i < r->nsummaries; i++)
		order[i] = (struct position){
			.scenario = scenario_first(r, i),
			.group = r->summary[i].source[0].external.is ? 3 : r->summary[i].nsources,
			.monitor = r->summary[i].monitor,
			.rank = monitor_rank(r->summary[i].monitor),
			.index = i,
		};
	qsort(order, r->nsummaries, sizeof(*order), position_compare);
	for (size_t i = 0; i < r->nsummaries; i++)
		sorted[i] = r->summary[order[i].index];
	free(r->summary);
	r->summary = sorted;
	sorted = NULL;
	rc = 0;
free_order:
	free(order);
	free(sorted);
	return rc;
}

int result_summarise(struct result *r)
{
	struct rounds *rounds = malloc(sizeof(*rounds));
	size_t *of = calloc(r->nruns + 1, sizeof(*of));
	int rc = -ENOMEM;

	free(r->summary);
	r->nsummaries = 0;
	r->summary = calloc(r->nruns + 1, sizeof(*r->summary));
	if (!rounds || !of || !r->summary)
		goto free_scratch;
	for (size_t i = 0; i < r->nruns; i++) {
		struct result_summary *s;

		of[i] = SIZE_MAX;
		if (r->run[i].skipped[0])
			continue;
		s = summary_of(r, &r->run[i]);
		of[i] = (size_t)(s - r->summary);
		add_run(s, &r->run[i]);
	}
	for (size_t i = 0; i < r->nsummaries; i++) {
		collect_rounds(r, of, i, rounds);
		summarise_times(r, &r->summary[i], rounds);
	}
	rc = sort_summaries(r);
	free(r->laws);
	r->laws = rc ? NULL : laws_find(r, &rc);
free_scratch:
	free(rounds);
	free(of);
	return rc;
}
