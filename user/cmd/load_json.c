// SPDX-License-Identifier: MIT
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/load_print.h"
#include "report/result_fields.h"

#define LOAD_SCHEMA "proctrace.load/1"

/* The same keys as in a report. */
static json_t *host_json(const struct result_host *host)
{
	char *text = NULL;
	size_t len;
	json_t *json = NULL;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	fields_write(f, host_fields, host, 0);
	if (fclose(f) == 0)
		json = json_loads(text, 0, NULL);
	free(text);
	return json;
}

static json_t *latency_json(const struct hist *h)
{
	return json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I}", "n", (json_int_t)h->n, "p50",
		(json_int_t)hist_quantile(h, 0.5), "p90", (json_int_t)hist_quantile(h, 0.9), "p99",
		(json_int_t)hist_quantile(h, 0.99), "p999", (json_int_t)hist_quantile(h, 0.999),
		"max", (json_int_t)hist_quantile(h, 1));
}

static json_t *failures_json(const struct load_result *r)
{
	json_t *list = json_array();

	for (int i = 0; i < LOAD_MAX_ERRNOS && r->failed_by[i].n; i++)
		json_array_append_new(list, json_pack("{s:s, s:I}", "errno",
						      strerrorname_np(r->failed_by[i].err), "n",
						      (json_int_t)r->failed_by[i].n));
	return list;
}

static json_t *workers_json(const struct load_result *r)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < r->nworkers; i++) {
		const struct load_worker_result *w = &r->worker[i];

		json_array_append_new(
			list, json_pack("{s:I, s:I, s:I, s:f}", "launches", (json_int_t)w->launches,
					"failed", (json_int_t)w->failed, "bad_status",
					(json_int_t)w->bad_status, "rate_per_s", w->rate_per_s));
	}
	return list;
}

static json_t *run_json(const struct load_run *run, const char *target)
{
	const struct load_cfg *cfg = &run->cfg;
	const struct load_result *r = &run->result;
	const double s = (double)(r->end_ns - r->start_ns) / NSEC_PER_SEC;

	return json_pack(
		"{s:s, s:s, s:s, s:i, s:i, s:f, s:f, s:f, s:I, s:I, s:I, s:f, s:f, s:f, "
		"s:b, s:b, s:o, s:o, s:o}",
		"method", load_method_names[cfg->method], "mode", load_mode_names[cfg->mode],
		"target", target, "workers", (int)cfg->workers, "inflight", (int)r->inflight,
		"duration_s", s, "pause_s", (double)cfg->pause_ns / NSEC_PER_SEC, "rate_target",
		cfg->rate, "launches", (json_int_t)r->launches, "failed", (json_int_t)r->failed,
		"bad_status", (json_int_t)r->bad_status, "rate_per_s", r->rate_per_s, "cpu_s",
		r->cpu_user_s + r->cpu_sys_s, "child_cpu_s", r->child_user_s + r->child_sys_s,
		"truth_full", r->truth_full, "gave_up", r->gave_up, "failed_by", failures_json(r),
		"launch_latency_ns", latency_json(&r->latency), "per_worker", workers_json(r));
}

static const struct load_run *fastest(const struct load_runs *runs)
{
	const struct load_run *best = &runs->run[0];

	for (unsigned i = 1; i < runs->n; i++)
		if (runs->run[i].result.rate_per_s > best->result.rate_per_s)
			best = &runs->run[i];
	return best;
}

/* JSON must be valid UTF-8; file names need not be. */
static const char *target_text(const char *target)
{
	json_t *json = json_string(target);
	const char *text = json ? target : "";

	json_decref(json);
	return text;
}

int load_print_json(const struct load_runs *runs, FILE *f)
{
	const char *target = target_text(runs->target);
	json_t *root = json_pack("{s:s, s:b, s:o, s:o}", "schema", LOAD_SCHEMA, "interrupted",
				 runs->interrupted, "host", host_json(&runs->host), "load",
				 run_json(fastest(runs), target));
	json_t *list = runs->n > 1 ? json_array() : NULL;
	int r = root ? 0 : -ENOMEM;

	for (unsigned i = 0; list && i < runs->n; i++)
		json_array_append_new(list, run_json(&runs->run[i], target));
	if (root && list)
		r = json_object_set_new(root, "runs", list) ? -ENOMEM : 0;
	if (!r)
		r = json_dumpf(root, f, JSON_INDENT(2)) || putc('\n', f) == EOF ? -EIO : 0;
	json_decref(root);
	return r;
}
