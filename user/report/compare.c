// SPDX-License-Identifier: MIT
#include "report/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings.h"
#include "report/page.h"
#include "report/result_fields.h"
#include "report/text.h"

enum column {
	COL_MONITOR,
	COL_REPORT,
	COL_RATE,
	COL_RANGE,
	COL_SLOWDOWN,
	COL_DELIVERED,
	COL_NAMED,
	COL_LOST,
	COL_UNEXPLAINED,
	COL_CPU,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	[COL_MONITOR] = { .title = "monitor", .left = true },
	[COL_REPORT] = { .title = "", .left = true },
	[COL_RATE] = { .title = "launches", .unit = "/s" },
	[COL_RANGE] = { .title = "95" NBSP "%" },
	[COL_SLOWDOWN] = { .title = "slowdown", .unit = "%" },
	[COL_DELIVERED] = { .title = "delivered", .unit = "%" },
	[COL_NAMED] = { .title = "named", .unit = "%" },
	[COL_LOST] = { .title = "lost" },
	[COL_UNEXPLAINED] = { .title = "unexpl." },
	[COL_CPU] = { .title = "CPU" NBSP "µs", .unit = "/launch" },
};

/* A cell of the plan: one scenario × monitor, in order of first appearance in any report. */
struct cell {
	const char *scenario, *monitor;
};

struct cells {
	struct cell *v;
	size_t n;
};

static bool has_cell(const struct cells *cells, const struct result_summary *s)
{
	for (size_t i = 0; i < cells->n; i++)
		if (strcmp(cells->v[i].monitor, s->monitor) == 0 &&
		    strcmp(cells->v[i].scenario, s->scenario) == 0)
			return true;
	return false;
}

static int collect_cells(const struct compare *c, struct cells *out)
{
	size_t most = 1;

	for (size_t i = 0; i < c->n; i++)
		most += c->result[i]->nsummaries;
	out->n = 0;
	out->v = calloc(most, sizeof(*out->v));
	if (!out->v)
		return -ENOMEM;
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->result[i]->nsummaries; k++) {
			const struct result_summary *s = &c->result[i]->summary[k];

			if (!has_cell(out, s))
				out->v[out->n++] = (struct cell){ s->scenario, s->monitor };
		}
	return 0;
}

static bool cell_begins_scenario(const struct cells *cells, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(cells->v[k].scenario, cells->v[i].scenario) == 0)
			return false;
	return true;
}

/* Text ----------------------------------------------------------------------------------------- */

static void print_legend(struct page *p, const struct compare *c)
{
	page_say(p, STYLE_TITLE, 0, "proctrace compare");
	for (size_t i = 0; i < c->n; i++) {
		const struct result *r = c->result[i];
		struct line l = { .n = 0 };

		line_add(&l, "%c  %s · Linux" NBSP "%s" NBSP "%s · %u" NBSP "CPU%s · %s · %s",
			 (char)('A' + i), fmt_name(c->name[i]).s, fmt_name(r->host.kernel).s,
			 fmt_name(r->host.arch).s, r->host.cpus, plural(r->host.cpus),
			 fmt_name(r->host.virt).s, fmt_date(r->wall_time_s).s);
		if (r->interrupted)
			line_add(&l, " · interrupted");
		page_say(p, STYLE_PLAIN, 2, l.s);
	}
}

static void say_bullet(void *ctx, const char *sentence)
{
	page_say(ctx, STYLE_PLAIN, 2, sentence);
}

static void print_settings(struct page *p, const struct compare *c)
{
	page_blank(p);
	page_say(p, STYLE_TITLE, 0, "Different machine or settings");
	if (!findings_settings(c, say_bullet, p))
		page_say(p, STYLE_PLAIN, 2, "none");
}

static void set_rate(struct table *t, const struct result_summary *s)
{
	const struct interval *rate = &s->rate_per_s;
	struct line range = { .n = 0 };

	table_set(t, COL_RATE, fmt_real(rate->median, 3).s);
	if (rate->valid)
		line_add(&range, "%s–%s", fmt_real(rate->lo, 3).s, fmt_real(rate->hi, 3).s);
	else
		line_add(&range, FMT_NONE);
	table_set(t, COL_RANGE, range.s);
	if (s->nsources)
		table_set(t, COL_SLOWDOWN, text_slowdown(s).s);
}

static void set_source(struct table *t, const struct result_summary *s, unsigned i)
{
	const struct ledger *l = &s->source[i].ledger;

	table_set(t, COL_DELIVERED, fmt_percent(l->all.matched, l->all.expected).s);
	table_set(t, COL_NAMED,
		  s->source[i].names ? fmt_percent(l->identified, l->kind[EV_EXEC].matched).s
				     : FMT_NONE);
	table_set(t, COL_LOST, fmt_count(l->all.lost).s);
	table_set(t, COL_UNEXPLAINED, fmt_count(l->all.unexplained).s);
	table_set(t, COL_CPU, fmt_real(s->cpu_us_per_launch[i], 2).s);
}

/* The rows of one cell: one a report; of two sources, one a report for each. */
static void add_rows(struct table *t, const struct compare *c, const struct cell *cell,
		     unsigned source, bool *first)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct result_summary *s =
			summary_find(c->result[i], cell->scenario, cell->monitor);
		struct line name = { .n = 0 };

		if (!s || (source && source >= s->nsources) || !table_row(t))
			continue;
		if (s->nsources > 1)
			line_add(&name, "%s in pair", source_title(s->source[source].name).s);
		else
			line_add(&name, "%s", monitor_title(s).s);
		if (*first)
			table_set(t, COL_MONITOR, name.s);
		*first = false;
		table_set(t, COL_REPORT, (const char[]){ (char)('A' + i), '\0' });
		if (!source)
			set_rate(t, s);
		if (s->nsources)
			set_source(t, s, source);
	}
}

struct bullets {
	struct page *page;
	const char *who;
};

static void say_finding(void *ctx, const char *sentence)
{
	const struct bullets *b = ctx;
	struct line l = { .n = 0 };

	line_add(&l, "%s: %s.", b->who, sentence);
	page_say(b->page, STYLE_PLAIN, 2, l.s);
}

/* The title of a monitor, from whichever report has it. */
static struct fmt_name cell_title(const struct compare *c, const struct cell *cell)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct result_summary *s =
			summary_find(c->result[i], cell->scenario, cell->monitor);

		if (s)
			return monitor_title(s);
	}
	return fmt_name(cell->monitor);
}

static size_t print_findings(struct page *p, const struct compare *c, const struct cell *cell)
{
	struct fmt_name who = cell_title(c, cell);
	struct bullets b = { p, who.s };

	return findings_measured(c, cell->scenario, cell->monitor, say_finding, &b);
}

/* Whether some cell of this scenario has too few rounds for an interval. */
static bool lacks_intervals(const struct compare *c, const char *scenario)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->result[i]->nsummaries; k++)
			if (!c->result[i]->summary[k].rate_per_s.valid &&
			    strcmp(c->result[i]->summary[k].scenario, scenario) == 0)
				return true;
	return false;
}

static void print_scenario(struct page *p, const struct compare *c, const struct cells *cells,
			   const char *scenario)
{
	struct table t;
	size_t found = 0;

	page_blank(p);
	page_say(p, STYLE_TITLE, 0, fmt_name(scenario).s);
	table_init(&t, columns, COLUMNS);
	for (size_t i = 0; i < cells->n; i++)
		for (unsigned source = 0; source < 2; source++) {
			bool first = true;

			if (strcmp(cells->v[i].scenario, scenario) == 0)
				add_rows(&t, c, &cells->v[i], source, &first);
		}
	page_table(p, &t, 2);
	for (size_t i = 0; i < cells->n; i++)
		if (strcmp(cells->v[i].scenario, scenario) == 0)
			found += print_findings(p, c, &cells->v[i]);
	if (!found)
		page_say(p, STYLE_PLAIN, 2, "No difference beyond noise.");
	if (lacks_intervals(c, scenario))
		page_say(p, STYLE_DIM, 2,
			 "Speeds with too few rounds for an interval (fewer than six) are not "
			 "judged.");
}

void compare_text(const struct compare *c, FILE *f, bool colour)
{
	struct cells cells;
	struct page p;

	if (page_open(&p, colour) && !collect_cells(c, &cells)) {
		print_legend(&p, c);
		print_settings(&p, c);
		for (size_t i = 0; i < cells.n; i++)
			if (cell_begins_scenario(&cells, i))
				print_scenario(&p, c, &cells, cells.v[i].scenario);
		free(cells.v);
	}
	page_flush(&p, f);
}

/* JSON ----------------------------------------------------------------------------------------- */

struct strings {
	FILE *f;
	const char *indent, *sep;
};

static void write_string(void *ctx, const char *sentence)
{
	struct strings *s = ctx;
	struct line plain = { .n = 0 };
	const char *nbsp;

	for (; (nbsp = strstr(sentence, NBSP)); sentence = nbsp + strlen(NBSP))
		line_add(&plain, "%.*s ", (int)(nbsp - sentence), sentence);
	line_add(&plain, "%s", sentence);
	fprintf(s->f, "%s\n%s", s->sep, s->indent);
	json_write_text(s->f, plain.s);
	s->sep = ",";
}

static void write_reports(const struct compare *c, FILE *f)
{
	fputs("  \"reports\": [", f);
	for (size_t i = 0; i < c->n; i++) {
		fprintf(f, "%s\n    {\"label\": \"%c\", \"file\": ", i ? "," : "", (char)('A' + i));
		json_write_text(f, c->name[i]);
		fputs(", \"version\": ", f);
		json_write_text(f, c->result[i]->version);
		fputs(",\n      \"host\": ", f);
		fields_write(f, host_fields, &c->result[i]->host, 3);
		fputs(",\n      \"config\": ", f);
		fields_write(f, config_fields, &c->result[i]->config, 3);
		fputs("}", f);
	}
	fputs("\n  ],\n", f);
}

static void write_cell(const struct compare *c, const struct cell *cell, FILE *f)
{
	struct strings findings = { f, "        ", "" };

	fputs("\n    {\"scenario\": ", f);
	json_write_text(f, cell->scenario);
	fputs(", \"monitor\": ", f);
	json_write_text(f, cell->monitor);
	fputs(",\n      \"findings\": [", f);
	findings_measured(c, cell->scenario, cell->monitor, write_string, &findings);
	fputs("],\n      \"summaries\": [", f);
	for (size_t i = 0; i < c->n; i++) {
		const struct result_summary *s =
			summary_find(c->result[i], cell->scenario, cell->monitor);

		fputs(i ? ", " : "", f);
		if (s)
			fields_write(f, summary_fields, s, 3);
		else
			fputs("null", f);
	}
	fputs("]}", f);
}

int compare_json(const struct compare *c, FILE *f, struct err *e)
{
	struct strings settings = { f, "    ", "" };
	struct cells cells;

	if (collect_cells(c, &cells))
		return err_set(e, -ENOMEM, "not enough memory to compare these reports");
	fputs("{\n  \"schema\": \"proctrace.compare/1\",\n", f);
	write_reports(c, f);
	fputs("  \"differences\": [", f);
	findings_settings(c, write_string, &settings);
	fputs("],\n  \"cells\": [", f);
	for (size_t i = 0; i < cells.n; i++) {
		fputs(i ? "," : "", f);
		write_cell(c, &cells.v[i], f);
	}
	fputs("\n  ]\n}\n", f);
	free(cells.v);
	return 0;
}
