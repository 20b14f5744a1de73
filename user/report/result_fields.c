// SPDX-License-Identifier: MIT
/* The keys are append-only once released. */
#include "report/field_macros.h"
#include "report/result_fields.h"

#define CROSS(which, member)                                             \
	{                                                                \
#member, FIELD_U64, AT(struct cross, kind[which].member) \
	}
static const struct field cross_exec_fields[] = {
	CROSS(EV_EXEC, both),
	CROSS(EV_EXEC, only_a),
	CROSS(EV_EXEC, only_b),
	CROSS(EV_EXEC, neither),
	END,
};
static const struct field cross_exit_fields[] = {
	CROSS(EV_EXIT, both),
	CROSS(EV_EXIT, only_a),
	CROSS(EV_EXIT, only_b),
	CROSS(EV_EXIT, neither),
	END,
};
static const struct field cross_apart_fields[] = {
	NAMED(struct cross, FIELD_U64, ts_n, "n"),
	NAMED(struct cross, FIELD_U64, ts_p50_ns, "p50"),
	NAMED(struct cross, FIELD_U64, ts_p99_ns, "p99"),
	NAMED(struct cross, FIELD_U64, ts_max_ns, "max"),
	END,
};
static const struct field cross_fields[] = {
	{ "exec", FIELD_OBJECT, .sub = cross_exec_fields },
	{ "exit", FIELD_OBJECT, .sub = cross_exit_fields },
	{ "time_apart_ns", FIELD_OBJECT, .sub = cross_apart_fields },
	PLAIN(struct cross, FIELD_REAL, a_first),
	END,
};

#define RUN(kind, member) PLAIN(struct result_run, kind, member)
static const struct field load_fields[] = {
	TEXT(struct result_run, method), TEXT(struct result_run, mode), RUN(FIELD_U32, workers),
	RUN(FIELD_U32, inflight),	 RUN(FIELD_REAL, duration_s),	RUN(FIELD_REAL, pause_s),
	RUN(FIELD_REAL, rate_target),	 RUN(FIELD_U64, launches),	RUN(FIELD_U64, failed),
	RUN(FIELD_U64, harness),	 RUN(FIELD_REAL, rate_per_s),	RUN(FIELD_REAL, cpu_s),
	RUN(FIELD_REAL, child_cpu_s),	 RUN(FIELD_BOOL, truth_full),	END,
};

static size_t run_sources(const void *base)
{
	return ((const struct result_run *)base)->nsources;
}

static const void *run_source(const void *base, size_t i)
{
	return &((const struct result_run *)base)->source[i];
}

static void *run_add_source(void *base)
{
	struct result_run *run = base;

	return run->nsources < 2 ? &run->source[run->nsources++] : NULL;
}

static const struct field_list run_source_list = {
	.count = run_sources,
	.at = run_source,
	.add = run_add_source,
	.limit = "at most 2 sources a run",
};

static bool run_has_cross(const void *base)
{
	return ((const struct result_run *)base)->has_cross;
}

static void run_mark_cross(void *base)
{
	((struct result_run *)base)->has_cross = true;
}

#define DISTURBANCE(kind, member) PLAIN(struct result_disturbance, kind, member)
static const struct field disturbance_fields[] = {
	DISTURBANCE(FIELD_BOOL, steal),
	DISTURBANCE(FIELD_BOOL, processes),
	DISTURBANCE(FIELD_BOOL, load),
	DISTURBANCE(FIELD_BOOL, throttled),
	DISTURBANCE(FIELD_BOOL, gap),
	DISTURBANCE(FIELD_REAL, steal_s),
	DISTURBANCE(FIELD_REAL, foreign_cpu_s),
	DISTURBANCE(FIELD_REAL, throttled_s),
	DISTURBANCE(FIELD_U64, foreign_processes),
	END,
};

static const struct field run_fields[] = {
	TEXT(struct result_run, scenario),
	TEXT(struct result_run, monitor),
	RUN(FIELD_U32, round),
	RUN(FIELD_BOOL, interrupted),
	{ "skipped", FIELD_TEXT, AT(struct result_run, skipped), .optional = true,
	  .size = sizeof(((struct result_run *)0)->skipped) },
	{ "load", FIELD_OBJECT, .sub = load_fields },
	{ "launch_latency_ns", FIELD_OBJECT, AT(struct result_run, launch_latency),
	  .sub = latency_fields },
	{ "sources", FIELD_LIST, .sub = source_fields, .list = &run_source_list },
	{ "cross", FIELD_OBJECT, AT(struct result_run, cross), .sub = cross_fields,
	  .has = run_has_cross, .mark = run_mark_cross },
	{ "study", FIELD_TEXT, AT(struct result_run, study), .optional = true,
	  .size = sizeof(((struct result_run *)0)->study) },
	{ "conditions", FIELD_OBJECT, AT(struct result_run, cond), .optional = true,
	  .sub = conditions_fields },
	LATER(struct result_run, FIELD_U32, sequence),
	LATER(struct result_run, FIELD_BOOL, kernel_timed),
	LATER(struct result_run, FIELD_REAL, gap_s),
	LATER(struct result_run, FIELD_U64, memory_bytes),
	{ "disturbance", FIELD_OBJECT, AT(struct result_run, disturbance), .optional = true,
	  .sub = disturbance_fields },
	END,
};

static bool interval_valid(const void *base)
{
	return ((const struct interval *)base)->valid;
}

static const struct field interval_fields[] = {
	PLAIN(struct interval, FIELD_REAL, median),
	{ "lo", FIELD_REAL, AT(struct interval, lo), .has = interval_valid },
	{ "hi", FIELD_REAL, AT(struct interval, hi), .has = interval_valid },
	END,
};

#define SUMMARY(kind, member) PLAIN(struct result_summary, kind, member)

static bool slowdown_valid(const void *base)
{
	return ((const struct result_summary *)base)->slowdown_pct.valid;
}

static bool has_slowdown(const void *base)
{
	return ((const struct result_summary *)base)->has_slowdown;
}

static const struct field slowdown_fields[] = {
	NAMED(struct result_summary, FIELD_REAL, slowdown_pct.median, "median"),
	{ "lo", FIELD_REAL, AT(struct result_summary, slowdown_pct.lo), .has = slowdown_valid },
	{ "hi", FIELD_REAL, AT(struct result_summary, slowdown_pct.hi), .has = slowdown_valid },
	{ "detectable", FIELD_REAL, AT(struct result_summary, detectable_pct),
	  .has = slowdown_valid },
	END,
};

static size_t summary_sources(const void *base)
{
	return ((const struct result_summary *)base)->nsources;
}

static const void *summary_source(const void *base, size_t i)
{
	return &((const struct result_summary *)base)->source[i];
}

static const struct field_list summary_source_list = {
	.count = summary_sources,
	.at = summary_source,
};

static bool has_source_a(const void *base)
{
	return ((const struct result_summary *)base)->nsources > 0;
}

static bool has_source_b(const void *base)
{
	return ((const struct result_summary *)base)->nsources > 1;
}

static bool summary_has_cross(const void *base)
{
	return ((const struct result_summary *)base)->has_cross;
}

#define DISTURBED(member) PLAIN(struct result_disturbed, FIELD_U32, member)
static const struct field disturbed_fields[] = {
	DISTURBED(slices),
	DISTURBED(steal),
	DISTURBED(processes),
	DISTURBED(load),
	DISTURBED(throttled),
	DISTURBED(gap),
	END,
};

const struct field summary_fields[] = {
	TEXT(struct result_summary, scenario),
	TEXT(struct result_summary, monitor),
	SUMMARY(FIELD_U32, rounds),
	SUMMARY(FIELD_U32, workers),
	TEXT(struct result_summary, method),
	TEXT(struct result_summary, mode),
	SUMMARY(FIELD_U64, launches),
	SUMMARY(FIELD_U64, failed),
	{ "rate_per_s", FIELD_OBJECT, AT(struct result_summary, rate_per_s),
	  .sub = interval_fields },
	{ "slowdown_pct", FIELD_OBJECT, .sub = slowdown_fields, .has = has_slowdown },
	{ "launch_latency_ns", FIELD_OBJECT, AT(struct result_summary, launch_latency),
	  .sub = latency_fields },
	{ "sources", FIELD_LIST, .sub = source_fields, .list = &summary_source_list },
	{ "cross", FIELD_OBJECT, AT(struct result_summary, cross), .sub = cross_fields,
	  .has = summary_has_cross },
	{ "cpu_us_per_launch", FIELD_REAL, AT(struct result_summary, cpu_us_per_launch[0]),
	  .has = has_source_a },
	{ "cpu_us_per_launch_b", FIELD_REAL, AT(struct result_summary, cpu_us_per_launch[1]),
	  .has = has_source_b },
	SUMMARY(FIELD_U64, memory_bytes),
	{ "disturbed", FIELD_OBJECT, AT(struct result_summary, disturbed),
	  .sub = disturbed_fields },
	END,
};

static size_t result_runs(const void *base)
{
	return ((const struct result *)base)->nruns;
}

static const void *result_run_at(const void *base, size_t i)
{
	return &((const struct result *)base)->run[i];
}

static void *result_run_add(void *base)
{
	struct result *r = base;

	return r->nruns < RESULT_MAX_RUNS ? result_add_run(r) : NULL;
}

static const struct field_list result_run_list = {
	.count = result_runs,
	.at = result_run_at,
	.add = result_run_add,
	.limit = "at most 16384 runs, as memory allows",
};

static size_t result_pooleds(const void *base)
{
	return ((const struct result *)base)->npooled;
}

static const void *result_pooled_at(const void *base, size_t i)
{
	return &((const struct result *)base)->pooled[i];
}

static void *result_pooled_add(void *base)
{
	struct result *r = base;

	return r->npooled < RESULT_MAX_RUNS ? result_add_pooled(r) : NULL;
}

static const struct field_list result_pooled_list = {
	.count = result_pooleds,
	.at = result_pooled_at,
	.add = result_pooled_add,
	.limit = "at most 16384, as memory allows",
};

static size_t result_summaries(const void *base)
{
	return ((const struct result *)base)->nsummaries;
}

static const void *result_summary_at(const void *base, size_t i)
{
	return &((const struct result *)base)->summary[i];
}

static const struct field_list result_summary_list = {
	.count = result_summaries,
	.at = result_summary_at,
};

static const struct field tool_fields[] = {
	{ "name", FIELD_CONST, .derived = true, .text = "proctrace" },
	TEXT(struct result, version),
	END,
};

static bool has_laws(const void *base)
{
	return ((const struct result *)base)->laws;
}

const struct field result_fields[] = {
	{ "schema", FIELD_CONST, .derived = true, .text = RESULT_SCHEMA },
	{ "tool", FIELD_OBJECT, .sub = tool_fields },
	NAMED(struct result, FIELD_I64, wall_time_s, "started_unix_s"),
	PLAIN(struct result, FIELD_BOOL, interrupted),
	{ "host", FIELD_OBJECT, AT(struct result, host), .sub = host_fields },
	{ "config", FIELD_OBJECT, AT(struct result, config), .sub = config_fields },
	LATER(struct result, FIELD_U64, warm_up_launches),
	{ "runs", FIELD_LIST, .sub = run_fields, .list = &result_run_list },
	{ "latency_pooled_ns", FIELD_LIST, .optional = true, .sub = pooled_fields,
	  .list = &result_pooled_list },
	{ "explained_us", FIELD_LIST, .optional = true, .sub = figure_fields,
	  .list = &figure_list },
	{ "summary", FIELD_LIST, .derived = true, .sub = summary_fields,
	  .list = &result_summary_list },
	{ "laws", FIELD_OBJECT, .derived = true, .sub = laws_fields, .has = has_laws },
	END,
};
