// SPDX-License-Identifier: MIT
#include "bench/faults.h"

#include <errno.h>
#include <stdlib.h>

#define FORK EV_MASK(EV_FORK)
#define EXEC EV_MASK(EV_EXEC)
#define EXIT EV_MASK(EV_EXIT)

const char *const finding_names[FINDINGS] = {
	[FIND_LOST] = "all.lost",
	[FIND_LOST_FORK] = "fork.lost",
	[FIND_LOST_EXEC] = "exec.lost",
	[FIND_LOST_EXIT] = "exit.lost",
	[FIND_REPORTED] = "all.reported_lost",
	[FIND_UNEXPLAINED] = "all.unexplained",
	[FIND_OVER] = "all.over_reported",
	[FIND_UNCERTAIN] = "all.uncertain",
	[FIND_DUPLICATE] = "all.duplicate",
	[FIND_WRONG] = "all.wrong",
	[FIND_STATUS] = "all.wrong_status",
	[FIND_ORDER] = "all.wrong_order",
	[FIND_TIME] = "all.wrong_time",
	[FIND_MISNAMED] = "misnamed",
	[FIND_UNNAMED] = "identified",
	[FIND_FOREIGN] = "foreign",
	[FIND_LATE] = "latency_ns",
	[FIND_RECORD_FULL] = "lost_at.record_full",
	[FIND_HIT] = "losses.hit",
	[FIND_EXEC_ONLY] = "losses.exec_only",
	[FIND_EXIT_ONLY] = "losses.exit_only",
	[FIND_RUNS] = "losses.runs",
	[FIND_LONGEST] = "losses.longest",
	[FIND_FIRST] = "losses.first_ns",
	[FIND_LAST] = "losses.last_ns",
	[FIND_CROSS] = "cross.only_b",
	[FIND_CROSS_A] = "cross.only_a",
	[FIND_NEITHER] = "cross.neither",
	[FIND_BOOKS] = "books_balance",
};

/* Numbers without a common factor, so that no two faults hit the same places. */
const struct fault_case fault_cases[] = {
	{ .name = "nothing", .fault = { .action = ACT_PASS }, .shows = FIND_LOST },
	{ .name = "drop every 7th exec",
	  .fault = { .action = ACT_DROP, .kinds = EXEC, .every = 7 },
	  .shows = FIND_LOST_EXEC },
	{ .name = "drop every 11th exit",
	  .fault = { .action = ACT_DROP, .kinds = EXIT, .every = 11 },
	  .shows = FIND_LOST_EXIT },
	{ .name = "drop every 13th fork",
	  .fault = { .action = ACT_DROP, .kinds = FORK, .every = 13 },
	  .shows = FIND_LOST_FORK,
	  .socket_only = true },
	{ .name = "drop one single exec",
	  .fault = { .action = ACT_DROP, .kinds = EXEC, .every = 1, .from = 997, .to = 997 },
	  .shows = FIND_UNEXPLAINED },
	{ .name = "drop, another one watches",
	  .fault = { .action = ACT_DROP, .kinds = EXEC | EXIT, .every = 17 },
	  .shows = FIND_CROSS },
	{ .name = "lose a run of 1000",
	  .fault = { .action = ACT_DROP, .kinds = EXEC, .every = 1, .from = 501, .to = 1500 },
	  .shows = FIND_LONGEST },
	{ .name = "miss the last 50",
	  .fault = { .action = ACT_DROP, .kinds = EXEC | EXIT, .last = 50 },
	  .shows = FIND_LOST },
	{ .name = "duplicate every 5th exec",
	  .fault = { .action = ACT_TWICE, .kinds = EXEC, .every = 5 },
	  .shows = FIND_DUPLICATE,
	  .ring = BOOKS_BROKEN,
	  .socket = BOOKS_BROKEN },
	{ .name = "duplicate every 5th exit",
	  .fault = { .action = ACT_TWICE, .kinds = EXIT, .every = 5 },
	  .shows = FIND_DUPLICATE,
	  .ring = BOOKS_BROKEN,
	  .socket = BOOKS_BROKEN },
	{ .name = "swap every 19th exec's pid",
	  .fault = { .action = ACT_PID, .kinds = EXEC, .every = 19 },
	  .shows = FIND_LOST_EXEC },
	{ .name = "swap every 19th exit's pid",
	  .fault = { .action = ACT_PID, .kinds = EXIT, .every = 19 },
	  .shows = FIND_LOST_EXIT },
	{ .name = "falsify every 23rd status",
	  .fault = { .action = ACT_STATUS, .kinds = EXIT, .every = 23 },
	  .shows = FIND_STATUS },
	{ .name = "wrong name, every 29th",
	  .fault = { .action = ACT_RENAME, .kinds = EXEC, .every = 29 },
	  .shows = FIND_MISNAMED,
	  .names_only = true },
	{ .name = "no name, every 31st",
	  .fault = { .action = ACT_UNNAME, .kinds = EXEC, .every = 31 },
	  .shows = FIND_UNNAMED,
	  .names_only = true },
	{ .name = "delay every 37th by 20 s",
	  .fault = { .action = ACT_DELAY, .kinds = EXEC | EXIT, .every = 37 },
	  .shows = FIND_LATE },
	{ .name = "stamp every 41st too late",
	  .fault = { .action = ACT_FUTURE, .kinds = EXEC | EXIT, .every = 41 },
	  .shows = FIND_TIME },
	{ .name = "exit before exec, each 43rd",
	  .fault = { .action = ACT_ORDER, .kinds = EXIT, .every = 43 },
	  .shows = FIND_ORDER },
	{ .name = "reorder every 47th",
	  .fault = { .action = ACT_HOLD, .kinds = EXEC | EXIT, .every = 47 },
	  .shows = FIND_LOST },
	{ .name = "drop, and own up to it",
	  .fault = { .action = ACT_DROP, .kinds = EXEC, .every = 7, .counter = COUNT_OWN_UP },
	  .shows = FIND_REPORTED },
	{ .name = "drop others', own up to it",
	  .fault = { .action = ACT_DROP,
		     .kinds = EXEC | EXIT,
		     .every = 1,
		     .others = true,
		     .counter = COUNT_OWN_UP },
	  .shows = FIND_UNCERTAIN,
	  .socket_only = true,
	  .replay_only = true },
	{ .name = "drop, under-report by 10",
	  .fault = { .action = ACT_DROP,
		     .kinds = EXEC,
		     .every = 7,
		     .counter = COUNT_UNDER,
		     .amount = 10 },
	  .shows = FIND_UNEXPLAINED,
	  .injects_amount = true,
	  .ring = BOOKS_BROKEN,
	  .socket = BOOKS_BROKEN },
	{ .name = "over-report by 10",
	  .fault = { .kinds = 0, .counter = COUNT_OVER, .amount = 10 },
	  .shows = FIND_OVER,
	  .injects_amount = true,
	  .ring = BOOKS_BROKEN,
	  .socket = BOOKS_BROKEN },
	{ .name = "1000 never generated",
	  .fault = { .action = ACT_DROP,
		     .kinds = EXEC,
		     .every = 1,
		     .from = 501,
		     .to = 1500,
		     .counter = COUNT_SILENT },
	  .shows = FIND_UNEXPLAINED,
	  .socket = BOOKS_SHORT },
	{ .name = "generated: 10 too many",
	  .fault = { .counter = COUNT_GENERATED, .amount = 10 },
	  .shows = FIND_BOOKS,
	  .ring = BOOKS_BROKEN,
	  .socket = BOOKS_BROKEN },
	{ .name = "delivered: 1000 too few",
	  .fault = { .counter = COUNT_DELIVERED, .amount = 1000 },
	  .shows = FIND_BOOKS,
	  .ring = BOOKS_BROKEN,
	  .socket = BOOKS_BROKEN },
	{ .name = "1 sequence number missing",
	  .fault = { .counter = COUNT_SEQUENCE, .amount = 1 },
	  .shows = FIND_BOOKS,
	  .socket_only = true,
	  .socket = BOOKS_BROKEN },
	{ .name = "10 more of ours than lost",
	  .fault = { .counter = COUNT_OURS, .amount = 10 },
	  .shows = FIND_OVER,
	  .injects_amount = true,
	  .ring_only = true,
	  .ring = BOOKS_BROKEN },
	{ .name = "60 launches never were",
	  .fault = { .ghosts = 60 },
	  .shows = FIND_LONGEST,
	  .socket = BOOKS_SHORT },
	{ .name = "reader's memory full",
	  .fault = { .action = ACT_PASS, .kinds = EXEC | EXIT | FORK, .last = 100 },
	  .shows = FIND_RECORD_FULL,
	  .replay_only = true },
	{ .name = NULL },
};

static void observe_ledger(const struct observed *o, uint64_t *v)
{
	const struct ledger *l = o->ledger;
	const struct ledger_line *all = &l->all;

	v[FIND_LOST] = all->lost;
	v[FIND_LOST_FORK] = l->kind[EV_FORK].lost;
	v[FIND_LOST_EXEC] = l->kind[EV_EXEC].lost;
	v[FIND_LOST_EXIT] = l->kind[EV_EXIT].lost;
	v[FIND_REPORTED] = all->reported;
	v[FIND_UNEXPLAINED] = all->unexplained;
	/* Of what is reported too much, some may be foreign, for all that it knows. */
	v[FIND_OVER] = all->over_reported + (o->live && !all->lost ? all->uncertain : 0);
	v[FIND_UNCERTAIN] = all->uncertain;
	v[FIND_DUPLICATE] = all->duplicate;
	v[FIND_WRONG] = all->wrong;
	v[FIND_STATUS] = all->wrong_status;
	v[FIND_ORDER] = all->wrong_order;
	v[FIND_TIME] = all->wrong_time;
	v[FIND_MISNAMED] = l->misnamed;
	if (o->names)
		v[FIND_UNNAMED] = l->kind[EV_EXEC].matched - l->identified - l->misnamed;
	v[FIND_FOREIGN] = l->foreign;
	v[FIND_RECORD_FULL] = l->lost_at[LOST_RECORD_FULL];
	v[FIND_BOOKS] = !(l->identities_hold && l->books_checked && l->books_balance);
}

static uint64_t cross_sum(const struct cross *c, size_t offset)
{
	uint64_t sum = 0;

	for (int k = EV_EXEC; c && k <= EV_EXIT; k++)
		sum += *(const uint64_t *)((const char *)&c->kind[k] + offset);
	return sum;
}

struct findings findings_observed(const struct observed *o)
{
	const struct losses *x = o->losses;
	struct findings f = { .v = { [FIND_LATE] = hist_above(o->latency, FAULT_DELAY_NS / 2),
				     [FIND_HIT] = x->hit,
				     [FIND_EXEC_ONLY] = x->exec_only,
				     [FIND_EXIT_ONLY] = x->exit_only,
				     [FIND_RUNS] = x->runs,
				     [FIND_LONGEST] = x->longest,
				     [FIND_FIRST] = x->first_ns + 1,
				     [FIND_LAST] = x->last_ns + 1 } };

	observe_ledger(o, f.v);
	f.v[FIND_CROSS] = cross_sum(o->cross, offsetof(struct cross, kind[0].only_b));
	f.v[FIND_NEITHER] = cross_sum(o->cross, offsetof(struct cross, kind[0].neither));
	f.v[FIND_CROSS_A] = cross_sum(o->swapped, offsetof(struct cross, kind[0].only_a));
	return f;
}

/* Whether events that are hit do not arrive. (Where nothing is done to them, memory is too small.) */
static bool fault_loses(const struct fault *f)
{
	return f->action == ACT_PASS || f->action == ACT_DROP || f->action == ACT_PID;
}

static uint64_t hits_ours(const struct injector *in)
{
	return in->ours[EV_FORK] + in->ours[EV_EXEC] + in->ours[EV_EXIT];
}

static uint64_t hits(const struct injector *in)
{
	uint64_t n = 0;

	for (size_t i = 0; i < in->n; i++)
		n += in->log[i].hit;
	return n;
}

uint64_t fault_injected(const struct fault_case *c, const struct injector *in)
{
	if (c->fault.ghosts)
		return c->fault.ghosts;
	if (c->injects_amount || c->shows == FIND_BOOKS)
		return c->fault.amount;
	/* How late an event is read is asked of all, whoever's they are. */
	return c->shows == FIND_LATE || c->fault.others ? hits(in) : hits_ours(in);
}

/* Kinds that each launch lost, in segment order; NULL: no memory. */
static unsigned *launches_lost(const struct injector *in, const struct truth *truth, unsigned kinds)
{
	unsigned *lost = calloc(truth_count(truth) + 1, sizeof(*lost));
	size_t at = 0;

	for (size_t i = 0; lost && i < in->n; i++)
		if (in->log[i].hit && in->log[i].launch)
			lost[in->log[i].launch - 1] |= EV_MASK(in->log[i].kind);
	for (unsigned s = 0; lost && s < truth->nsegments; s++)
		for (size_t i = 0; i < truth->segment[s].n; i++, at++)
			if (truth->segment[s].launch == in->ghost)
				lost[at] = kinds;
	return lost;
}

/* One worker, so segments are in the order of time. */
static int expect_launches(const struct injector *in, const struct truth *truth,
			   const struct observed *o, uint64_t *v)
{
	unsigned *lost = launches_lost(in, truth, o->ledger->kinds);
	uint64_t run = 0;
	size_t at = 0;

	if (!lost)
		return -ENOMEM;
	for (unsigned s = 0; s < truth->nsegments; s++)
		for (size_t i = 0; i < truth->segment[s].n; i++, at++) {
			const struct truth_launch *l = &truth->segment[s].launch[i];

			if (l->worker == TRUTH_HARNESS)
				continue;
			run = lost[at] ? run + 1 : 0;
			if (!run)
				continue;
			v[FIND_HIT]++;
			v[FIND_EXEC_ONLY] += lost[at] == EXEC;
			v[FIND_EXIT_ONLY] += lost[at] == EXIT;
			v[FIND_RUNS] += run == 1;
			v[FIND_LONGEST] = run > v[FIND_LONGEST] ? run : v[FIND_LONGEST];
			v[FIND_LAST] = l->start_ns - o->began_ns + 1;
			if (!v[FIND_FIRST])
				v[FIND_FIRST] = v[FIND_LAST];
		}
	free(lost);
	return 0;
}

static void expect_losses(const struct fault_case *c, const struct injector *in, unsigned kinds,
			  struct findings *f)
{
	static const enum finding of[EV_KINDS] = {
		[EV_FORK] = FIND_LOST_FORK, [EV_EXEC] = FIND_LOST_EXEC, [EV_EXIT] = FIND_LOST_EXIT
	};
	const bool loses = fault_loses(&c->fault);
	uint64_t lost = 0;

	for (int k = 0; k < EV_KINDS; k++) {
		if (!(kinds & EV_MASK(k)))
			continue;
		f->v[of[k]] = (loses ? in->ours[k] : 0) + c->fault.ghosts;
		lost += f->v[of[k]];
	}
	f->v[FIND_LOST] = lost;
	if (loses)
		f->v[FIND_CROSS] = f->v[FIND_CROSS_A] = in->ours[EV_EXEC] + in->ours[EV_EXIT];
	f->v[FIND_NEITHER] = 2 * c->fault.ghosts;
	if (c->shows == FIND_RECORD_FULL)
		f->v[FIND_RECORD_FULL] = f->v[FIND_REPORTED] = lost;
	if (c->fault.counter == COUNT_OWN_UP)
		f->v[FIND_REPORTED] = lost;
	if (c->fault.counter == COUNT_UNDER)
		f->v[FIND_REPORTED] = lost - c->fault.amount;
	f->v[FIND_UNEXPLAINED] = lost - f->v[FIND_REPORTED];
}

/* Events that arrived and are nobody's: others' own, and those that were given to others. */
static uint64_t expect_foreign(const struct fault *f, const struct injector *in)
{
	uint64_t foreign = f->action == ACT_PID ? hits_ours(in) : 0;

	for (size_t i = 0; i < in->n; i++) {
		const struct injected *e = &in->log[i];

		if (e->launch || (e->hit && f->action == ACT_DROP))
			continue;
		foreign += e->hit && f->action == ACT_TWICE ? 2 : 1;
	}
	return foreign;
}

static uint64_t expect_books(const struct fault_case *c, const struct injector *in, unsigned kinds)
{
	const enum books_expected books = kinds & FORK ? c->socket : c->ring;
	const uint64_t missing = hits_ours(in) + EV_KINDS * c->fault.ghosts;

	/* Others have messages of more types than those that arrive here. */
	if (books == BOOKS_SHORT && 4 * expect_foreign(&c->fault, in) > missing)
		return FIND_ANY;
	return books != BOOKS_BALANCE;
}

/* Events dropped that may be anybody's: a socket knows how many there were of others, a reader's memory does not. */
static uint64_t expect_uncertain(const struct fault_case *c, const struct injector *in,
				 unsigned kinds)
{
	if (c->shows == FIND_RECORD_FULL && !(kinds & FORK))
		return hits_ours(in);
	return c->fault.others && kinds & FORK ? hits(in) : 0;
}

int findings_expected(const struct fault_case *c, const struct injector *in,
		      const struct truth *truth, const struct observed *o, struct findings *out)
{
	/* The others are among the losses, below. */
	static const enum finding by_action[] = {
		[ACT_TWICE] = FIND_DUPLICATE, [ACT_STATUS] = FIND_STATUS,
		[ACT_RENAME] = FIND_MISNAMED, [ACT_UNNAME] = FIND_UNNAMED,
		[ACT_FUTURE] = FIND_TIME,     [ACT_ORDER] = FIND_ORDER,
	};
	const struct fault *f = &c->fault;

	*out = (struct findings){ 0 };
	if (f->action < sizeof(by_action) / sizeof(*by_action))
		out->v[by_action[f->action]] = hits_ours(in);
	expect_losses(c, in, o->ledger->kinds, out);
	out->v[FIND_FOREIGN] = expect_foreign(f, in);
	if (f->action == ACT_DELAY)
		out->v[FIND_LATE] = hits(in);
	out->v[FIND_WRONG] = out->v[FIND_STATUS] + out->v[FIND_ORDER] + out->v[FIND_TIME];
	out->v[FIND_UNCERTAIN] = o->live ? FIND_ANY : expect_uncertain(c, in, o->ledger->kinds);
	if (f->counter == COUNT_OVER || f->counter == COUNT_OURS)
		out->v[FIND_OVER] = f->amount;
	if (!o->swapped)
		out->v[FIND_CROSS_A] = 0;
	if (!o->cross)
		out->v[FIND_CROSS] = out->v[FIND_NEITHER] = 0;
	out->v[FIND_BOOKS] = expect_books(c, in, o->ledger->kinds);
	return fault_loses(f) || f->ghosts ? expect_launches(in, truth, o, out->v) : 0;
}
