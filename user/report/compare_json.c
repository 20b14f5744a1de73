// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_cells.h"
#include "report/condition.h"
#include "report/result_fields.h"

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

/* The tests of one cell. */
static void write_tests(const struct judgement *j, const struct cell *cell, FILE *f)
{
	const char *sep = "";

	for (size_t i = 0; i < j->n; i++) {
		const struct judged *t = &j->v[i];

		if (strcmp(t->b->scenario, cell->scenario) != 0 ||
		    strcmp(t->b->monitor, cell->monitor) != 0)
			continue;
		fprintf(f, "%s\n        {\"figure\": \"%s\", \"report\": \"%c\", \"source\": ", sep,
			judged_names[t->figure], (char)('A' + t->report));
		if (t->figure < JUDGED_LOST)
			fputs("null", f);
		else
			json_write_text(f, t->b->source[t->source].name);
		fputs(", \"p\": ", f);
		if (t->few_rounds)
			fputs("null", f);
		else
			json_write_real(f, t->p);
		fprintf(f, ", \"beyond_noise\": %s}", t->beyond_noise ? "true" : "false");
		sep = ",";
	}
}

static void write_cell(const struct compare *c, const struct judgement *j, const struct cell *cell,
		       FILE *f)
{
	struct strings findings = { f, "        ", "" };

	fputs("\n    {\"scenario\": ", f);
	json_write_text(f, cell->scenario);
	fputs(", \"monitor\": ", f);
	json_write_text(f, cell->monitor);
	fputs(",\n      \"findings\": [", f);
	findings_measured(c, j, cell->scenario, cell->monitor, write_string, &findings);
	fputs("],\n      \"tests\": [", f);
	write_tests(j, cell, f);
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

static void write_conditions(const struct compare *c, FILE *f)
{
	fputs("\n  ],\n  \"conditions\": [", f);
	for (size_t i = 0; i < c->nconditions; i++) {
		const struct condition_outcome *o = &c->condition[i];

		fprintf(f, "%s\n    {\"expression\": ", i ? "," : "");
		json_write_text(f, o->condition->text);
		fprintf(f, ", \"holds\": %s, \"cells\": %zu", o->hits ? "true" : "false", o->hits);
		if (o->hits) {
			fputs(", \"value\": ", f);
			json_write_real(f, o->value);
			fprintf(f, ", \"report\": \"%c\", \"scenario\": ", (char)('A' + o->report));
			json_write_text(f, o->summary->scenario);
			fputs(", \"monitor\": ", f);
			json_write_text(f, o->summary->monitor);
		}
		fputs("}", f);
	}
}

int compare_json(const struct compare *c, FILE *f, struct err *e)
{
	struct strings settings = { f, "    ", "" };
	struct judgement j = { .n = 0 };
	struct cells cells = { NULL, 0 };

	if (judge(c, &j) || cells_collect(c, &cells)) {
		judgement_free(&j);
		return err_set(e, -ENOMEM, "not enough memory to compare these reports");
	}
	fputs("{\n  \"schema\": \"proctrace.compare/1\",\n", f);
	write_reports(c, f);
	fputs("  \"differences\": [", f);
	findings_settings(c, write_string, &settings);
	fprintf(f, "],\n  \"figures_judged\": %zu,\n  \"cells\": [", j.judged);
	for (size_t i = 0; i < cells.n; i++) {
		fputs(i ? "," : "", f);
		write_cell(c, &j, &cells.v[i], f);
	}
	write_conditions(c, f);
	fputs("\n  ]\n}\n", f);
	free(cells.v);
	judgement_free(&j);
	return 0;
}
