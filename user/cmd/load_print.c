// SPDX-License-Identifier: MIT
#include "cmd/load_print.h"

#include <string.h>

#include "base/clock.h"
#include "report/page.h"
#include "report/text.h"

/* Up to so many workers have their rates listed one by one. */
#define WORKERS_LISTED 16

enum column {
	COL_WORKERS,
	COL_RATE,
	COL_LAUNCHES,
	COL_FAILED,
	COL_P50,
	COL_P90,
	COL_P99,
	COL_P999,
	COL_MAX,
	COL_CPU,
	COL_CHILD_CPU,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	[COL_WORKERS] = { .title = "workers" },
	[COL_RATE] = { .title = "launches", .unit = "/s" },
	[COL_LAUNCHES] = { .title = "launches", .unit = "total" },
	[COL_FAILED] = { .title = "failed" },
	[COL_P50] = { .title = "latency", .unit = "p50" },
	[COL_P90] = { .title = "", .unit = "p90" },
	[COL_P99] = { .title = "", .unit = "p99" },
	[COL_P999] = { .title = "", .unit = "p99.9" },
	[COL_MAX] = { .title = "", .unit = "max" },
	[COL_CPU] = { .title = "CPU" NBSP "%", .unit = "generator" },
	[COL_CHILD_CPU] = { .title = "CPU" NBSP "%", .unit = "children" },
};

static double run_seconds(const struct load_result *r)
{
	return (double)(r->end_ns - r->start_ns) / NSEC_PER_SEC;
}

/* Whole launches, but for slow runs. */
static struct fmt fmt_rate(double per_s)
{
	return per_s >= 100 ? fmt_count((uint64_t)(per_s + 0.5)) : fmt_real(per_s, 3);
}

/* Of one core. */
static struct fmt cpu_share(double cpu_s, const struct load_result *r)
{
	const double s = run_seconds(r);

	return s > 0 ? fmt_real(100 * cpu_s / s, 2) : (struct fmt){ FMT_NONE };
}

static void print_head(struct page *p, const struct load_runs *runs)
{
	const struct result_host *h = &runs->host;
	const struct load_cfg *cfg = &runs->run[0].cfg;
	struct line l = { .n = 0 };

	line_add(&l, "proctrace load · Linux" NBSP "%s" NBSP "%s · %u" NBSP "CPU%s",
		 fmt_name(h->kernel).s, fmt_name(h->arch).s, h->cpus, plural(h->cpus));
	if (h->virt[0])
		line_add(&l, " · %s", fmt_name(h->virt).s);
	page_say(p, STYLE_TITLE, 0, l.s);

	l = (struct line){ .n = 0 };
	line_add(&l, "%s," NBSP "%s · target" NBSP "%s", load_method_names[cfg->method],
		 load_mode_names[cfg->mode], fmt_name(runs->target).s);
	if (cfg->pause_ns)
		line_add(&l, " · pause" NBSP "%s", fmt_time((double)cfg->pause_ns).s);
	if (cfg->rate > 0)
		line_add(&l, " · asked for %s/s", fmt_rate(cfg->rate).s);
	page_say(p, STYLE_DIM, 0, l.s);
	if (runs->interrupted)
		page_say(p, STYLE_LOUD, 0, "! Interrupted: this is what was measured until then.");
}

static void set_quantiles(struct table *t, const struct hist *h)
{
	static const struct {
		enum column column;
		double q;
	} quantiles[] = { { COL_P50, 0.5 },
			  { COL_P90, 0.9 },
			  { COL_P99, 0.99 },
			  { COL_P999, 0.999 },
			  { COL_MAX, 1 } };

	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++)
		table_set(t, quantiles[i].column,
			  h->n ? fmt_time((double)hist_quantile(h, quantiles[i].q)).s : FMT_NONE);
}

static void print_runs(struct page *p, const struct load_runs *runs)
{
	struct table t;

	table_init(&t, columns, COLUMNS);
	for (unsigned i = 0; i < runs->n && table_row(&t); i++) {
		const struct load_result *r = &runs->run[i].result;

		table_set(&t, COL_WORKERS, fmt_count(r->nworkers).s);
		table_set(&t, COL_RATE, r->rate_per_s > 0 ? fmt_rate(r->rate_per_s).s : FMT_NONE);
		table_set(&t, COL_LAUNCHES, fmt_count(r->launches).s);
		table_set(&t, COL_FAILED, fmt_count(r->failed).s);
		set_quantiles(&t, &r->latency);
		table_set(&t, COL_CPU, cpu_share(r->cpu_user_s + r->cpu_sys_s, r).s);
		table_set(&t, COL_CHILD_CPU, cpu_share(r->child_user_s + r->child_sys_s, r).s);
	}
	page_blank(p);
	page_table(p, &t, 2);
}

/* "2 workers: 11 330 and 11 334 launches/s each." */
static void print_workers(struct page *p, const struct load_result *r)
{
	struct line l = { .n = 0 };
	double lo = r->worker[0].rate_per_s, hi = lo;

	if (r->nworkers < 2)
		return;
	line_add(&l, "%u" NBSP "workers, launches/s of each:", r->nworkers);
	for (unsigned i = 0; i < r->nworkers; i++) {
		const double v = r->worker[i].rate_per_s;

		lo = v < lo ? v : lo;
		hi = v > hi ? v : hi;
		if (r->nworkers <= WORKERS_LISTED)
			line_add(&l, "%s %s", i ? "," : "", fmt_rate(v).s);
	}
	if (r->nworkers > WORKERS_LISTED)
		line_add(&l, " from %s to %s", fmt_rate(lo).s, fmt_rate(hi).s);
	page_say(p, STYLE_PLAIN, 2, l.s);
}

static void print_failures(struct page *p, const struct load_result *r)
{
	struct line l = { .n = 0 };

	if (!r->failed)
		return;
	line_add(&l, "! With %u worker%s, %s start%s failed:", r->nworkers, plural(r->nworkers),
		 fmt_count(r->failed).s, plural(r->failed));
	for (int i = 0; i < LOAD_MAX_ERRNOS && r->failed_by[i].n; i++)
		line_add(&l, "%s %s" NBSP "× %s (%s)", i ? "," : "", fmt_count(r->failed_by[i].n).s,
			 strerrorname_np(r->failed_by[i].err), strerror(r->failed_by[i].err));
	line_add(&l, ".%s", r->gave_up ? " Too many in a row: the run ended early." : "");
	page_say(p, STYLE_LOUD, 2, l.s);
}

static void print_notes(struct page *p, const struct load_run *run)
{
	const struct load_result *r = &run->result;
	struct line l = { .n = 0 };

	print_failures(p, r);
	if (r->truth_full)
		page_say(p, STYLE_LOUD, 2,
			 "! There was no memory for the books of more launches: the run ended "
			 "early.");
	if (!r->bad_status)
		return;
	line_add(&l, "! %s process%s ended otherwise than told to: was something killing them?",
		 fmt_count(r->bad_status).s, r->bad_status == 1 ? "" : "es");
	page_say(p, STYLE_LOUD, 2, l.s);
}

static void print_legend(struct page *p, const struct load_run *run)
{
	struct line l = { .n = 0 };

	if (run->cfg.mode == LOAD_WAIT) {
		line_add(&l, "Latency: from the %sstart until the end was seen.",
			 run->cfg.rate > 0 ? "intended " : "");
	} else {
		line_add(&l, "Latency: from the %sstart until it had succeeded.",
			 run->cfg.rate > 0 ? "intended " : "");
		line_add(&l, " At most %s could live at once.", fmt_count(run->result.inflight).s);
	}
	line_add(&l, " CPU: share of one core.");
	page_say(p, STYLE_DIM, 2, l.s);
}

void load_print_text(const struct load_runs *runs, FILE *f, bool colour)
{
	struct page p;

	if (!page_open(&p, colour)) {
		page_flush(&p, f);
		return;
	}
	print_head(&p, runs);
	print_runs(&p, runs);
	page_blank(&p);
	for (unsigned i = 0; i < runs->n; i++)
		print_workers(&p, &runs->run[i].result);
	for (unsigned i = 0; i < runs->n; i++)
		print_notes(&p, &runs->run[i]);
	print_legend(&p, &runs->run[0]);
	page_flush(&p, f);
}
