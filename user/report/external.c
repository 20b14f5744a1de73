// SPDX-License-Identifier: MIT
/* Someone else's monitors in the texts of a report. */
#include "report/page.h"

#include <math.h>
#include <string.h>

#define WORD_MAX 60

static bool is_known(uint64_t n)
{
	return n != LEDGER_UNKNOWN;
}

/* What it said itself, perhaps: without words that no line has room for. */
static struct fmt_name reason(const char *why)
{
	struct fmt_name out = fmt_name(why);
	size_t word = 0;

	for (size_t i = 0; out.s[i]; i++) {
		const bool begins = ((unsigned char)out.s[i] & 0xc0) != 0x80; /* a character */

		word = out.s[i] == ' ' ? 0 : word + 1;
		if (word > WORD_MAX && begins) {
			snprintf(out.s + i, sizeof(out.s) - i, "…");
			break;
		}
	}
	return out;
}

bool external_note(struct page *p, const struct result_summary *s)
{
	const struct result_external *x = &s->source[0].external;
	struct fmt_name who = source_title(s->source[0].name);
	struct line l = { .n = 0 };

	if (s->nsources != 1 || !x->is)
		return false;
	if (x->bad) {
		line_add(&l, "! %s could not be measured", who.s);
		if (x->bad < s->rounds)
			line_add(&l, " in %u of %u rounds", x->bad, s->rounds);
		line_add(&l, ": %s", reason(x->why).s);
		page_say(p, STYLE_LOUD, 2, l.s);
	}
	l = (struct line){ .n = 0 };
	if (x->bad < s->rounds && !x->by_pid)
		line_add(&l,
			 "%s: its lines hold no pid that could tie them to launches: they are only "
			 "counted",
			 who.s);
	else if (is_known(s->source[0].ledger.misnamed) && s->source[0].ledger.misnamed)
		line_add(&l, "! %s gave %s launches the name of another one", who.s,
			 fmt_count(s->source[0].ledger.misnamed).s);
	if (l.n)
		page_say(p, STYLE_PLAIN, 2, l.s);
	return true;
}

void external_legend(struct page *p, const struct result *r)
{
	bool any = false;

	for (size_t i = 0; i < r->nsummaries; i++)
		any = any || (r->summary[i].nsources && r->summary[i].source[0].external.is);
	if (any)
		page_say(
			p, STYLE_DIM, 0,
			"Other monitors (--with) are known by what they print: delivered and named "
			"are the launches "
			"that had a line, and one with their name. CPU: of all processes of the "
			"monitor, from the "
			"beginning of the load until it had printed what it had to say of it.");
}

/* All scenarios of one monitor together. */
struct sum {
	uint64_t launches, named;
	const struct result_summary *worst;
	unsigned good;
	double cpu_us; /* the most a launch */
	const char *why;
};

static double named_share(const struct result_summary *s)
{
	return (double)s->source[0].ledger.identified / (double)s->source[0].ledger.all.expected;
}

static void sum_add(struct sum *sum, const struct result_summary *s)
{
	const struct result_source *src = &s->source[0];

	if (src->external.bad)
		sum->why = src->external.why;
	if (src->external.bad >= s->rounds || !src->ledger.all.expected ||
	    !is_known(src->ledger.identified) || !is_known(src->ledger.all.expected))
		return;
	sum->good++;
	sum->launches += src->ledger.all.expected;
	sum->named += src->ledger.identified;
	sum->cpu_us = fmax(sum->cpu_us, s->cpu_us_per_launch[0]);
	if (!sum->worst || named_share(s) < named_share(sum->worst))
		sum->worst = s;
}

static void add_good(struct line *l, const struct sum *sum, const struct result_summary *first)
{
	line_add(l, "named %s" NBSP "%% of %s launches in what it printed",
		 fmt_percent(sum->named, sum->launches).s, fmt_count(sum->launches).s);
	if (sum->good > 1 && sum->named < sum->launches)
		line_add(l, " (in %s %s" NBSP "%%)", fmt_name(sum->worst->scenario).s,
			 fmt_percent(sum->worst->source[0].ledger.identified,
				     sum->worst->source[0].ledger.all.expected)
				 .s);
	if (!isnan(first->source[0].reader_user_s))
		line_add(l, ", for %s%s" NBSP "µs of CPU a launch", sum->good > 1 ? "up to " : "",
			 fmt_real(sum->cpu_us, 2).s);
	line_add(l, ".");
}

bool external_judge(struct line *l, const struct result *r, const struct result_summary *first)
{
	struct sum sum = { .good = 0 };

	if (first->nsources != 1 || !first->source[0].external.is)
		return false;
	for (size_t i = 0; i < r->nsummaries; i++)
		if (strcmp(r->summary[i].monitor, first->monitor) == 0 && r->summary[i].nsources)
			sum_add(&sum, &r->summary[i]);
	line_add(l, "%s ", source_title(first->source[0].name).s);
	if (sum.good)
		add_good(l, &sum, first);
	else
		line_add(l, "could not be measured: %s.", sum.why ? reason(sum.why).s : "no data");
	return true;
}
