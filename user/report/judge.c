// SPDX-License-Identifier: MIT
#include "report/judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ranktest.h"
#include "report/page.h"
#include "report/rates.h"

const char *const judged_names[JUDGED_FIGURES] = {
	[JUDGED_RATE] = "rate",
	[JUDGED_SLOWDOWN] = "slowdown",
	[JUDGED_LOST] = "lost",
	[JUDGED_UNNAMED] = "unnamed",
};

/* ---- values ----------------------------------------------------------------------------------- */

static double share(uint64_t part, uint64_t whole)
{
	if (part == LEDGER_UNKNOWN || whole == LEDGER_UNKNOWN || !whole)
		return NAN;
	return (double)part / (double)whole;
}

static bool is_disturbed(const struct result_run *run)
{
	const struct result_disturbance *d = &run->disturbance;

	return d->steal || d->processes || d->load || d->throttled;
}

/* NAN: this run says nothing about it. */
static double value_of(const struct result *r, const struct result_run *run, unsigned source,
		       enum judged_figure figure)
{
	const struct ledger *l = &run->source[source].ledger;
	const uint64_t exec = source_nameable(&run->source[source]);

	if (figure <= JUDGED_SLOWDOWN && (run->interrupted || run->kernel_timed))
		return NAN;
	switch (figure) {
	case JUDGED_RATE:
		return is_disturbed(run) ? NAN : run->rate_per_s;
	case JUDGED_SLOWDOWN:
		return (1 - run->rate_per_s / rates_unwatched(r, run)) * 100;
	case JUDGED_LOST:
		return share(l->all.lost, l->all.expected);
	default:
		return run->source[source].names && l->identified <= exec
			       ? share(exec - l->identified, exec)
			       : NAN;
	}
}

static size_t values_of(const struct result *r, const struct result_summary *s, unsigned source,
			enum judged_figure figure, double *v)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nruns && n < STATS_MAX_N; i++) {
		const struct result_run *run = &r->run[i];

		if (strcmp(run->scenario, s->scenario) != 0 ||
		    strcmp(run->monitor, s->monitor) != 0 ||
		    (figure >= JUDGED_LOST && source >= run->nsources))
			continue;
		v[n] = value_of(r, run, source, figure);
		n += isfinite(v[n]);
	}
	return n;
}

/* ---- tests ------------------------------------------------------------------------------------ */

struct rounds_room { /* room for the rounds of two reports */
	double a[STATS_MAX_N], b[STATS_MAX_N];
	double least; /* p that the rounds at hand can give */
};

static bool all_equal(const double *a, size_t na, const double *b, size_t nb)
{
	for (size_t i = 0; i < na; i++)
		if (a[i] != a[0])
			return false;
	for (size_t i = 0; i < nb; i++)
		if (b[i] != a[0])
			return false;
	return true;
}

static bool rates_are_near(const struct rounds_room *room, size_t na, size_t nb)
{
	const double a = stats_median_ci(room->a, na).median,
		     b = stats_median_ci(room->b, nb).median;

	return fabs(a - b) < JUDGE_RATE_DRIFT * fmax(a, b);
}

/* Room was made beforehand. */
static void figure_judge(const struct compare *c, size_t reference, struct judged one,
			 struct rounds_room *room, struct judgement *out)
{
	size_t na = values_of(c->result[reference], one.a, one.source, one.figure, room->a);
	size_t nb = values_of(c->result[one.report], one.b, one.source, one.figure, room->b);
	double least;

	if (one.figure == JUDGED_RATE) {
		out->rate_rounds += one.a->rounds + one.b->rounds;
		out->rate_disturbed += one.a->rounds + one.b->rounds - na - nb;
	}
	one.p = 1;
	one.few_rounds = na < JUDGE_LEAST_ROUNDS || nb < JUDGE_LEAST_ROUNDS;
	/* What is the same in every round could not differ: it takes nothing from the others. */
	if (!one.few_rounds && !all_equal(room->a, na, room->b, nb)) {
		one.p = ranktest(room->a, na, room->b, nb);
		one.drift = one.figure == JUDGED_RATE && rates_are_near(room, na, nb);
		out->judged++;
		least = ranktest_least(na, nb);
		if (least > room->least)
			room->least = least;
	}
	out->v[out->n++] = one;
}

static void cell_judge(const struct compare *c, const struct result_summary *s, size_t reference,
		       struct rounds_room *room, struct judgement *out)
{
	for (size_t i = reference + 1; i < c->n; i++) {
		struct judged one = { .a = s, .report = i };

		one.b = summary_find(c->result[i], s->scenario, s->monitor);
		if (!one.b)
			continue;
		figure_judge(c, reference, one, room, out);
		one.figure = JUDGED_SLOWDOWN;
		if (one.a->has_slowdown && one.b->has_slowdown)
			figure_judge(c, reference, one, room, out);
		for (unsigned k = 0; k < one.a->nsources && k < one.b->nsources; k++) {
			one.source = k;
			one.figure = JUDGED_LOST;
			figure_judge(c, reference, one, room, out);
			one.figure = JUDGED_UNNAMED;
			if (one.a->source[k].names && one.b->source[k].names)
				figure_judge(c, reference, one, room, out);
		}
	}
}

static bool is_reference(const struct compare *c, size_t report, const struct result_summary *s)
{
	for (size_t i = 0; i < report; i++)
		if (summary_find(c->result[i], s->scenario, s->monitor))
			return false;
	return true;
}

static int by_p(const void *pa, const void *pb)
{
	double a = (*(struct judged *const *)pa)->p, b = (*(struct judged *const *)pb)->p;

	return (a > b) - (a < b);
}

/* Holm: the clearest against error ÷ all, the next against error ÷ (all - 1), …, until one fails. */
static int holm(struct judgement *j, double least)
{
	struct judged **order = calloc(j->n + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < j->n; i++)
		order[i] = &j->v[i];
	qsort(order, j->n, sizeof(*order), by_p);
	for (size_t i = 0; i < j->judged; i++) {
		if (!(order[i]->p <= JUDGE_ERROR / (double)(j->judged - i)))
			break;
		order[i]->beyond_noise = !order[i]->drift;
	}
	j->powerless = j->judged && least > JUDGE_ERROR / (double)j->judged;
	free(order);
	return 0;
}

int judge(const struct compare *c, struct judgement *out)
{
	struct rounds_room *room = calloc(1, sizeof(*room));
	size_t most = 0;
	int err = -ENOMEM;

	*out = (struct judgement){ .n = 0 };
	for (size_t i = 0; i < c->n; i++)
		most += c->result[i]->nsummaries;
	/* Each summary is compared once at most, and has a rate, a slowdown, and two figures of two sources. */
	out->v = calloc(6 * most + 1, sizeof(*out->v));
	if (!room || !out->v)
		goto free_room;
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->result[i]->nsummaries; k++)
			if (is_reference(c, i, &c->result[i]->summary[k]))
				cell_judge(c, &c->result[i]->summary[k], i, room, out);
	err = holm(out, room->least);
free_room:
	if (err)
		judgement_free(out);
	free(room);
	return err;
}

void judgement_free(struct judgement *j)
{
	free(j->v);
	j->v = NULL;
	j->n = 0;
}

const struct judged *judged_find(const struct judgement *j, size_t report,
				 const struct result_summary *b, unsigned source,
				 enum judged_figure figure)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->v[i].report == report && j->v[i].b == b && j->v[i].source == source &&
		    j->v[i].figure == figure)
			return &j->v[i];
	return NULL;
}
