// SPDX-License-Identifier: MIT
/* Studies whose table is one line for each scenario and monitor: bursts, starved readers, victims, targets. */
#include "report/study.h"

#include <string.h>

#include "report/text.h"

enum column {
	COL_WHAT,
	COL_MONITOR,
	COL_RATE,
	COL_SPEED,
	COL_DELIVERED,
	COL_NAMED,
	COL_LOST,
	COL_P50,
	COL_P99,
	COL_MAX,
	COL_CPU,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	[COL_WHAT] = { .title = "", .left = true },
	[COL_MONITOR] = { .title = "monitor", .left = true },
	[COL_RATE] = { .title = "launches", .unit = "/s" },
	[COL_SPEED] = { .title = "slowdown", .unit = "%" },
	[COL_DELIVERED] = { .title = "delivered", .unit = "%" },
	[COL_NAMED] = { .title = "named", .unit = "%" },
	[COL_LOST] = { .title = "lost" },
	[COL_P50] = { .title = "delay", .unit = "p50" },
	[COL_P99] = { .title = "", .unit = "p99" },
	[COL_MAX] = { .title = "", .unit = "max" },
	[COL_CPU] = { .title = "CPU" NBSP "µs", .unit = "/launch" },
};

static const struct {
	const char *study, *title, *legend;
} tellings[] = {
	{ "burst", "Burst · many launches without waiting, idle for a while, and again",
	  "Each burst twice before the same monitor, with a pause between." },
	{ "starved", "Starved · what if the reader gets little of the CPU?",
	  "free: as the scheduler likes. nice: the reader at nice 19, and a spinning competitor of "
	  "nice 0 "
	  "on each CPU. pinned: the reader and all launchers on one CPU. limited: the reader in a "
	  "cgroup that "
	  "may use 5 % of one CPU." },
	{ "victim", "Victim · what does a monitor do to others?",
	  "alone, beside: netlink's own figures, alone and while another monitor watches. "
	  "unwatched: the "
	  "monitor looks for other processes only; what the launcher feels of it." },
	{ "target", "Targets · how do the costs compare with those of real programs?",
	  "testApp: no libc, one page. static: busybox. dynamic: /bin/true with glibc. script: a "
	  "shell "
	  "script. Named: by the name that exec gave it." },
};

/* "burst-1000" in the study "burst" is called 1000. */
static const char *label(const struct result_summary *s)
{
	const char *dash = strchr(s->scenario, '-');

	return dash ? dash + 1 : s->scenario;
}

static void set_source(struct table *t, const struct result_summary *s, unsigned i)
{
	const struct result_source *src = &s->source[i];
	const struct ledger *l = &src->ledger;

	table_set(t, COL_DELIVERED, fmt_percent(l->all.matched, l->all.expected).s);
	table_set(t, COL_NAMED,
		  src->names ? fmt_percent(l->identified, l->kind[EV_EXEC].matched).s : FMT_NONE);
	table_set(t, COL_LOST, fmt_count(l->all.lost).s);
	if (src->latency.n) {
		table_set(t, COL_P50, fmt_time((double)src->latency.p50).s);
		table_set(t, COL_P99, fmt_time((double)src->latency.p99).s);
		table_set(t, COL_MAX, fmt_time((double)src->latency.max).s);
	}
	table_set(t, COL_CPU, fmt_real(s->cpu_us_per_launch[i], 2).s);
}

/* Of two that watch together, netlink's figures: it is the one that others can harm. */
static unsigned victim_of(const struct result_summary *s)
{
	return s->nsources == 2 && strcmp(s->source[1].name, "netlink") == 0;
}

static void row_add(struct table *t, const struct result_summary *s, bool first)
{
	struct line who = { .n = 0 };
	const unsigned i = victim_of(s);

	if (!table_row(t))
		return;
	if (first)
		table_set(t, COL_WHAT, fmt_name(label(s)).s);
	if (s->nsources == 2)
		line_add(&who, "with %s", source_title(s->source[!i].name).s);
	else
		line_add(&who, "%s", source_title(s->monitor).s);
	table_set(t, COL_MONITOR, who.s);
	table_set(t, COL_RATE, fmt_real(s->rate_per_s.median, 3).s);
	if (strcmp(s->monitor, "none") != 0)
		table_set(t, COL_SPEED, text_slowdown(s).s);
	if (s->nsources)
		set_source(t, s, i);
}

static bool of_study(const struct result_summary *s, const char *study)
{
	return strcmp(s->study, study) == 0;
}

/* What could not be measured here, once for each scenario. */
static size_t print_skipped(struct page *p, const struct result *r, const char *study)
{
	const char *last = "";
	size_t n = 0;

	for (size_t i = 0; i < r->nruns; i++) {
		const struct result_run *run = &r->run[i];
		struct line line = { .n = 0 };

		if (!run->skipped[0] || strcmp(run->study, study) != 0 ||
		    strcmp(run->scenario, last) == 0)
			continue;
		last = run->scenario;
		line_add(&line, "%s was not measured: %s.", fmt_name(run->scenario).s,
			 fmt_name(run->skipped).s);
		if (p)
			page_say(p, STYLE_PLAIN, 2, line.s);
		n++;
	}
	return n;
}

static void print_one(struct page *p, const struct result *r, size_t telling)
{
	const char *study = tellings[telling].study, *last = "";
	bool few = false;
	struct table t;

	table_init(&t, columns, COLUMNS);
	for (size_t i = 0; i < r->nsummaries; i++) {
		const struct result_summary *s = &r->summary[i];

		if (!of_study(s, study))
			continue;
		row_add(&t, s, strcmp(s->scenario, last) != 0);
		few = few || (s->has_slowdown && !s->slowdown_pct.valid);
		last = s->scenario;
	}
	if (!t.rows && !print_skipped(NULL, r, study)) {
		table_free(&t);
		return;
	}
	page_blank(p);
	page_say(p, STYLE_TITLE, 0, tellings[telling].title);
	page_table(p, &t, 2);
	page_say(p, STYLE_DIM, 2, tellings[telling].legend);
	if (few)
		page_say(
			p, STYLE_DIM, 2,
			"~: too few rounds to say how sure this is; six or more give an interval.");
	print_skipped(p, r, study);
}

bool study_cells_known(const char *study)
{
	for (size_t i = 0; i < sizeof(tellings) / sizeof(*tellings); i++)
		if (strcmp(study, tellings[i].study) == 0)
			return true;
	return false;
}

void study_cells_print(struct page *p, const struct result *r)
{
	for (size_t i = 0; i < sizeof(tellings) / sizeof(*tellings); i++)
		print_one(p, r, i);
}
