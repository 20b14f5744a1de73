// SPDX-License-Identifier: MIT
/* What stands under the table of a scenario: short lines, and only such that say something. */
#include "report/page.h"

#include <string.h>

#include "event/event.h"

static const char *const places[LOST_PLACES] = {
	[LOST_RING_FULL] = "ring full",
	[LOST_SOCKET_DROPPED] = "receive buffer full",
	[LOST_NOT_RUN] = "program not run",
	[LOST_ALLOC_FAILED] = "no memory in the kernel",
	[LOST_RECORD_FULL] = "the reader's own memory full",
};

/* A count that is 0, or cannot be known, needs no note. */
static bool is_worth(uint64_t n)
{
	return n && n != LEDGER_UNKNOWN;
}

static void note_lost(struct page *p, const char *who, const struct ledger *l)
{
	struct line line = { .n = 0 };
	const char *sep = ": ", *open = " (";

	if (is_worth(l->all.lost)) {
		line_add(&line, "%s lost %s", who, fmt_count(l->all.lost).s);
		for (unsigned k = 0; k < EV_KINDS; k++)
			if (l->kinds & EV_MASK(k) && is_worth(l->kind[k].lost)) {
				line_add(&line, "%s%s" NBSP "%s", open, event_kind_name(k),
					 fmt_count(l->kind[k].lost).s);
				open = ", ";
			}
		line_add(&line, "%s", open[0] == ',' ? ")" : "");
	} else {
		line_add(&line, "%s lost none of them, and counted drops among all processes", who);
	}
	for (unsigned i = 0; i < LOST_PLACES; i++)
		if (is_worth(l->lost_at[i])) {
			line_add(&line, "%s%s" NBSP "%s", sep, places[i],
				 fmt_count(l->lost_at[i]).s);
			sep = ", ";
		}
	if (is_worth(l->all.lost) && is_worth(l->all.unexplained))
		line_add(&line, "%sunexplained" NBSP "%s", sep, fmt_count(l->all.unexplained).s);
	if (is_worth(l->all.lost) || sep[0] == ',')
		page_say(p, STYLE_PLAIN, 2, line.s);
}

/* Everything that is 0 in a good run. */
static const struct {
	size_t offset;
	enum style style;
	const char *format; /* who, how many */
} flaws[] = {
	{ offsetof(struct result_source, ledger.all.duplicate), STYLE_LOUD,
	  "! %s delivered %s events more than once" },
	{ offsetof(struct result_source, ledger.all.over_reported), STYLE_LOUD,
	  "! %s over-reported: its counters say that %s more were dropped than were lost" },
	{ offsetof(struct result_source, ledger.misnamed), STYLE_LOUD,
	  "! %s misnamed %s launches: another program's name" },
	{ offsetof(struct result_source, malformed), STYLE_LOUD,
	  "! %s got %s records that could not be read" },
	{ offsetof(struct result_source, ledger.all.uncertain), STYLE_PLAIN,
	  "%s: uncertain" NBSP "%s: foreign events that may be among the reported drops" },
};

static void note_flaws(struct page *p, const char *who, const struct result_source *src)
{
	const struct ledger_line *all = &src->ledger.all;
	struct line l = { .n = 0 };

	if (is_worth(all->wrong)) {
		line_add(&l,
			 "! %s: %s events were wrong (status" NBSP "%s, order" NBSP "%s, time" NBSP
			 "%s)",
			 who, fmt_count(all->wrong).s, fmt_count(all->wrong_status).s,
			 fmt_count(all->wrong_order).s, fmt_count(all->wrong_time).s);
		page_say(p, STYLE_LOUD, 2, l.s);
	}
	for (size_t i = 0; i < sizeof(flaws) / sizeof(*flaws); i++) {
		uint64_t n = *(const uint64_t *)((const char *)src + flaws[i].offset);

		if (!is_worth(n))
			continue;
		l = (struct line){ .n = 0 };
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		line_add(&l, flaws[i].format, who, fmt_count(n).s);
#pragma GCC diagnostic pop
		page_say(p, flaws[i].style, 2, l.s);
	}
}

static void note_checks(struct page *p, const char *who, const struct result_source *src)
{
	const struct ledger *l = &src->ledger;
	struct line line = { .n = 0 };

	if (src->checks_ok && l->identities_hold)
		return;
	line_add(&line, "! CHECK FAILED, %s: %s", who,
		 l->books_why[0]      ? fmt_name(l->books_why).s
		 : l->identities_hold ? "its figures contradict one another"
				      : "expected = matched + lost = … does not hold");
	page_say(p, STYLE_LOUD, 2, line.s);
}

static void note_cross(struct page *p, const struct result_summary *s)
{
	const struct cross *c = &s->cross;
	uint64_t both = 0, only_a = 0, only_b = 0, neither = 0;
	struct line l = { .n = 0 };

	for (unsigned k = 0; k < EV_KINDS; k++) {
		both += c->kind[k].both;
		only_a += c->kind[k].only_a;
		only_b += c->kind[k].only_b;
		neither += c->kind[k].neither;
	}
	line_add(&l,
		 "cross-check, event by event: both" NBSP "%s, only %s" NBSP "%s, only %s" NBSP
		 "%s, neither" NBSP "%s",
		 fmt_count(both).s, source_title(s->source[0].name).s, fmt_count(only_a).s,
		 source_title(s->source[1].name).s, fmt_count(only_b).s, fmt_count(neither).s);
	if (c->ts_n)
		line_add(&l, "; time stamps apart p50" NBSP "%s, max" NBSP "%s",
			 fmt_time((double)c->ts_p50_ns).s, fmt_time((double)c->ts_max_ns).s);
	page_say(p, STYLE_PLAIN, 2, l.s);
}

/* Both sources of a cell see the same foreign events: the larger figure, not the sum. */
static uint64_t foreign_of(const struct result_summary *s)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < s->nsources; i++) {
		const struct ledger *l = &s->source[i].ledger;
		uint64_t n =
			l->foreign_generated == LEDGER_UNKNOWN ? l->foreign : l->foreign_generated;

		if (n != LEDGER_UNKNOWN && n > most)
			most = n;
	}
	return most;
}

static void note_foreign(struct page *p, uint64_t foreign)
{
	struct line l = { .n = 0 };

	line_add(&l, "foreign events during the cells: %s (other processes on this machine)",
		 fmt_count(foreign).s);
	page_say(p, STYLE_DIM, 2, l.s);
}

static const struct {
	const char *what;
	size_t offset;
} disturbers[] = {
	{ "steal", offsetof(struct result_disturbed, steal) },
	{ "foreign processes", offsetof(struct result_disturbed, processes) },
	{ "foreign load", offsetof(struct result_disturbed, load) },
	{ "throttled", offsetof(struct result_disturbed, throttled) },
	{ "idle time before it too long", offsetof(struct result_disturbed, gap) },
};

/* "3 of 48 slices were disturbed: steal 2, foreign processes 1"; they count all the same. */
static void note_disturbed(struct page *p, const struct result *r,
			   const struct result_summary *first)
{
	uint32_t sum[sizeof(disturbers) / sizeof(*disturbers)] = { 0 }, slices = 0, of = 0;
	const struct result_summary *s;
	struct line l = { .n = 0 };
	const char *sep = ": ";

	for (size_t i = 0; (s = scenario_next(r, first, &i));) {
		of += s->rounds;
		slices += s->disturbed.slices;
		for (size_t k = 0; k < sizeof(sum) / sizeof(*sum); k++)
			sum[k] += *(const uint32_t *)((const char *)&s->disturbed +
						      disturbers[k].offset);
	}
	if (!slices)
		return;
	line_add(&l, "%s of %s slices disturbed", fmt_count(slices).s, fmt_count(of).s);
	for (size_t k = 0; k < sizeof(sum) / sizeof(*sum); k++)
		if (sum[k]) {
			line_add(&l, "%s%s" NBSP "%s", sep, disturbers[k].what,
				 fmt_count(sum[k]).s);
			sep = ", ";
		}
	line_add(&l, " (all of them count)");
	page_say(p, slices * 4 > of ? STYLE_LOUD : STYLE_PLAIN, 2, l.s);
}

/* Troubles of the load generator itself. */
static void note_load(struct page *p, const struct result *r, const struct result_summary *first)
{
	uint64_t failed = 0, full = 0, cut = 0;
	struct line l = { .n = 0 };

	for (size_t i = 0; i < r->nruns; i++)
		if (strcmp(r->run[i].scenario, first->scenario) == 0) {
			failed += r->run[i].failed;
			full += r->run[i].truth_full;
			cut += r->run[i].interrupted;
		}
	if (failed)
		line_add(&l, "! %s launches failed to start", fmt_count(failed).s);
	if (full)
		line_add(&l, "%s%s run%s ended early: the memory for the truth was full",
			 l.n ? "; " : "! ", fmt_count(full).s, plural(full));
	if (cut)
		line_add(&l, "%s%s run%s cut short", l.n ? "; " : "! ", fmt_count(cut).s,
			 cut == 1 ? " was" : "s were");
	if (l.n)
		page_say(p, STYLE_LOUD, 2, l.s);
}

void notes_print(struct page *p, const struct result *r, const struct result_summary *first)
{
	const struct result_summary *s;
	uint64_t foreign = 0;
	bool watched = false;

	for (size_t i = 0; (s = scenario_next(r, first, &i));) {
		const bool theirs = external_note(p, s);

		for (unsigned k = 0; !theirs && k < s->nsources; k++) {
			struct fmt_name who = source_label(s, k);

			note_checks(p, who.s, &s->source[k]);
			note_lost(p, who.s, &s->source[k].ledger);
			note_flaws(p, who.s, &s->source[k]);
		}
		if (s->has_cross && s->nsources == 2)
			note_cross(p, s);
		watched = watched || s->nsources;
		foreign += foreign_of(s);
	}
	if (watched)
		note_foreign(p, foreign);
	note_disturbed(p, r, first);
	note_load(p, r, first);
}
