// SPDX-License-Identifier: MIT
#include "cmd/bench_resume.h"

#include <errno.h>
#include <string.h>

bool resume_find(const char *path, struct result *saved)
{
	struct err e;

	*saved = (struct result){ 0 };
	/* Anything else is replaced when the first cells are done, as ever. */
	if (!path || result_load(saved, path, &e))
		return false;
	if (saved->interrupted)
		return true;
	result_free(saved);
	return false;
}

/* The first thing in which the two differ; NULL: none. The seed of the saved one was taken over. */
static const char *difference(const struct result *a, const struct result *b)
{
	const struct result_config *x = &a->config, *y = &b->config;
	const struct result_host *h = &a->host, *g = &b->host;
	const struct {
		bool same;
		const char *what;
	} checks[] = {
		{ !strcmp(a->version, b->version), "another version of proctrace" },
		{ !strcmp(h->kernel, g->kernel), "another kernel" },
		{ !strcmp(h->cpu_model, g->cpu_model) && h->cpus == g->cpus, "another machine" },
		{ !strcmp(x->suite, y->suite), "another --suite" },
		{ x->duration_s == y->duration_s, "another --duration" },
		{ x->rounds == y->rounds, "another number of --rounds" },
		{ !strcmp(x->method, y->method), "another --method" },
		{ !strcmp(x->target, y->target), "another --target" },
		{ x->ring_bytes == y->ring_bytes && x->rcvbuf_bytes == y->rcvbuf_bytes,
		  "other sizes of buffers" },
		{ x->stall_ms == y->stall_ms, "another --stall" },
		{ x->seed == y->seed, "another --seed" },
		{ x->auto_pct == y->auto_pct && x->count == y->count,
		  "another --count or --rounds" },
	};

	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		if (!checks[i].same)
			return checks[i].what;
	return NULL;
}

static bool same_conditions(const struct conditions *a, const struct conditions *b)
{
	return a->ring_bytes == b->ring_bytes && a->rcvbuf_bytes == b->rcvbuf_bytes &&
	       a->stall_ns == b->stall_ns && a->stall_after_ns == b->stall_after_ns &&
	       a->stall_every_ns == b->stall_every_ns && a->place == b->place &&
	       a->cpu_limit_pct == b->cpu_limit_pct && a->unwatched == b->unwatched &&
	       a->twice == b->twice && a->pause_ns == b->pause_ns &&
	       a->lifetime_ns == b->lifetime_ns && a->lifetime_sleeps == b->lifetime_sleeps;
}

/* Whether @run is what the plan has at its place. */
static bool is_planned(const struct bench *b, const struct result_run *run)
{
	const struct plan_cell *pc;
	const struct scenario *sc;
	struct conditions cond;

	if (run->sequence < 1 || run->sequence > b->plan.ncells)
		return false;
	pc = &b->plan.cell[run->sequence - 1];
	sc = &b->plan.scenario[pc->scenario];
	cond = session_conditions(b, sc);
	return pc->purpose != SLICE_WARM_UP && run->round == pc->round &&
	       run->kernel_timed == (pc->purpose == SLICE_KERNEL) &&
	       !strcmp(run->scenario, sc->name) && !strcmp(run->study, sc->study) &&
	       !strcmp(run->monitor, b->plan.monitor[pc->monitor].name) &&
	       same_conditions(&run->cond, &cond);
}

static int refuse(const struct bench *b, const char *why, struct err *e)
{
	return err_set(
		e, -EINVAL,
		"'%s' is an unfinished report of %s: give the options that it was begun with, "
		"another --output, or remove it",
		b->opts.output, why);
}

int resume_take(struct bench *b, const struct result *saved, struct err *e)
{
	const char *why = difference(saved, &b->result);

	if (why)
		return refuse(b, why, e);
	for (size_t i = 0; i < saved->nruns; i++) {
		const struct result_run *from = &saved->run[i];
		struct result_run *run;

		if (from->interrupted)
			continue;
		if (!is_planned(b, from) || b->have[from->sequence - 1])
			return refuse(b, "other scenarios or monitors", e);
		run = result_add_run(&b->result);
		if (!run)
			return err_set(e, -ENOMEM, "out of memory");
		*run = *from;
		b->have[from->sequence - 1] = true;
	}
	b->result.wall_time_s = saved->wall_time_s;
	b->result.warm_up_launches = saved->warm_up_launches;
	b->resumed = true;
	return 0;
}
