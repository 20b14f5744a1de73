// SPDX-License-Identifier: MIT
/* bench --self-test=faults: injects each fault everywhere it can be, and prints what was found of it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/selftest_live.h"
#include "cmd/bench_selftest.h"
#include "report/page.h"
#include "report/text.h"

#define MAX_COLUMNS 4

struct faults {
	struct selftest_column column[MAX_COLUMNS];
	unsigned columns;
	struct err absent[MAX_COLUMNS]; /* why a source could not be tested */
	unsigned nabsent;
};

static const struct {
	const char *name;
	enum synthetic_style style;
} replays[] = { { "as eBPF", SYNTHETIC_RING }, { "as netlink", SYNTHETIC_SOCKET } };

/* Those tested live, each beside the other where a fault needs two. */
static const char *const live[] = { "bpf", "netlink" };

/* ---- run -------------------------------------------------------------------------------------- */

static int replays_run(struct faults *f, struct err *e)
{
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(replays) / sizeof(*replays); i++) {
		struct selftest_column *col = &f->column[f->columns];

		if (selftest_column_init(col, replays[i].name))
			return err_set(e, -ENOMEM, "out of memory");
		f->columns++;
		err = selftest_replay(col, replays[i].style, e);
	}
	return err;
}

static int rig_open(struct rig *rig, struct err *e)
{
	const struct load_pool_cfg pool = { .workers = 1, .max_launches = 4 * FAULTS_LAUNCHES };
	int err = load_open(&pool, &rig->load, e);

	if (err)
		return err;
	load_truth(rig->load, &rig->names);
	for (unsigned i = 0; i < CELL_MAX_SOURCES; i++)
		if (recording_init(&rig->rec[i], SELFTEST_EVENTS))
			return err_set(e, -ENOMEM, "out of memory");
	return 0;
}

static int live_run(struct faults *f, struct rig *rig, const struct source_ops *ops,
		    const struct source_ops *beside, struct err *e)
{
	struct selftest_column *col = &f->column[f->columns];

	if (selftest_column_init(col, ops->title))
		return err_set(e, -ENOMEM, "out of memory");
	f->columns++;
	return selftest_live(col, rig, ops, beside, e);
}

/* What works here is tested; what does not, is said. */
static int lives_run(struct faults *f, struct err *e)
{
	const struct source_ops *ops[2];
	struct rig *rig = calloc(1, sizeof(*rig));
	bool works[2], any = false;
	int err = 0;

	if (!rig)
		return err_set(e, -ENOMEM, "out of memory");
	for (int i = 0; i < 2; i++) {
		ops[i] = source_find(live[i]);
		works[i] = ops[i]->probe(&f->absent[f->nabsent]) == 0;
		f->nabsent += !works[i];
		any |= works[i];
	}
	if (any)
		err = rig_open(rig, e);
	for (int i = 0; !err && i < 2; i++)
		if (works[i])
			err = live_run(f, rig, ops[i], works[!i] ? ops[!i] : NULL, e);
	load_close(rig->load);
	for (unsigned i = 0; i < CELL_MAX_SOURCES; i++)
		recording_free(&rig->rec[i]);
	free(rig);
	return err;
}

/* ---- print ------------------------------------------------------------------------------------ */

static size_t faults_tested(const struct faults *f)
{
	size_t n = 0;

	for (unsigned i = 0; i < f->columns; i++)
		n += f->column[i].tested;
	return n;
}

static size_t faults_missed(const struct faults *f)
{
	size_t n = 0;

	for (unsigned i = 0; i < f->columns; i++)
		n += f->column[i].missed;
	return n;
}

/* What was injected: the same wherever the same kinds are told of. */
static uint64_t injected(const struct faults *f, size_t i)
{
	for (unsigned c = 0; c < f->columns; c++)
		if (f->column[c].row[i].fault)
			return f->column[c].row[i].injected;
	return 0;
}

static struct line found_text(const struct selftest_row *row, uint64_t usual)
{
	struct line l = { .n = 0 };

	if (!row->fault) {
		line_add(&l, FMT_NONE NBSP);
		return l;
	}
	if (row->fault->shows == FIND_BOOKS)
		line_add(&l, row->found ? "told" : "not" NBSP "told");
	else if (!row->expected && !row->found)
		line_add(&l, "none");
	else
		line_add(&l, "%s", fmt_count(row->found).s);
	if (row->injected != usual)
		line_add(&l, NBSP "of" NBSP "%s", fmt_count(row->injected).s);
	line_add(&l, row->exact ? NBSP : "!");
	return l;
}

static void print_table(struct page *p, const struct faults *f)
{
	struct table_column column[3 + MAX_COLUMNS] = {
		{ .title = "fault", .left = true },
		{ .title = "injected" },
	};
	struct table t;

	for (unsigned c = 0; c < f->columns; c++)
		column[2 + c] =
			(struct table_column){ .title = f->column[c].name, .unit = "found" NBSP };
	column[2 + f->columns] = (struct table_column){ .title = "shows in", .left = true };
	table_init(&t, column, 3 + f->columns);
	for (size_t i = 0; fault_cases[i].name && table_row(&t); i++) {
		table_set(&t, 0, fault_cases[i].name);
		table_set(&t, 1, fmt_count(injected(f, i)).s);
		for (unsigned c = 0; c < f->columns; c++)
			table_set(&t, 2 + c, found_text(&f->column[c].row[i], injected(f, i)).s);
		table_set(&t, 2 + f->columns, finding_names[fault_cases[i].shows]);
	}
	page_table(p, &t, 2);
}

static void print_missed(struct page *p, const struct faults *f)
{
	for (unsigned c = 0; c < f->columns; c++)
		for (size_t i = 0; i < f->column[c].rows; i++) {
			const struct selftest_row *row = &f->column[c].row[i];
			struct line l = { .n = 0 };

			if (!row->fault || row->exact)
				continue;
			line_add(&l, "! %s, %s: %s.", f->column[c].name, row->fault->name,
				 row->why);
			page_say(p, STYLE_LOUD, 2, l.s);
		}
}

static void print_text(const struct faults *f, bool colour)
{
	const size_t tested = faults_tested(f), missed = faults_missed(f);
	struct line l = { .n = 0 };
	struct page p;

	if (!page_open(&p, colour)) {
		page_flush(&p, stdout);
		return;
	}
	line_add(&l, "proctrace bench --self-test · %u launches, one fault at a time",
		 FAULTS_LAUNCHES);
	page_say(&p, STYLE_TITLE, 0, l.s);
	page_say(&p, STYLE_DIM, 0,
		 "\"As\": events made up in memory, with such counters. The figure "
		 "shown is "
		 "the one that the fault is named after; all the others are compared too, and must "
		 "be "
		 "what follows from the fault.");
	page_blank(&p);
	print_table(&p, f);
	page_blank(&p);
	print_missed(&p, f);
	for (unsigned i = 0; i < f->nabsent; i++) {
		l = (struct line){ .n = 0 };
		line_add(&l, "Not tested: %s.", f->absent[i].text);
		page_say(&p, STYLE_PLAIN, 2, l.s);
	}
	l = (struct line){ .n = 0 };
	line_add(&l, "%s of %s found exactly%s", fmt_count(tested - missed).s, fmt_count(tested).s,
		 missed ? ": this instrument is not right." : ".");
	page_say(&p, missed ? STYLE_LOUD : STYLE_TITLE, 2, l.s);
	page_flush(&p, stdout);
}

static void json_column(const struct selftest_column *col)
{
	const char *sep = "";

	printf("\n    {\"name\": \"%s\", \"faults\": [", col->name);
	for (size_t i = 0; i < col->rows; i++) {
		const struct selftest_row *row = &col->row[i];

		if (!row->fault)
			continue;
		printf("%s\n      {\"fault\": \"%s\", \"shows_in\": \"%s\", \"injected\": %" PRIu64
		       ", \"found\": %" PRIu64 ", \"expected\": %" PRIu64
		       ", \"exact\": %s, \"why\": \"%s\"}",
		       sep, row->fault->name, finding_names[row->fault->shows], row->injected,
		       row->found, row->expected, row->exact ? "true" : "false", row->why);
		sep = ",";
	}
	printf("]}");
}

static void print_json(const struct faults *f)
{
	printf("{\n  \"schema\": \"proctrace.selftest/1\",\n  \"tested\": %zu,\n  \"missed\": "
	       "%zu,\n"
	       "  \"runs\": [",
	       faults_tested(f), faults_missed(f));
	for (unsigned i = 0; i < f->columns; i++) {
		if (i)
			putchar(',');
		json_column(&f->column[i]);
	}
	printf("\n  ]\n}\n");
}

int self_test_faults(struct bench *b)
{
	const struct bench_opts *o = &b->opts;
	struct faults *f;
	struct err e;
	int err, status;

	if (o->scenario.n || o->monitor.n || o->output || o->suite != NOT_GIVEN ||
	    o->rounds_given || o->duration_given || o->stall_ms || o->load.target)
		return complain(EXIT_USAGE,
				"--self-test=faults says itself what runs: it takes --json "
				"and --color only");
	f = calloc(1, sizeof(*f));
	if (!f)
		return complain(EXIT_FAILED, "out of memory");
	err = replays_run(f, &e);
	if (!err)
		err = lives_run(f, &e);
	if (err == -EINTR)
		status = EXIT_INTERRUPTED;
	else if (err)
		status = complain(EXIT_FAILED, "%s", e.text);
	else
		status = faults_missed(f) ? EXIT_FAILED : EXIT_DONE;
	if (!err && o->json)
		print_json(f);
	else if (!err)
		print_text(f, text_colour(stdout, o->colour));
	if (!err && fflush(stdout) && errno != EPIPE)
		status = complain(EXIT_FAILED, "cannot write: %s", strerror(errno));
	for (unsigned i = 0; i < f->columns; i++)
		selftest_column_free(&f->column[i]);
	free(f);
	return status;
}
