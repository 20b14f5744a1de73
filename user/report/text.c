// SPDX-License-Identifier: MIT
#include "report/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/page.h"
#include "report/study.h"

enum column {
	COL_MONITOR,
	COL_SPEED,
	COL_DELIVERED,
	COL_NAMED,
	COL_LOST,
	COL_REPORTED,
	COL_UNEXPLAINED,
	COL_P50,
	COL_P99,
	COL_MAX,
	COL_CPU,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	[COL_MONITOR] = { .title = "monitor", .left = true },
	[COL_SPEED] = { .title = "slowdown", .unit = "%" },
	[COL_DELIVERED] = { .title = "delivered", .unit = "%" },
	[COL_NAMED] = { .title = "named", .unit = "%" },
	[COL_LOST] = { .title = "lost" },
	[COL_REPORTED] = { .title = "reported" },
	[COL_UNEXPLAINED] = { .title = "unexplained" },
	[COL_P50] = { .title = "delay", .unit = "p50" },
	[COL_P99] = { .title = "", .unit = "p99" },
	[COL_MAX] = { .title = "", .unit = "max" NBSP "ms" },
	[COL_CPU] = { .title = "CPU" NBSP "µs", .unit = "/launch" },
};

/* Without a run that nobody watched there is no slowdown; then the rate itself is of interest. */
static const struct table_column rate_column = { .title = "launches", .unit = "/s" };

const char *const text_colour_names[] = {
	[COLOUR_AUTO] = "auto",
	[COLOUR_ALWAYS] = "always",
	[COLOUR_NEVER] = "never",
	NULL,
};

bool text_colour(FILE *f, int when)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOUR_AUTO)
		return when == COLOUR_ALWAYS;
	return isatty(fileno(f)) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

/* The clock, and who or what else has a say in the figures. */
static void print_company(struct page *p, const struct result_host *h)
{
	struct line l = { .n = 0 };

	if (h->clocksource[0])
		line_add(&l, "clock" NBSP "%s", fmt_name(h->clocksource).s);
	if (h->governor[0])
		line_add(&l, "%sgovernor" NBSP "%s", l.n ? " · " : "", fmt_name(h->governor).s);
	if (h->mitigations[0])
		line_add(&l, "%smitigations: %s", l.n ? " · " : "", fmt_name(h->mitigations).s);
	if (l.n)
		page_say(p, STYLE_DIM, 0, l.s);
	l = (struct line){ .n = 0 };
	if (h->other_programs_n > 0)
		line_add(&l, "! %s other BPF programs on the same hooks (%s)",
			 fmt_count((uint64_t)h->other_programs_n).s, fmt_name(h->other_programs).s);
	if (h->other_listeners > 0)
		line_add(&l, "%s%s other listeners on the proc connector", l.n ? "; " : "! ",
			 fmt_count((uint64_t)h->other_listeners).s);
	if (l.n)
		line_add(&l, ": they slow the launcher in every slice, watched or not.");
	if (l.n)
		page_say(p, STYLE_LOUD, 0, l.s);
}

static void print_head(struct page *p, const struct result *r)
{
	const struct result_host *h = &r->host;
	const struct result_config *c = &r->config;
	struct line l = { .n = 0 };

	line_add(&l, "proctrace bench · Linux" NBSP "%s" NBSP "%s · %u" NBSP "CPU%s",
		 fmt_name(h->kernel).s, fmt_name(h->arch).s, h->cpus, plural(h->cpus));
	if (h->virt[0])
		line_add(&l, " · %s", fmt_name(h->virt).s);
	line_add(&l, " · %u" NBSP "round%s", c->rounds, plural(c->rounds));
	if (c->duration_s > 0) /* else each scenario may have its own */
		line_add(&l, NBSP "×" NBSP "%s", fmt_time(c->duration_s * 1e9).s);
	if (c->count)
		line_add(&l, "%s" NBSP "%s" NBSP "launches",
			 c->duration_s > 0 ? ", at most" : NBSP "×", fmt_count(c->count).s);
	page_say(p, STYLE_TITLE, 0, l.s);

	l = (struct line){ .n = 0 };
	line_add(&l, "%s · proctrace" NBSP "%s · target" NBSP "%s", fmt_date(r->wall_time_s).s,
		 fmt_name(r->version).s, fmt_name(c->target).s);
	if (c->ring_bytes)
		line_add(&l, " · ring" NBSP "%s", fmt_bytes(c->ring_bytes).s);
	if (c->rcvbuf_bytes)
		line_add(&l, " · receive buffer" NBSP "%s", fmt_bytes(c->rcvbuf_bytes).s);
	if (c->stall_ms)
		line_add(&l, " · readers stalled for %s each second",
			 fmt_time((double)c->stall_ms * 1e6).s);
	if (c->auto_pct > 0)
		line_add(&l, " · rounds until ±" NBSP "%s" NBSP "%% or %s",
			 fmt_real(c->auto_pct, 2).s, fmt_time(c->max_time_s * 1e9).s);
	page_say(p, STYLE_DIM, 0, l.s);
	print_company(p, h);
	if (r->interrupted)
		page_say(p, STYLE_LOUD, 0, "! Interrupted: this is what was measured until then.");
	if (!r->nruns)
		page_say(p, STYLE_LOUD, 0, "! Nothing was measured.");
}

/* How the scenario starts its processes; the same in all its runs. */
static void add_load(struct line *l, const struct result *r, const struct result_summary *first)
{
	const struct result_run *run = r->run;

	while (strcmp(run->scenario, first->scenario) != 0)
		run++;
	line_add(l, "%s · %u" NBSP "worker%s · %s, %s", fmt_name(first->scenario).s, first->workers,
		 plural(first->workers), fmt_name(first->method).s, fmt_name(first->mode).s);
	if (run->inflight && strcmp(run->mode, "nowait") == 0)
		line_add(l, " · at most %s alive", fmt_count(run->inflight).s);
	if (run->pause_s > 0)
		line_add(l, " · pause" NBSP "%s", fmt_time(run->pause_s * 1e9).s);
	if (run->rate_target > 0)
		line_add(l, " · %s" NBSP "launches/s asked for", fmt_real(run->rate_target, 3).s);
}

static void print_title(struct page *p, const struct result *r, const struct result_summary *first)
{
	const struct result_summary *none = summary_find(r, first->scenario, "none");
	struct line l = { .n = 0 };

	add_load(&l, r, first);
	if (none)
		line_add(&l, " · %s" NBSP "launches/s without a monitor",
			 fmt_real(none->rate_per_s.median, 3).s);
	page_say(p, STYLE_TITLE, 0, l.s);
}

struct fmt text_slowdown(const struct result_summary *s)
{
	struct fmt out = { FMT_NONE };
	double width = s->detectable_pct, v = s->slowdown_pct.median;
	int decimals = width < 9.95 ? 1 : 0;

	if (fabs(v) < (decimals ? 0.05 : 0.5)) /* no "-0" */
		v = fabs(v);

	if (!s->has_slowdown || !isfinite(v) || fabs(v) > 1e9)
		return out;
	if (!s->slowdown_pct.valid)
		snprintf(out.s, sizeof(out.s), "~" NBSP "%.*f", fabs(v) < 9.95 ? 1 : 0, v);
	else if (width < 0.05)
		snprintf(out.s, sizeof(out.s), "%.2f" NBSP "±" NBSP "%.2f", v, width);
	else
		snprintf(out.s, sizeof(out.s), "%.*f" NBSP "±" NBSP "%.*f", decimals, v, decimals,
			 width);
	return out;
}

static struct fmt in_ms(uint64_t ns)
{
	double ms = (double)ns / 1e6;

	return fmt_real(ms, ms >= 100 ? 3 : 2);
}

static void set_source(struct table *t, const struct result_summary *s, unsigned i)
{
	const struct result_source *src = &s->source[i];
	const struct ledger *l = &src->ledger;

	if (src->external.is && src->external.bad >= s->rounds)
		return; /* a note says why */
	table_set(t, COL_DELIVERED, fmt_percent(l->all.matched, l->all.expected).s);
	table_set(t, COL_NAMED,
		  src->names ? fmt_percent(l->identified, source_nameable(src)).s : FMT_NONE);
	table_set(t, COL_LOST, fmt_count(l->all.lost).s);
	table_set(t, COL_REPORTED, fmt_count(l->all.reported).s);
	table_set(t, COL_UNEXPLAINED, fmt_count(l->all.unexplained).s);
	table_set(t, COL_P50, src->latency.n ? in_ms(src->latency.p50).s : FMT_NONE);
	table_set(t, COL_P99, src->latency.n ? in_ms(src->latency.p99).s : FMT_NONE);
	table_set(t, COL_MAX, src->latency.n ? in_ms(src->latency.max).s : FMT_NONE);
	table_set(t, COL_CPU,
		  isnan(src->reader_user_s) ? FMT_UNKNOWN : fmt_real(s->cpu_us_per_launch[i], 2).s);
}

static void add_rows(struct table *t, const struct result_summary *s, bool slowdown)
{
	if (!table_row(t))
		return;
	table_set(t, COL_MONITOR, monitor_title(s).s);
	table_set(t, COL_SPEED,
		  slowdown ? text_slowdown(s).s : fmt_real(s->rate_per_s.median, 3).s);
	if (s->nsources == 1)
		set_source(t, s, 0);
	for (unsigned i = 0; s->nsources > 1 && i < s->nsources; i++) {
		struct line name = { .n = 0 };

		if (!table_row(t))
			return;
		line_add(&name, "  %s", source_title(s->source[i].name).s);
		table_set(t, COL_MONITOR, name.s);
		set_source(t, s, i);
	}
}

static void print_scenario(struct page *p, const struct result *r,
			   const struct result_summary *first)
{
	bool slowdown = summary_find(r, first->scenario, "none") != NULL;
	const struct result_summary *s;
	struct table_column head[COLUMNS];
	struct table t;

	memcpy(head, columns, sizeof(head));
	if (!slowdown)
		head[COL_SPEED] = rate_column;
	table_init(&t, head, COLUMNS);
	for (size_t i = 0; (s = scenario_next(r, first, &i));)
		if (s->nsources)
			add_rows(&t, s, slowdown);
	page_blank(p);
	print_title(p, r, first);
	if (t.rows) {
		page_table(p, &t, 2);
		cost_print(p, r, first);
	} else {
		table_free(&t);
	}
	notes_print(p, r, first);
}

static void print_legend(struct page *p, const struct result *r)
{
	bool few = false;

	for (size_t i = 0; i < r->nsummaries; i++)
		few = few || (r->summary[i].has_slowdown && !r->summary[i].slowdown_pct.valid);
	page_blank(p);
	page_say(p, STYLE_DIM, 0,
		 "Delivered, lost: events of the launches; lost = reported by the monitor's own "
		 "counters + "
		 "unexplained. Named: it could say which program. Delay: from the kernel's time "
		 "stamp to the "
		 "reader. CPU: of the reader. Slowdown: median of the ratios of each slice to the "
		 "mean of its two neighbours that nobody watched; ± half of its exact 95" NBSP
		 "% interval (order statistics), which is also the least that would have shown.");
	cost_legend(p);
	external_legend(p, r);
	if (few)
		page_say(
			p, STYLE_DIM, 0,
			"~: too few rounds to say how sure this is; six or more give an interval.");
}

/* The same report without the scenarios that are told as studies: the runs are shared, @summary has room for
 * all. */
static struct result without_studies(const struct result *r, struct result_summary *summary)
{
	struct result plain = *r;

	plain.summary = summary;
	plain.nsummaries = 0;
	for (size_t i = 0; i < r->nsummaries; i++)
		if (!study_is_known(r->summary[i].study))
			summary[plain.nsummaries++] = r->summary[i];
	return plain;
}

static void print_scenarios(struct page *p, const struct result *r)
{
	for (size_t i = 0; i < r->nsummaries; i++)
		if (scenario_begins(r, i))
			print_scenario(p, r, &r->summary[i]);
	if (r->nsummaries)
		print_legend(p, r);
	verdict_print(p, r);
}

void text_report(const struct result *r, FILE *f, bool colour)
{
	struct result_summary *room = calloc(r->nsummaries + 1, sizeof(*room));
	struct page p;

	if (page_open(&p, colour) && room) {
		struct result plain = without_studies(r, room);

		print_head(&p, r);
		studies_print(&p, r);
		print_scenarios(&p, &plain);
	}
	page_flush(&p, f);
	free(room);
}
