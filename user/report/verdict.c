// SPDX-License-Identifier: MIT
/* The verdict: what a reader in a hurry needs, a paragraph a monitor, about ten lines in all. */
#include "report/page.h"

#include <math.h>
#include <string.h>

#define PARAGRAPHS_MAX 8

/* One source of one monitor over all scenarios. */
struct record {
	const struct result_summary *first;
	unsigned source;
	uint64_t expected, lost, unexplained, uncertain, launches, named, nameable, flaws;
	bool known, checks_ok;
	double top_rate; /* launches/s */
	const struct result_summary *worst_lost, *worst_named;
	size_t scenarios;
};

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static const struct ledger *ledger_of(const struct result_summary *s, unsigned source)
{
	return &s->source[source].ledger;
}

static double lost_share(const struct result_summary *s, unsigned source)
{
	const struct ledger_line *all = &ledger_of(s, source)->all;

	return share(all->lost, all->expected);
}

static double named_share(const struct result_summary *s, unsigned source)
{
	const struct ledger *l = ledger_of(s, source);

	return share(l->identified, l->kind[EV_EXEC].matched);
}

static bool is_known(const struct ledger *l)
{
	return l->all.expected != LEDGER_UNKNOWN && l->all.lost != LEDGER_UNKNOWN &&
	       l->all.unexplained != LEDGER_UNKNOWN && l->all.uncertain != LEDGER_UNKNOWN &&
	       l->identified != LEDGER_UNKNOWN && l->kind[EV_EXEC].matched != LEDGER_UNKNOWN &&
	       l->kind[EV_EXEC].expected != LEDGER_UNKNOWN && l->misnamed != LEDGER_UNKNOWN;
}

static void record_add(struct record *rec, const struct result_summary *s)
{
	const struct ledger *l = ledger_of(s, rec->source);
	unsigned i = rec->source;

	if (!is_known(l)) {
		rec->known = false;
		return;
	}
	rec->scenarios++;
	rec->expected += l->all.expected;
	rec->lost += l->all.lost;
	rec->unexplained += l->all.unexplained;
	rec->uncertain += l->all.uncertain;
	rec->launches += l->kind[EV_EXEC].expected;
	rec->named += l->identified;
	rec->nameable += l->kind[EV_EXEC].matched;
	rec->flaws += l->misnamed + l->all.duplicate + l->all.wrong + l->all.over_reported;
	rec->checks_ok = rec->checks_ok && s->source[i].checks_ok && l->identities_hold;
	rec->top_rate = fmax(rec->top_rate, s->rate_per_s.median);
	if (!rec->worst_lost || lost_share(s, i) > lost_share(rec->worst_lost, i))
		rec->worst_lost = s;
	if (!rec->worst_named || named_share(s, i) < named_share(rec->worst_named, i))
		rec->worst_named = s;
}

static struct record record_make(const struct result *r, const struct result_summary *first,
				 unsigned source)
{
	struct record rec = { .first = first, .source = source, .known = true, .checks_ok = true };

	for (size_t i = 0; i < r->nsummaries; i++)
		if (strcmp(r->summary[i].monitor, first->monitor) == 0 &&
		    r->summary[i].nsources > source)
			record_add(&rec, &r->summary[i]);
	return rec;
}

static bool can_name(const struct record *rec)
{
	return rec->first->source[rec->source].names;
}

/* "0 of 113 320 launches lost; less than 0.003 % at 95 %" */
static void add_zero(struct line *l, const struct record *rec)
{
	line_add(l, "(0 of %s launches lost; less than %s" NBSP "%% at" NBSP "95" NBSP "%%)",
		 fmt_count(rec->launches).s, fmt_bound(stats_zero_of_n(rec->launches) * 100).s);
}

static void add_named(struct line *l, const struct record *rec)
{
	line_add(l, "could name only %s" NBSP "%% of the programs",
		 fmt_percent(rec->named, rec->nameable).s);
	if (rec->scenarios > 1)
		line_add(
			l, " (in %s %s" NBSP "%%)", fmt_name(rec->worst_named->scenario).s,
			fmt_percent(ledger_of(rec->worst_named, rec->source)->identified,
				    ledger_of(rec->worst_named, rec->source)->kind[EV_EXEC].matched)
				.s);
	line_add(l, ": the others were gone when it looked");
}

static void add_no_loss(struct line *l, const struct record *rec)
{
	if (can_name(rec) && rec->named == rec->nameable) {
		line_add(l, "delivered and named every launch, at up to %s launches/s ",
			 fmt_real(rec->top_rate, 3).s);
		add_zero(l, rec);
	} else if (can_name(rec)) {
		line_add(l, "delivered every event but ");
		add_named(l, rec);
	} else {
		line_add(l, "delivered every event, at up to %s launches/s ",
			 fmt_real(rec->top_rate, 3).s);
		add_zero(l, rec);
		line_add(l, "; it carries ids, no names");
	}
	line_add(l, ".");
}

static void add_loss(struct line *l, const struct record *rec)
{
	line_add(l, "lost %s" NBSP "%% of its events (%s of %s",
		 fmt_percent(rec->lost, rec->expected).s, fmt_count(rec->lost).s,
		 fmt_count(rec->expected).s);
	if (rec->scenarios > 1)
		line_add(l, "; most in %s: %s" NBSP "%%", fmt_name(rec->worst_lost->scenario).s,
			 fmt_percent(ledger_of(rec->worst_lost, rec->source)->all.lost,
				     ledger_of(rec->worst_lost, rec->source)->all.expected)
				 .s);
	if (rec->unexplained)
		line_add(l, "), of which %s without knowing (unexplained)",
			 fmt_count(rec->unexplained).s);
	else
		line_add(l, "), all of it reported by its own counters");
	if (rec->uncertain)
		line_add(l, "; up to %s of what they report may be other processes' events",
			 fmt_count(rec->uncertain).s);
	line_add(l, ".");
	if (can_name(rec) && rec->named != rec->nameable) {
		line_add(l, " Of the rest, it ");
		add_named(l, rec);
		line_add(l, ".");
	}
}

static void add_slowdown(struct line *l, const struct result *r, const char *monitor)
{
	const struct result_summary *worst = NULL;
	double detectable = 0;

	for (size_t i = 0; i < r->nsummaries; i++) {
		const struct result_summary *s = &r->summary[i];

		if (strcmp(s->monitor, monitor) != 0 || !s->slowdown_pct.valid)
			continue;
		detectable = fmax(detectable, s->detectable_pct);
		if (!worst || s->slowdown_pct.lo > worst->slowdown_pct.lo)
			worst = s;
	}
	if (!worst)
		return;
	if (worst->slowdown_pct.lo > 0)
		line_add(l,
			 " It slowed the launcher by %s" NBSP "%% in %s (%s to %s" NBSP "%% at" NBSP
			 "95" NBSP "%%).",
			 fmt_real(worst->slowdown_pct.median, 2).s, fmt_name(worst->scenario).s,
			 fmt_real(worst->slowdown_pct.lo, 2).s,
			 fmt_real(worst->slowdown_pct.hi, 2).s);
	else
		line_add(l, " No slowdown seen; this run could have seen %s" NBSP "%% or more.",
			 fmt_real(detectable, 2).s);
}

/* Someone else's monitor. */
static bool judge_external(struct page *p, const struct result *r,
			   const struct result_summary *first)
{
	struct line l = { .n = 0 };

	if (!external_judge(&l, r, first))
		return false;
	add_slowdown(&l, r, first->monitor);
	page_say(p, STYLE_PLAIN, 0, l.s);
	return true;
}

static void judge_source(struct page *p, const struct result *r, const struct record *rec)
{
	struct line l = { .n = 0 };
	bool bad = !rec->checks_ok || rec->flaws;

	line_add(&l, "%s ", source_label(rec->first, rec->source).s);
	if (!rec->known || !rec->expected)
		line_add(&l, "cannot be judged: its ledger is not known in full.");
	else if (rec->lost)
		add_loss(&l, rec);
	else
		add_no_loss(&l, rec);
	if (bad)
		line_add(&l, " But not all is well: see the lines marked with ! above.");
	if (rec->first->nsources == 1)
		add_slowdown(&l, r, rec->first->monitor);
	page_say(p, bad ? STYLE_LOUD : STYLE_PLAIN, 0, l.s);
}

/* Two sources side by side: did they tell the same? */
static void judge_together(struct page *p, const struct result *r,
			   const struct result_summary *first)
{
	uint64_t both = 0, apart = 0;
	struct line l = { .n = 0 };

	for (size_t i = 0; i < r->nsummaries; i++) {
		const struct result_summary *s = &r->summary[i];

		if (strcmp(s->monitor, first->monitor) != 0)
			continue;
		for (unsigned k = 0; k < EV_KINDS; k++) {
			both += s->cross.kind[k].both;
			apart += s->cross.kind[k].only_a + s->cross.kind[k].only_b;
		}
	}
	line_add(&l, "%s together, checked event by event: ", monitor_title(first).s);
	if (apart)
		line_add(&l, "both saw %s events, only one of them %s.", fmt_count(both).s,
			 fmt_count(apart).s);
	else
		line_add(&l, "they agree on all %s events.", fmt_count(both).s);
	page_say(p, STYLE_PLAIN, 0, l.s);
}

/* Sources that watched together were judged alone already: only what went wrong is said again. */
static void judge_monitor(struct page *p, const struct result *r,
			  const struct result_summary *first)
{
	for (unsigned i = 0; i < first->nsources; i++) {
		struct record rec = record_make(r, first, i);

		if (first->nsources == 1 || rec.lost || rec.flaws || !rec.checks_ok)
			judge_source(p, r, &rec);
	}
	if (first->nsources == 2 && first->has_cross)
		judge_together(p, r, first);
}

static bool monitor_begins(const struct result *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(r->summary[k].monitor, r->summary[i].monitor) == 0)
			return false;
	return true;
}

void verdict_print(struct page *p, const struct result *r)
{
	unsigned said = 0;

	for (size_t i = 0; i < r->nsummaries && said < PARAGRAPHS_MAX; i++) {
		if (!r->summary[i].nsources || !monitor_begins(r, i))
			continue;
		if (!said++)
			page_blank(p);
		if (!judge_external(p, r, &r->summary[i]))
			judge_monitor(p, r, &r->summary[i]);
	}
}
