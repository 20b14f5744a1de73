// SPDX-License-Identifier: MIT
#include "report/compare_cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/condition.h"
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

/* ---- cells ------------------------------------------------------------------------------------ */

static bool has_cell(const struct cells *cells, const struct result_summary *s)
{
	for (size_t i = 0; i < cells->n; i++)
		if (strcmp(cells->v[i].monitor, s->monitor) == 0 &&
		    strcmp(cells->v[i].scenario, s->scenario) == 0)
			return true;
	return false;
}

int cells_collect(const struct compare *c, struct cells *out)
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

bool cell_begins_scenario(const struct cells *cells, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(cells->v[k].scenario, cells->v[i].scenario) == 0)
			return false;
	return true;
}

struct fmt_name cell_title(const struct compare *c, const struct cell *cell)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct result_summary *s =
			summary_find(c->result[i], cell->scenario, cell->monitor);

		if (s)
			return monitor_title(s);
	}
	return fmt_name(cell->monitor);
}

/* ---- table ------------------------------------------------------------------------------------ */

struct row {
	struct table *t;
	const struct judgement *j;
	size_t report;
	const struct result_summary *s;
	unsigned source;
};

/* Sets a cell, marked if its figure is beyond noise; the others of the column stay aligned. */
static void set_judged(const struct row *row, enum column column, enum judged_figure figure,
		       const char *text)
{
	const struct judged *j = judged_find(row->j, row->report, row->s, row->source, figure);
	struct line l = { .n = 0 };

	line_add(&l, "%s%s", text, j && j->beyond_noise ? "*" : NBSP);
	table_set(row->t, column, l.s);
}

static void set_rate(const struct row *row)
{
	const struct interval *rate = &row->s->rate_per_s;
	struct line range = { .n = 0 };

	set_judged(row, COL_RATE, JUDGED_RATE, fmt_real(rate->median, 3).s);
	if (rate->valid)
		line_add(&range, "%s–%s", fmt_real(rate->lo, 3).s, fmt_real(rate->hi, 3).s);
	else
		line_add(&range, FMT_NONE);
	table_set(row->t, COL_RANGE, range.s);
	if (row->s->nsources)
		set_judged(row, COL_SLOWDOWN, JUDGED_SLOWDOWN, text_slowdown(row->s).s);
}

static void set_source(const struct row *row)
{
	const struct result_source *src = &row->s->source[row->source];
	const struct ledger *l = &src->ledger;

	table_set(row->t, COL_DELIVERED, fmt_percent(l->all.matched, l->all.expected).s);
	set_judged(row, COL_NAMED, JUDGED_UNNAMED,
		   src->names ? fmt_percent(l->identified, source_nameable(src)).s : FMT_NONE);
	set_judged(row, COL_LOST, JUDGED_LOST, fmt_count(l->all.lost).s);
	table_set(row->t, COL_UNEXPLAINED, fmt_count(l->all.unexplained).s);
	table_set(row->t, COL_CPU, fmt_real(row->s->cpu_us_per_launch[row->source], 2).s);
}

/* The rows of one cell: one a report; of two sources, one a report for each. */
static void add_rows(struct table *t, const struct compare *c, const struct judgement *j,
		     const struct cell *cell, unsigned source)
{
	bool first = true;

	for (size_t i = 0; i < c->n; i++) {
		struct row row = { .t = t, .j = j, .report = i, .source = source };
		struct line name = { .n = 0 };

		row.s = summary_find(c->result[i], cell->scenario, cell->monitor);
		if (!row.s || (source && source >= row.s->nsources) || !table_row(t))
			continue;
		if (row.s->nsources > 1)
			line_add(&name, "%s in pair", source_title(row.s->source[source].name).s);
		else
			line_add(&name, "%s", monitor_title(row.s).s);
		if (first)
			table_set(t, COL_MONITOR, name.s);
		first = false;
		table_set(t, COL_REPORT, (const char[]){ (char)('A' + i), '\0' });
		if (!source)
			set_rate(&row);
		if (row.s->nsources)
			set_source(&row);
	}
}

void cells_table(const struct compare *c, const struct judgement *j, const struct cells *cells,
		 const char *scenario, struct table *t)
{
	table_init(t, columns, COLUMNS);
	for (size_t i = 0; i < cells->n; i++)
		for (unsigned source = 0; source < 2; source++)
			if (strcmp(cells->v[i].scenario, scenario) == 0)
				add_rows(t, c, j, &cells->v[i], source);
}

/* ---- sentences -------------------------------------------------------------------------------- */

const char *cells_no_difference(const struct compare *c, const char *scenario)
{
	size_t have = 0;

	for (size_t i = 0; i < c->n; i++) {
		bool has = false;

		for (size_t k = 0; k < c->result[i]->nsummaries; k++)
			has = has || strcmp(c->result[i]->summary[k].scenario, scenario) == 0;
		have += has;
	}
	return have > 1 ? "No difference beyond noise."
			: "Only one report has it: nothing to compare.";
}

void cells_legend(const struct judgement *j, finding_fn fn, void *ctx)
{
	bool few = false;
	struct line l = { .n = 0 };

	for (size_t i = 0; i < j->n; i++)
		few = few || j->v[i].few_rounds;
	if (j->judged) {
		line_add(
			&l,
			"*: beyond noise. Of %s figure%s compared by their rounds (rank tests), "
			"with Holm's correction none is claimed by chance in 49 of 50 comparisons.",
			fmt_count(j->judged).s, plural(j->judged));
		fn(ctx, l.s);
	}
	if (j->rate_disturbed) {
		l = (struct line){ .n = 0 };
		line_add(&l,
			 "Launch rates are judged without the rounds in which something else ran: "
			 "%s of "
			 "%s.",
			 fmt_count(j->rate_disturbed).s, fmt_count(j->rate_rounds).s);
		fn(ctx, l.s);
	}
	if (few)
		fn(ctx, "Figures with too few rounds (fewer than six) are not judged.");
	if (j->powerless)
		fn(ctx, "! With so many figures and so few rounds no difference can be told from "
			"chance: measure more rounds, or fewer scenarios.");
}

struct line cells_report_line(const struct compare *c, size_t i)
{
	const struct result *r = c->result[i];
	struct line l = { .n = 0 };

	line_add(&l, "%c  %s · Linux" NBSP "%s" NBSP "%s · %u" NBSP "CPU%s · %s · %s",
		 (char)('A' + i), fmt_name(c->name[i]).s, fmt_name(r->host.kernel).s,
		 fmt_name(r->host.arch).s, r->host.cpus, plural(r->host.cpus),
		 fmt_name(r->host.virt).s, fmt_date(r->wall_time_s).s);
	if (r->interrupted)
		line_add(&l, " · interrupted");
	return l;
}

struct line cells_condition_line(const struct compare *c, size_t i)
{
	const struct condition_outcome *o = &c->condition[i];
	struct line l = { .n = 0 };

	line_add(&l, "--fail-if '%s' ", fmt_name(o->condition->text).s);
	if (!o->hits) {
		line_add(&l, "does not hold");
		return l;
	}
	line_add(&l, "holds: %.6g in %c, %s, %s", o->value, (char)('A' + o->report),
		 fmt_name(o->summary->scenario).s, monitor_title(o->summary).s);
	if (o->hits > 1)
		line_add(&l, ", and %s more", fmt_count(o->hits - 1).s);
	return l;
}
