// SPDX-License-Identifier: MIT
#include "report/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_cells.h"
#include "report/condition.h"

static void say_bullet(void *ctx, const char *sentence)
{
	page_say(ctx, STYLE_PLAIN, 2, sentence);
}

static void say_dim(void *ctx, const char *sentence)
{
	page_say(ctx, sentence[0] == '!' ? STYLE_LOUD : STYLE_DIM, 2, sentence);
}

static void print_settings(struct page *p, const struct compare *c)
{
	page_blank(p);
	page_say(p, STYLE_TITLE, 0, "Different machine or settings");
	if (!findings_settings(c, say_bullet, p))
		page_say(p, STYLE_PLAIN, 2, "none");
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

static size_t print_findings(struct page *p, const struct compare *c, const struct judgement *j,
			     const struct cell *cell)
{
	struct fmt_name who = cell_title(c, cell);
	struct bullets b = { p, who.s };

	return findings_measured(c, j, cell->scenario, cell->monitor, say_finding, &b);
}

static void print_scenario(struct page *p, const struct compare *c, const struct judgement *j,
			   const struct cells *cells, const char *scenario)
{
	struct table t;
	size_t found = 0;

	page_blank(p);
	page_say(p, STYLE_TITLE, 0, fmt_name(scenario).s);
	cells_table(c, j, cells, scenario, &t);
	page_table(p, &t, 2);
	for (size_t i = 0; i < cells->n; i++)
		if (strcmp(cells->v[i].scenario, scenario) == 0)
			found += print_findings(p, c, j, &cells->v[i]);
	if (!found && c->n > 1)
		page_say(p, STYLE_PLAIN, 2, cells_no_difference(c, scenario));
}

static void print_conditions(struct page *p, const struct compare *c)
{
	if (c->nconditions)
		page_blank(p);
	for (size_t i = 0; i < c->nconditions; i++) {
		struct line l = { .n = 0 };

		line_add(&l, "%s%s", c->condition[i].hits ? "! " : "",
			 cells_condition_line(c, i).s);
		page_say(p, c->condition[i].hits ? STYLE_LOUD : STYLE_PLAIN, 0, l.s);
	}
}

int compare_text(const struct compare *c, FILE *f, bool colour)
{
	struct judgement j = { .n = 0 };
	struct cells cells = { NULL, 0 };
	struct page p;
	int err = page_open(&p, colour) ? judge(c, &j) : -ENOMEM;

	if (!err)
		err = cells_collect(c, &cells);
	if (!err) {
		page_say(&p, STYLE_TITLE, 0, "proctrace compare");
		for (size_t i = 0; i < c->n; i++)
			page_say(&p, STYLE_PLAIN, 2, cells_report_line(c, i).s);
		if (c->n > 1)
			print_settings(&p, c);
		for (size_t i = 0; i < cells.n; i++)
			if (cell_begins_scenario(&cells, i))
				print_scenario(&p, c, &j, &cells, cells.v[i].scenario);
		if (c->n > 1) {
			page_blank(&p);
			cells_legend(&j, say_dim, &p);
		}
		print_conditions(&p, c);
	}
	free(cells.v);
	judgement_free(&j);
	page_flush(&p, f);
	return err;
}
