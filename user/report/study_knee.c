// SPDX-License-Identifier: MIT
/* The knee: each monitor by rate, and where it first fails. */
#include "report/study.h"

#include <math.h>
#include <string.h>

enum column {
	COL_RATE,
	COL_MONITOR,
	COL_ACHIEVED,
	COL_DELIVERED,
	COL_NAMED,
	COL_BAR,
	COL_P50,
	COL_P99,
	COL_LAUNCH,
	COL_CPU,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	[COL_RATE] = { .title = "launches/s", .unit = "asked for" },
	[COL_MONITOR] = { .title = "monitor", .left = true },
	[COL_ACHIEVED] = { .title = "launches", .unit = "/s" },
	[COL_DELIVERED] = { .title = "delivered", .unit = "%" },
	[COL_NAMED] = { .title = "named", .unit = "%" },
	[COL_BAR] = { .title = "", .unit = "of all", .left = true },
	[COL_P50] = { .title = "delay", .unit = "p50" },
	[COL_P99] = { .title = "", .unit = "p99" },
	[COL_LAUNCH] = { .title = "launch", .unit = "p99" },
	[COL_CPU] = { .title = "CPU" NBSP "µs", .unit = "/launch" },
};

#define BAR_WIDTH 8
/* A launcher that starts fewer than this share of what is asked for has been slowed. */
#define KEPT_UP 0.95

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* What the monitor made of the launches: named them if it can, else delivered them. */
static double of_all(const struct law_knee *k)
{
	return k->nameable ? share(k->named, k->nameable)
			   : share(k->expected - k->lost, k->expected);
}

static void row_add(struct table *t, const struct law_knee *k, bool first)
{
	if (!table_row(t))
		return;
	if (first)
		table_set(t, COL_RATE, k->rate > 0 ? fmt_real(k->rate, 3).s : "most");
	table_set(t, COL_MONITOR, source_title(k->monitor).s);
	table_set(t, COL_ACHIEVED, fmt_real(k->achieved, 3).s);
	table_set(t, COL_LAUNCH, fmt_time(k->launch_p99_ns).s);
	if (!k->expected)
		return;
	table_set(t, COL_DELIVERED, fmt_percent(k->expected - k->lost, k->expected).s);
	table_set(t, COL_NAMED, k->nameable ? fmt_percent(k->named, k->nameable).s : FMT_NONE);
	table_set(t, COL_BAR, study_bar(of_all(k), BAR_WIDTH).s);
	table_set(t, COL_P50, fmt_time((double)k->p50_ns).s);
	table_set(t, COL_P99, fmt_time((double)k->p99_ns).s);
	table_set(t, COL_CPU, fmt_real(k->cpu_us, 2).s);
}

static const struct law_knee *unwatched(const struct laws *l, double rate)
{
	for (size_t i = 0; i < l->nknees; i++)
		if (!l->knee[i].expected && l->knee[i].rate == rate)
			return &l->knee[i];
	return NULL;
}

/* Fewer launches than without a monitor, beyond what rounds differ by, at a rate that the machine alone keeps. */
static bool slows(const struct laws *l, const struct law_knee *k)
{
	const struct law_knee *none = unwatched(l, k->rate);

	return k->rate > 0 && none && none->achieved >= KEPT_UP * k->rate &&
	       k->fastest < KEPT_UP * none->slowest;
}

static bool loses(const struct laws *l, const struct law_knee *k)
{
	(void)l;
	return k->lost > 0;
}

static bool misnames(const struct laws *l, const struct law_knee *k)
{
	(void)l;
	return k->named < k->nameable;
}

static const struct {
	const char *what;
	bool (*fails)(const struct laws *l, const struct law_knee *k);
} failures[] = {
	{ "loses events", loses },
	{ "fails to name all", misnames },
	{ "slows the launcher by more than 5" NBSP "%", slows },
};

/* The lowest rate at which it fails so; "as many as there can be" counts as the highest. */
static const struct law_knee *fails_first(const struct laws *l, const char *monitor, size_t how)
{
	const struct law_knee *first = NULL;

	for (size_t i = 0; i < l->nknees; i++) {
		const struct law_knee *k = &l->knee[i];

		if (strcmp(k->monitor, monitor) != 0 || !failures[how].fails(l, k))
			continue;
		if (!first || (k->rate > 0 && (first->rate == 0 || k->rate < first->rate)))
			first = k;
	}
	return first;
}

static void print_first(struct page *p, const struct laws *l, const char *monitor)
{
	struct line line = { .n = 0 };
	const char *sep = " ";

	line_add(&line, "%s", source_title(monitor).s);
	for (size_t how = 0; how < sizeof(failures) / sizeof(*failures); how++) {
		const struct law_knee *k = fails_first(l, monitor, how);

		if (!k)
			continue;
		line_add(&line, "%s%s from %s launches/s on", sep, failures[how].what,
			 fmt_real(k->rate > 0 ? k->rate : k->achieved, 3).s);
		sep = ", ";
	}
	if (sep[0] == ' ')
		line_add(&line, " fails at none of these rates");
	line_add(&line, ".");
	page_say(p, STYLE_PLAIN, 2, line.s);
}

static bool monitor_begins(const struct laws *l, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(l->knee[k].monitor, l->knee[i].monitor) == 0)
			return false;
	return l->knee[i].expected > 0;
}

void study_knee_print(struct page *p, const struct result *r)
{
	const struct laws *l = r->laws;
	struct table t;

	if (!l || !l->nknees)
		return;
	page_blank(p);
	page_say(p, STYLE_TITLE, 0, "Knee · up to which rate does each monitor keep up?");
	table_init(&t, columns, COLUMNS);
	for (size_t i = 0; i < l->nknees; i++)
		row_add(&t, &l->knee[i], i == 0 || l->knee[i].rate != l->knee[i - 1].rate);
	page_table(p, &t, 2);
	for (size_t i = 0; i < l->nknees; i++)
		if (monitor_begins(l, i))
			print_first(p, l, l->knee[i].monitor);
}
