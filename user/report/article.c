// SPDX-License-Identifier: MIT
#include "report/article.h"

#include <math.h>
#include <string.h>

enum column {
	COL_SCENARIO,
	COL_ARTICLE,
	COL_HERE,
	COL_TIMES,
	COL_SLOW_A,
	COL_SLOW_B,
	COL_GENERATOR,
	COL_CPU_A,
	COL_CPU_B,
	COL_NAMED_A,
	COL_NAMED_B,
	COL_LOST,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	[COL_SCENARIO] = { .title = "experiment", .left = true },
	[COL_ARTICLE] = { .title = "article", .unit = "/s" },
	[COL_HERE] = { .title = "here", .unit = "/s" },
	[COL_TIMES] = { .title = "times" },
	/* Heads of two columns each read "slowed by, %", "CPU of, %" and "named by, %". */
	[COL_SLOW_A] = { .title = "slowed" NBSP "%", .unit = "eBPF" },
	[COL_SLOW_B] = { .title = "by", .unit = "netlink" },
	[COL_GENERATOR] = { .title = "CPU" NBSP "%", .unit = "load" },
	[COL_CPU_A] = { .title = "of", .unit = "eBPF" },
	[COL_CPU_B] = { .title = "", .unit = "netl." },
	[COL_NAMED_A] = { .title = "named", .unit = "eBPF" },
	[COL_NAMED_B] = { .title = "%" NBSP "by", .unit = "netl." },
	[COL_LOST] = { .title = "lost" },
};

static const char *const monitors[] = { "bpf", "netlink-names" };

static const struct {
	const char *scenario;
	double rate;
} published[] = {
	{ "serial", ARTICLE_SERIAL_RATE },	   { "pause", ARTICLE_PAUSE_RATE },
	{ "workers-3", ARTICLE_WORKERS_MIN_RATE }, { "workers-10", ARTICLE_WORKERS_MAX_RATE },
	{ "burst", ARTICLE_BURST_RATE },
};

static double published_rate(const char *scenario)
{
	for (size_t i = 0; i < sizeof(published) / sizeof(*published); i++)
		if (strcmp(scenario, published[i].scenario) == 0)
			return published[i].rate;
	return 0;
}

static const struct explain_figure *figure_find(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->nfigures; i++)
		if (strcmp(r->figure[i].name, name) == 0)
			return &r->figure[i];
	return NULL;
}

double article_figure(const struct result *r, const char *name)
{
	const struct explain_figure *f = figure_find(r, name);

	return f ? f->value.median : 0;
}

double article_of(const struct result *r, const char *name)
{
	const struct explain_figure *f = figure_find(r, name);

	return f ? f->n : 0;
}

int article_compare(const struct result *r, const char *a, const char *b)
{
	const struct explain_figure *x = figure_find(r, a), *y = figure_find(r, b);

	if (!x || !y || !x->value.valid || !y->value.valid)
		return 0;
	return (x->value.lo > y->value.hi) - (x->value.hi < y->value.lo);
}

double article_detectable(const struct result *r, const char *a, const char *b)
{
	const struct explain_figure *x = figure_find(r, a), *y = figure_find(r, b);

	return x && y ? (x->value.hi - x->value.lo + y->value.hi - y->value.lo) / 2 : 0;
}

struct article_cpu article_cpu(const struct result *r, const char *scenario, const char *monitor)
{
	struct article_cpu c = { 0 };
	double seconds = 0;

	for (size_t i = 0; i < r->nruns; i++) {
		const struct result_run *run = &r->run[i];

		if (run->kernel_timed || strcmp(run->scenario, scenario) != 0 ||
		    strcmp(run->monitor, monitor) != 0)
			continue;
		seconds += run->duration_s;
		c.generator += run->cpu_s;
		c.launched += run->child_cpu_s;
		if (run->nsources)
			c.reader += run->source[0].reader_user_s + run->source[0].reader_sys_s;
	}
	if (seconds > 0) {
		c.generator *= 100 / seconds;
		c.launched *= 100 / seconds;
		c.reader *= 100 / seconds;
	}
	return c;
}

/* What a hand-made report may hold must not widen the table. */
static struct fmt figure(double v, int digits)
{
	struct fmt unknown = { FMT_UNKNOWN };

	return fabs(v) < 1e7 ? fmt_real(v, digits) : unknown;
}

static void set_monitor(struct table *t, const struct result *r, const struct result_summary *s,
			unsigned i, uint64_t *lost)
{
	const struct ledger *l = &s->source[0].ledger;

	if (s->has_slowdown && fabs(s->slowdown_pct.median) < 1e4 && s->detectable_pct < 1e4)
		table_set(t, COL_SLOW_A + i, text_slowdown(s).s);
	table_set(t, COL_CPU_A + i, figure(article_cpu(r, s->scenario, s->monitor).reader, 2).s);
	if (s->source[0].names)
		table_set(t, COL_NAMED_A + i,
			  fmt_percent(l->identified, l->kind[EV_EXEC].matched).s);
	if (l->all.lost != LEDGER_UNKNOWN)
		*lost += l->all.lost;
}

static void add_row(struct table *t, const struct result *r, const struct result_summary *first)
{
	const struct result_summary *none = summary_find(r, first->scenario, "none");
	const double article = published_rate(first->scenario);
	uint64_t lost = 0;

	if (!table_row(t))
		return;
	table_set(t, COL_SCENARIO, fmt_name(first->scenario).s);
	table_set(t, COL_ARTICLE, article > 0 ? fmt_real(article, 3).s : "");
	if (none) {
		const struct article_cpu c = article_cpu(r, first->scenario, "none");

		table_set(t, COL_HERE, figure(none->rate_per_s.median, 3).s);
		if (article > 0)
			table_set(t, COL_TIMES, figure(none->rate_per_s.median / article, 2).s);
		table_set(t, COL_GENERATOR, figure(c.generator, 3).s);
	}
	for (unsigned i = 0; i < 2; i++) {
		const struct result_summary *s = summary_find(r, first->scenario, monitors[i]);

		if (s && s->nsources == 1)
			set_monitor(t, r, s, i, &lost);
	}
	table_set(t, COL_LOST, lost < 10000000 ? fmt_count(lost).s : FMT_UNKNOWN);
}

static void disturbed_print(struct page *p, const struct result *r)
{
	uint32_t slices = 0, of = 0;
	struct line l = { .n = 0 };

	for (size_t i = 0; i < r->nsummaries; i++)
		if (strcmp(r->summary[i].study, ARTICLE_STUDY) == 0) {
			slices += r->summary[i].disturbed.slices;
			of += r->summary[i].rounds;
		}
	if (!slices)
		return;
	line_add(&l, "%s of %s slices disturbed by others on this machine (all of them count)",
		 fmt_count(slices).s, fmt_count(of).s);
	page_say(p, slices * 4 > of ? STYLE_LOUD : STYLE_PLAIN, 2, l.s);
}

/* Whether every cell's books balance; told only if not. */
static void checks_print(struct page *p, const struct result *r)
{
	for (size_t i = 0; i < r->nsummaries; i++) {
		const struct result_summary *s = &r->summary[i];

		if (strcmp(s->study, ARTICLE_STUDY) != 0)
			continue;
		for (unsigned k = 0; k < s->nsources; k++)
			if (!s->source[k].checks_ok || s->source[k].ledger.all.unexplained) {
				struct line l = { .n = 0 };

				line_add(&l, "! %s, %s: its books do not balance",
					 fmt_name(s->scenario).s, source_label(s, k).s);
				page_say(p, STYLE_LOUD, 2, l.s);
			}
	}
}

void study_article_print(struct page *p, const struct result *r)
{
	struct table t;

	table_init(&t, columns, COLUMNS);
	for (size_t i = 0; i < r->nsummaries; i++)
		if (strcmp(r->summary[i].study, ARTICLE_STUDY) == 0 && scenario_begins(r, i))
			add_row(&t, r, &r->summary[i]);
	if (!t.rows) {
		table_free(&t);
		return;
	}
	page_blank(p);
	page_say(p, STYLE_TITLE, 0, "The article's experiments, its figures beside ours");
	page_table(p, &t, 2);
	disturbed_print(p, r);
	checks_print(p, r);
	page_say(p, STYLE_DIM, 2,
		 "netlink: reads the name of each process from /proc and looks for \"testApp\", as "
		 "the article's monitor does. CPU: load, the launchers alone, without what they "
		 "launch; monitors, their readers. Slowed: median of paired slices ± half of the "
		 "95" NBSP "% interval.");
	article_why_print(p, r);
}
