// SPDX-License-Identifier: MIT
/* Identification against lifetime. */
#include "report/study.h"

#include <string.h>

enum column {
	COL_LIFETIME,
	COL_MONITOR,
	COL_LAUNCHES,
	COL_NAMED,
	COL_LO,
	COL_HI,
	COL_BAR,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	[COL_LIFETIME] = { .title = "lives for" },
	[COL_MONITOR] = { .title = "monitor", .left = true },
	[COL_LAUNCHES] = { .title = "launches" },
	[COL_NAMED] = { .title = "named", .unit = "%" },
	[COL_LO] = { .title = "between", .unit = "from" },
	[COL_HI] = { .title = "", .unit = "to" },
	[COL_BAR] = { .title = "", .unit = "of all", .left = true },
};

#define BAR_WIDTH 20

static void row_add(struct table *t, const struct law_life *l)
{
	if (!table_row(t))
		return;
	table_set(t, COL_LIFETIME, fmt_time((double)l->lifetime_ns).s);
	table_set(t, COL_MONITOR, source_title(l->source).s);
	table_set(t, COL_LAUNCHES, fmt_count(l->launches).s);
	table_set(t, COL_NAMED, fmt_percent(l->named, l->launches).s);
	table_set(t, COL_LO, fmt_real(l->lo * 100, 3).s);
	table_set(t, COL_HI, fmt_real(l->hi * 100, 3).s);
	table_set(t, COL_BAR, study_bar(l->share, BAR_WIDTH).s);
}

static void print_half(struct page *p, const struct law_half *h)
{
	struct line line = { .n = 0 };

	line_add(&line, "%s names ", source_title(h->source).s);
	switch (h->state) {
	case HALF_FOUND:
		line_add(&line, "half of the programs if they live for %s (between %s and %s).",
			 fmt_time(h->ns).s, fmt_time(h->lo_ns).s, fmt_time(h->hi_ns).s);
		break;
	case HALF_ALWAYS_MORE:
		line_add(&line, "more than half of the programs however short they live.");
		break;
	case HALF_ALWAYS_LESS:
		line_add(&line, "less than half of the programs even if they live longest here.");
		break;
	}
	page_say(p, STYLE_PLAIN, 2, line.s);
}

void study_life_print(struct page *p, const struct result *r)
{
	const struct laws *l = r->laws;
	struct table t;

	if (!l || !l->nlives)
		return;
	page_blank(p);
	page_say(p, STYLE_TITLE, 0,
		 "Lifetime · how long must a process live so that its name can be told?");
	table_init(&t, columns, COLUMNS);
	for (size_t i = 0; i < l->nlives; i++)
		row_add(&t, &l->life[i]);
	page_table(p, &t, 2);
	page_say(p, STYLE_DIM, 2,
		 "Between: the 95 % interval of the share, and the shares of single rounds. Half: "
		 "where the "
		 "nearest curve that never falls crosses it.");
	for (size_t i = 0; i < l->nhalves; i++)
		print_half(p, &l->half[i]);
}
