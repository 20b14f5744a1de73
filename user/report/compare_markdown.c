// SPDX-License-Identifier: MIT
/* A comparison for a pull request. Texts from reports are hostile there too: nothing of them is markup. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_cells.h"
#include "report/condition.h"

/* @text with U+00A0 as it is, which Markdown shows as a blank, and without anything that Markdown or HTML could act on. */
static void write_text(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", f);
		else if (*text == '&')
			fputs("&amp;", f);
		else if (*text == '@') /* no mention of anybody */
			fputs("&#64;", f);
		else if (strchr("\\`*_{}[]()#+!|>~:", *text))
			fprintf(f, "\\%c", *text);
		else
			fputc(*text, f);
	}
}

static void write_bullet(void *ctx, const char *sentence)
{
	FILE *f = ctx;

	fputs("- ", f);
	write_text(f, sentence);
	fputc('\n', f);
}

static void write_row(FILE *f, const struct table *t, size_t row)
{
	fputc('|', f);
	for (size_t c = 0; c < t->columns; c++) {
		const char *s = t->cell[row * t->columns + c];

		fputc(' ', f);
		write_text(f, s ? s : "");
		fputs(" |", f);
	}
	fputc('\n', f);
}

static void write_table(FILE *f, struct table *t)
{
	fputc('|', f);
	for (size_t c = 0; c < t->columns; c++) {
		fputc(' ', f);
		write_text(f, t->column[c].title);
		fputc(' ', f);
		write_text(f, t->column[c].unit ? t->column[c].unit : "");
		fputs(" |", f);
	}
	fputs("\n|", f);
	for (size_t c = 0; c < t->columns; c++)
		fputs(t->column[c].left ? " :-- |" : " --: |", f);
	fputc('\n', f);
	for (size_t r = 0; r < t->rows; r++)
		write_row(f, t, r);
	table_free(t);
}

struct bullets {
	FILE *f;
	const char *who;
};

static void write_finding(void *ctx, const char *sentence)
{
	const struct bullets *b = ctx;
	struct line l = { .n = 0 };

	line_add(&l, "%s: %s.", b->who, sentence);
	write_bullet(b->f, l.s);
}

static void write_scenario(FILE *f, const struct compare *c, const struct judgement *j,
			   const struct cells *cells, const char *scenario)
{
	struct table t;
	size_t found = 0;

	fputs("\n#### ", f);
	write_text(f, fmt_name(scenario).s);
	fputs("\n\n", f);
	cells_table(c, j, cells, scenario, &t);
	write_table(f, &t);
	fputc('\n', f);
	for (size_t i = 0; i < cells->n; i++) {
		struct fmt_name who = cell_title(c, &cells->v[i]);
		struct bullets b = { f, who.s };

		if (strcmp(cells->v[i].scenario, scenario) == 0)
			found += findings_measured(c, j, scenario, cells->v[i].monitor,
						   write_finding, &b);
	}
	if (!found && c->n > 1)
		fprintf(f, "\n%s\n", cells_no_difference(c, scenario));
}

static void write_conditions(FILE *f, const struct compare *c)
{
	if (c->nconditions)
		fputs("\n#### Conditions\n\n", f);
	for (size_t i = 0; i < c->nconditions; i++) {
		fputs(c->condition[i].hits ? "- **failed** " : "- passed ", f);
		write_text(f, cells_condition_line(c, i).s);
		fputc('\n', f);
	}
}

int compare_markdown(const struct compare *c, FILE *f)
{
	struct judgement j = { .n = 0 };
	struct cells cells = { NULL, 0 };
	int err = judge(c, &j);

	if (!err)
		err = cells_collect(c, &cells);
	if (!err) {
		fputs("### proctrace compare\n\n", f);
		for (size_t i = 0; i < c->n; i++)
			write_bullet(f, cells_report_line(c, i).s);
		if (c->n > 1) {
			fputs("\nDifferent machine or settings:\n\n", f);
			if (!findings_settings(c, write_bullet, f))
				fputs("- none\n", f);
		}
		for (size_t i = 0; i < cells.n; i++)
			if (cell_begins_scenario(&cells, i))
				write_scenario(f, c, &j, &cells, cells.v[i].scenario);
		fputc('\n', f);
		if (c->n > 1)
			cells_legend(&j, write_bullet, f);
		write_conditions(f, c);
	}
	free(cells.v);
	judgement_free(&j);
	return err;
}
