// SPDX-License-Identifier: MIT
#include "cmd/bench_selftest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/cmd.h"
#include "report/page.h"
#include "report/text.h"

/*
 * A/A: trials of "nobody watches" against itself, in the very order that monitors are measured in. An interval
 * of 11 pairs holds the true value with 98.8 %, so that 19 of 20 hold 0 in 97.6 % of all tests.
 */
#define AA_GROUPS 5
#define AA_MONITORS 4
#define AA_TRIALS (AA_GROUPS * AA_MONITORS)
#define AA_MUST_HOLD (AA_TRIALS - AA_TRIALS / 20)
#define AA_ROUNDS 11
#define AA_SLICE_NS (50 * NSEC_PER_MSEC)
#define AA_GAP_NS (50 * NSEC_PER_MSEC)

static int aa_plan(struct bench *b, struct err *e)
{
	const struct bench_opts *o = &b->opts;
	const struct load_cfg load = { .method = (enum load_method)o->load.method,
				       .workers = 1,
				       .count = o->load.count,
				       .duration_ns = o->load.duration_ns };
	struct plan *p = &b->plan;
	char name[32];
	int err = plan_add_monitor(p, "none", e);

	for (unsigned i = 0; i < AA_MONITORS; i++)
		snprintf(p->monitor[p->nmonitors++].name, sizeof(p->monitor[0].name), "nobody %c",
			 'A' + (int)i);
	for (unsigned i = 0; !err && i < AA_GROUPS; i++) {
		snprintf(name, sizeof(name), "serial %u", i + 1);
		err = plan_add_custom(p, name, &load, e);
	}
	if (!err && plan_order(p, o->rounds.n, o->seed))
		err = err_set(e, -ENOMEM, "out of memory");
	return err;
}

static bool holds_zero(const struct interval *i)
{
	return i->valid && i->lo <= 0 && i->hi >= 0;
}

static void aa_row(struct table *t, const struct result_summary *s)
{
	struct line interval = { .n = 0 };

	if (!table_row(t))
		return;
	line_add(&interval, "%.2f to %.2f", s->slowdown_pct.lo, s->slowdown_pct.hi);
	table_set(t, 0, s->scenario);
	table_set(t, 1, s->monitor);
	table_set(t, 2, text_slowdown(s).s);
	table_set(t, 3, s->slowdown_pct.valid ? interval.s : FMT_NONE);
	table_set(t, 4, holds_zero(&s->slowdown_pct) ? "yes" : "no");
	table_set(t, 5, fmt_count(s->disturbed.slices).s);
}

/* The table, and how many intervals hold 0. */
static unsigned aa_print(const struct result *r, bool colour)
{
	static const struct table_column columns[] = {
		{ .title = "trial", .left = true },
		{ .title = "", .left = true },
		{ .title = "slowdown", .unit = "%" },
		{ .title = "95" NBSP "% interval", .unit = "%" },
		{ .title = "holds 0" },
		{ .title = "disturbed", .unit = "slices" },
	};
	unsigned hold = 0;
	struct line l = { .n = 0 };
	struct table t;
	struct page p;

	table_init(&t, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < r->nsummaries; i++)
		if (r->summary[i].has_slowdown) {
			aa_row(&t, &r->summary[i]);
			hold += holds_zero(&r->summary[i].slowdown_pct);
		}
	if (page_open(&p, colour)) {
		page_say(&p, STYLE_TITLE, 0,
			 "A/A: nobody watches, against neighbours that nobody watches");
		page_table(&p, &t, 2);
		line_add(&l, "%u of %d intervals hold 0; %d must. %s", hold, AA_TRIALS,
			 AA_MUST_HOLD,
			 hold >= AA_MUST_HOLD ? "The statistics claim nothing where nothing is."
					      : "The statistics claim differences where none is.");
		page_say(&p, hold >= AA_MUST_HOLD ? STYLE_PLAIN : STYLE_LOUD, 0, l.s);
	}
	page_flush(&p, stdout);
	return hold;
}

static int aa_run(struct bench *b, struct err *e)
{
	int err = aa_plan(b, e);

	if (!err)
		err = session_open(b, e);
	if (!err)
		err = session_measure(b, e);
	if (!err && session_summarise(b))
		err = err_set(e, -ENOMEM, "out of memory");
	return err;
}

static int self_test_aa(struct bench *b)
{
	struct err e;

	b->gap_ns = AA_GAP_NS;
	if (!b->opts.rounds_given)
		b->opts.rounds.n = AA_ROUNDS;
	if (!b->opts.duration_given)
		b->opts.load.duration_ns = AA_SLICE_NS;
	if (aa_run(b, &e))
		return complain(EXIT_FAILED, "%s", e.text);
	if (b->result.interrupted)
		return complain(EXIT_INTERRUPTED, "interrupted: nothing is shown");
	return aa_print(&b->result, text_colour(stdout, b->opts.colour)) >= AA_MUST_HOLD
		       ? EXIT_DONE
		       : EXIT_FAILED;
}

/* In the order of the names. */
static int (*const tests[])(struct bench *b) = { self_test_faults, self_test_aa };
const char *const bench_self_tests[] = { "faults", "aa", NULL };

int bench_self_test(struct bench *b)
{
	return tests[b->opts.self_test](b);
}
