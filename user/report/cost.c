// SPDX-License-Identifier: MIT
/* The second table of a scenario: what a launch takes, and what watching it costs. */
#include "report/page.h"

#include <math.h>
#include <string.h>

enum column {
	COL_MONITOR,
	COL_P50,
	COL_P90,
	COL_P99,
	COL_P999,
	COL_MAX,
	COL_USER,
	COL_SYS,
	COL_PREEMPTED,
	COL_KERNEL,
	COL_MEMORY,
	COL_PEAK,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	[COL_MONITOR] = { .title = "cost", .left = true },
	[COL_P50] = { .title = "launch", .unit = "p50" },
	[COL_P90] = { .title = "", .unit = "p90" },
	[COL_P99] = { .title = "", .unit = "p99" },
	[COL_P999] = { .title = "", .unit = "p99.9" },
	[COL_MAX] = { .title = "", .unit = "max" NBSP "µs" },
	[COL_USER] = { .title = "reader", .unit = "user" NBSP "µs" },
	[COL_SYS] = { .title = "a" NBSP "launch", .unit = "system" },
	[COL_PREEMPTED] = { .title = "pre-", .unit = "empted" },
	[COL_KERNEL] = { .title = "kernel" NBSP "ns", .unit = "exec/exit" },
	[COL_MEMORY] = { .title = "memory", .unit = "MiB" },
	[COL_PEAK] = { .title = "buffer", .unit = "used" NBSP "%" },
};

/* A figure that no machine has (a report made by hand) must not make the table wider than a terminal. */
static struct fmt figure(double v, int digits)
{
	struct fmt unknown = { FMT_UNKNOWN };

	return fabs(v) < 1e7 ? fmt_real(v, digits) : unknown;
}

static struct fmt micros(uint64_t ns)
{
	const double us = (double)ns / 1e3;

	return figure(us, us >= 100 ? 3 : 2);
}

static void set_launches(struct table *t, const struct result_latency *l)
{
	static const size_t offset[] = {
		[COL_P50] = offsetof(struct result_latency, p50),
		[COL_P90] = offsetof(struct result_latency, p90),
		[COL_P99] = offsetof(struct result_latency, p99),
		[COL_P999] = offsetof(struct result_latency, p999),
		[COL_MAX] = offsetof(struct result_latency, max),
	};

	for (size_t c = COL_P50; l->n && c <= COL_MAX; c++)
		table_set(t, c, micros(*(const uint64_t *)((const char *)l + offset[c])).s);
}

static void add_kernel(struct line *l, const struct result_source *s, enum event_kind kind)
{
	line_add(l, "%s%s", l->n ? "/" : "",
		 s->kernel_runs[kind]
			 ? figure((double)s->kernel_ns[kind] / (double)s->kernel_runs[kind], 3).s
			 : FMT_NONE);
}

static bool is_timed(const struct result_source *s)
{
	return s->kernel_runs[EV_EXEC] || s->kernel_runs[EV_EXIT];
}

static void set_source(struct table *t, const struct result_summary *s, unsigned i)
{
	const struct result_source *src = &s->source[i];
	const double each = 1e6 / (double)(s->launches ? s->launches : 1);
	struct line kernel = { .n = 0 };

	if (src->external.is && src->external.bad >= s->rounds)
		return;
	table_set(t, COL_USER, figure(src->reader_user_s * each, 2).s);
	table_set(t, COL_SYS, figure(src->reader_sys_s * each, 2).s);
	if (src->external.is)
		return; /* of someone else's, no more is known */
	table_set(t, COL_PREEMPTED,
		  src->reader_preempted < 10000000 ? fmt_count(src->reader_preempted).s
						   : FMT_UNKNOWN);
	if (is_timed(src)) {
		add_kernel(&kernel, src, EV_EXEC);
		add_kernel(&kernel, src, EV_EXIT);
	}
	table_set(t, COL_KERNEL, kernel.n ? kernel.s : FMT_NONE);
	if (src->buffer_bytes && src->buffer_peak)
		table_set(t, COL_PEAK,
			  figure(100 * (double)src->buffer_peak / (double)src->buffer_bytes, 2).s);
	else
		table_set(t, COL_PEAK, FMT_UNKNOWN);
}

/* What the program holds for it, and the buffers in the kernel. */
static void set_memory(struct table *t, const struct result_summary *s)
{
	double bytes = (double)s->memory_bytes;

	if (s->nsources && s->source[0].external.is)
		return;

	for (unsigned i = 0; i < s->nsources; i++)
		bytes += (double)s->source[i].buffer_bytes;
	table_set(t, COL_MEMORY, figure(bytes / (1 << 20), 3).s);
}

static void add_rows(struct table *t, const struct result_summary *s)
{
	if (!table_row(t))
		return;
	table_set(t, COL_MONITOR, s->nsources ? monitor_title(s).s : "nobody watches");
	set_launches(t, &s->launch_latency);
	if (s->nsources)
		set_memory(t, s);
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

void cost_print(struct page *p, const struct result *r, const struct result_summary *first)
{
	const struct result_summary *s;
	struct table t;

	table_init(&t, columns, COLUMNS);
	for (size_t i = 0; (s = scenario_next(r, first, &i));)
		add_rows(&t, s);
	page_table(p, &t, 2);
}

void cost_legend(struct page *p)
{
	page_say(p, STYLE_DIM, 0,
		 "Cost: a launch takes from its intended start to its end seen (nowait: to its "
		 "start). Preempted: involuntary switches of the reader. Kernel: run time of each "
		 "BPF program, taken in slices of their own; what the kernel spends on netlink "
		 "cannot be known. Memory: held for it and the kernel's buffers. Buffer: fullest "
		 "that a reader found it.");
}
