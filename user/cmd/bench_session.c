// SPDX-License-Identifier: MIT
#include "cmd/bench_session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "base/version.h"
#include "cmd/bench_result.h"

/* More than any machine starts a second and CPU: sizes the memory for truth and recordings. */
#define RATE_PER_CPU 30000
#define SLACK_EVENTS 100000
#define WARM_UP_S 0.05
#define WARM_UP_NS (50 * NSEC_PER_MSEC)
/* For the time left. */
#define CELL_OVERHEAD_S 0.25
#define RATE_TYPICAL 8000
/* Enough to close one monitor's sources and open the next one's. */
#define GAP_NS (100 * NSEC_PER_MSEC)
#define EXTERNAL_NS (500 * NSEC_PER_MSEC)
#define EXTERNAL_TRIES 2
/* Truth 32 bytes, three events in each of two recordings, reconcile at most 64. */
#define BYTES_PER_LAUNCH (32 + 2 * 3 * sizeof(struct rec) + 64)

/* ---- progress --------------------------------------------------------------------------------- */

/* How long a cell will take, roughly: only the proportions matter once some are done. */
static double cell_estimate(const struct bench *b, const struct plan_cell *pc)
{
	const struct scenario *sc = &b->plan.scenario[pc->scenario];
	double s = (double)sc->load.duration_ns / NSEC_PER_SEC;

	if (pc->purpose == SLICE_WARM_UP)
		return WARM_UP_S + CELL_OVERHEAD_S;
	if (!sc->load.duration_ns)
		s = (double)sc->load.count / RATE_TYPICAL;
	if (sc->cond.twice)
		s = 2 * s + (double)sc->cond.pause_ns / NSEC_PER_SEC;
	return s + CELL_OVERHEAD_S;
}

/* Seconds until the end: what is planned, at the speed so far. */
static double time_left(const struct bench *b)
{
	const double spent = (double)(clock_now_ns() - b->start_ns) / NSEC_PER_SEC;
	double done = 0, left = 0;

	for (size_t i = 0; i < b->plan.ncells; i++)
		if (i >= b->nhave || !b->have[i])
			*(i < b->done ? &done : &left) += cell_estimate(b, &b->plan.cell[i]);
	return done > 0 ? left * spent / done : left;
}

static void progress_show(void *ctx, uint64_t launches, uint64_t elapsed_ns)
{
	const struct bench *b = ctx;
	double rate = elapsed_ns ? (double)launches * NSEC_PER_SEC / (double)elapsed_ns : 0;

	fprintf(stderr, "\r\033[K%s · %s · round %u of %u · %.0f launches/s · %.0f s left",
		b->plan.scenario[b->now->scenario].name, b->plan.monitor[b->now->monitor].name,
		b->now->round, b->rounds, rate, time_left(b));
}

static void progress_clear(const struct bench *b)
{
	if (b->progress)
		fputs("\r\033[K", stderr);
}

/* ---- set up ----------------------------------------------------------------------------------- */

/* Each source that the plan names, tried once: the reason is told before anything is started. */
static int sources_check(const struct bench *b, struct err *e)
{
	const struct plan *p = &b->plan;
	struct err why;

	if (b->opts.btf && access(b->opts.btf, R_OK))
		return err_set(e, -EINVAL, "--btf '%s': %s; give the BTF file of this kernel",
			       b->opts.btf, strerror(errno));
	for (unsigned i = 0; i < p->nmonitors; i++) {
		const struct monitor *m = &p->monitor[i];
		int err = 0;

		/* With a BTF file of the user's, the cell itself is the first real try. */
		if (m->nsources == 1 && !b->opts.btf)
			err = m->source[0]->probe(&why);
		if (err)
			return err_set(e, err, "%s", why.text);
	}
	return 0;
}

static struct load_cfg warm_up_of(const struct load_cfg *load)
{
	struct load_cfg l = *load;

	if (!l.duration_ns || l.duration_ns > WARM_UP_NS)
		l.duration_ns = WARM_UP_NS;
	return l;
}

/* A slice of another monitor is longer, unless the user said how long: its start costs more than that. */
static struct load_cfg load_of(const struct bench *b, const struct plan_cell *pc)
{
	const struct load_cfg *load = &b->plan.scenario[pc->scenario].load;
	struct load_cfg l = pc->purpose == SLICE_WARM_UP ? warm_up_of(load) : *load;

	if (b->plan.monitor[pc->monitor].external && !b->opts.duration_given && l.duration_ns &&
	    l.duration_ns < EXTERNAL_NS)
		l.duration_ns = EXTERNAL_NS;
	return l;
}

/* Most that one run of @l can launch. */
static uint64_t load_most(const struct load_cfg *l, unsigned cpus)
{
	double seconds = (double)l->duration_ns / NSEC_PER_SEC;
	uint64_t by_time = (uint64_t)(seconds * RATE_PER_CPU * cpus);

	return l->count && (!by_time || l->count < by_time) ? l->count : by_time;
}

static uint64_t launches_most(const struct bench *b, unsigned cpus)
{
	uint64_t memory = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t bound = memory / 4 / BYTES_PER_LAUNCH, most = 0;

	for (size_t i = 0; i < b->plan.ncells; i++) {
		const struct load_cfg load = load_of(b, &b->plan.cell[i]);
		uint64_t n = load_most(&load, cpus);

		if (n > most)
			most = n;
	}
	return (most < bound ? most : bound) + SLACK_EVENTS;
}

static int rig_open(struct bench *b, unsigned cpus, struct err *e)
{
	struct load_pool_cfg pool = { .max_launches = launches_most(b, cpus),
				      .target = b->opts.load.target,
				      .ballast_fds = b->opts.load.ballast_fds,
				      .ballast_mib = b->opts.load.ballast_mib };
	struct truth *names = &b->rig.names;
	int err;

	for (unsigned i = 0; i < b->plan.nscenarios; i++)
		if (b->plan.scenario[i].load.workers > pool.workers)
			pool.workers = b->plan.scenario[i].load.workers;
	err = load_open(&pool, &b->rig.load, e);
	if (err)
		return err;
	load_truth(b->rig.load, names);
	for (unsigned i = 0; i < CELL_MAX_SOURCES; i++)
		if (recording_init(&b->rig.rec[i], EV_KINDS * pool.max_launches))
			return err_set(e, -ENOMEM,
				       "out of memory for %llu launches: take a shorter --duration "
				       "or less --count",
				       (unsigned long long)pool.max_launches);
	if (b->progress) {
		b->rig.progress = progress_show;
		b->rig.progress_ctx = b;
	}
	return 0;
}

static void config_fill(struct bench *b)
{
	const struct bench_opts *o = &b->opts;
	struct result_config *c = &b->result.config;

	c->duration_s = (double)o->load.duration_ns / NSEC_PER_SEC;
	c->count = o->load.count;
	c->rounds = o->rounds.n;
	c->auto_pct = o->rounds.automatic ? o->rounds.pct : 0;
	c->max_time_s = o->rounds.automatic ? (double)o->max_time_ns / NSEC_PER_SEC : 0;
	snprintf(c->method, sizeof(c->method), "%s", load_method_names[o->load.method]);
	snprintf(c->target, sizeof(c->target), "%s", o->load.target ? o->load.target : "testApp");
	c->ring_bytes = o->ring;
	c->rcvbuf_bytes = o->rcvbuf;
	c->stall_ms = o->stall_ms;
	c->seed = o->seed;
	if (o->suite != NOT_GIVEN)
		snprintf(c->suite, sizeof(c->suite), "%s", suites[o->suite].name);
	snprintf(b->result.version, sizeof(b->result.version), "%s", PROCTRACE_VERSION);
	b->result.wall_time_s = time(NULL);
	result_host_fill(&b->result.host);
}

int session_open(struct bench *b, struct err *e)
{
	unsigned cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	int err = sources_check(b, e);

	if (err)
		return err;
	if (!b->gap_ns)
		b->gap_ns = GAP_NS;
	b->cell = calloc(1, sizeof(*b->cell));
	if (!b->cell)
		return err_set(e, -ENOMEM, "out of memory");
	b->nhave = b->plan.ncells;
	b->have = calloc(b->nhave + 1, sizeof(*b->have));
	if (!b->have)
		return err_set(e, -ENOMEM, "out of memory");
	config_fill(b);
	return rig_open(b, cpus, e);
}

void session_close(struct bench *b)
{
	load_close(b->rig.load);
	for (unsigned i = 0; i < CELL_MAX_SOURCES; i++)
		recording_free(&b->rig.rec[i]);
	result_free(&b->result);
	pooled_free(&b->pooled);
	plan_free(&b->plan);
	free(b->cell);
	free(b->have);
}

/* ---- measure ---------------------------------------------------------------------------------- */

struct conditions session_conditions(const struct bench *b, const struct scenario *s)
{
	struct conditions c = s->cond;

	if (!c.ring_bytes)
		c.ring_bytes = b->opts.ring;
	if (!c.rcvbuf_bytes)
		c.rcvbuf_bytes = b->opts.rcvbuf;
	if (!c.stall_ns && b->opts.stall_ms) {
		c.stall_ns = b->opts.stall_ms * NSEC_PER_MSEC;
		c.stall_every_ns = NSEC_PER_SEC;
	}
	return c;
}

/* Runs the cell, unless its monitor failed to start so often that there is no sense in another try. */
static int cell_try(struct bench *b, const struct plan_cell *pc, const struct cell_cfg *cfg,
		    struct err *e)
{
	struct external_result *last = &b->failed[pc->monitor].last;
	int err;

	if (b->failed[pc->monitor].times >= EXTERNAL_TRIES) {
		memset(b->cell, 0, sizeof(*b->cell));
		b->cell->external = *last;
		return 0;
	}
	err = cell_run(&b->rig, cfg, b->cell, e);
	b->result.warm_up_launches += b->cell->warm_up;
	if (!err && b->cell->external.state != EXTERNAL_GOOD && !b->cell->load.launches) {
		b->failed[pc->monitor].times++;
		*last = b->cell->external;
	}
	return err;
}

static int cell_measure(struct bench *b, const struct plan_cell *pc, struct err *e)
{
	const struct monitor *m = &b->plan.monitor[pc->monitor];
	const struct scenario *sc = &b->plan.scenario[pc->scenario];
	struct cell_cfg cfg = {
		.load = load_of(b, pc),
		.gap_ns = b->gap_ns,
		.kernel_stats = pc->purpose == SLICE_KERNEL,
		.cond = session_conditions(b, sc),
		.nsources = m->nsources,
		.external = m->external,
		.attach = (enum source_attach)b->opts.attach,
		.btf = b->opts.btf,
	};
	struct result_run *run;
	int err;

	memcpy(cfg.source, m->source, sizeof(cfg.source));
	b->now = pc;
	err = cell_try(b, pc, &cfg, e);
	if (err || (b->cell->interrupted && !b->cell->load.launches))
		return err;
	if (pc->purpose == SLICE_WARM_UP) {
		b->result.warm_up_launches += b->cell->load.launches + b->cell->harness;
		return 0;
	}
	run = result_add_run(&b->result);
	if (!run)
		return err_set(e, -ENOMEM, "out of memory");
	run->sequence = (uint32_t)(pc - b->plan.cell) + 1;
	bench_result_fill(run, &b->plan, pc, &cfg.cond, b->cell, b->rig.rec);
	return pooled_add(&b->pooled, pc, b->cell, b->rig.rec)
		       ? err_set(e, -ENOMEM, "out of memory")
		       : 0;
}

/* Whether cell @i is not needed any more: it is there, or it would warm up for one that is. */
static bool cell_is_had(const struct bench *b, size_t i)
{
	if (i < b->plan.ncells && b->plan.cell[i].purpose == SLICE_WARM_UP)
		i++;
	return i < b->nhave && b->have[i];
}

/* A row of slices is one; between two rows there is time to write. */
static bool row_ends(const struct plan *p, size_t i)
{
	return i + 1 >= p->ncells || p->cell[i + 1].scenario != p->cell[i].scenario ||
	       p->cell[i + 1].round != p->cell[i].round;
}

/* What there is so far, marked as unfinished: the same command goes on from there. */
static int progress_save(struct bench *b, struct err *e)
{
	int err;

	if (!b->opts.output || b->opts.rounds.automatic || !row_ends(&b->plan, b->done))
		return 0;
	b->result.interrupted = true;
	err = result_save(&b->result, b->opts.output, e);
	b->result.interrupted = false;
	return err;
}

static int cells_measure(struct bench *b, struct err *e)
{
	int err = 0;

	while (!err && b->done < b->plan.ncells && !stop_requested()) {
		if (!cell_is_had(b, b->done)) {
			err = cell_measure(b, &b->plan.cell[b->done], e);
			if (!err)
				err = progress_save(b, e);
		}
		b->done++;
	}
	return err;
}

/* Which scenarios have a slowdown that is not known well enough; false: none. */
static bool scenarios_wanted(const struct bench *b, bool *wanted)
{
	bool any = false;

	for (unsigned i = 0; i < b->plan.nscenarios; i++)
		wanted[i] = false;
	for (size_t i = 0; i < b->result.nsummaries; i++) {
		const struct result_summary *s = &b->result.summary[i];
		const bool wide = !s->slowdown_pct.valid || s->detectable_pct > b->opts.rounds.pct;

		for (unsigned k = 0; s->has_slowdown && wide && k < b->plan.nscenarios; k++)
			if (strcmp(s->scenario, b->plan.scenario[k].name) == 0)
				any = wanted[k] = true;
	}
	return any;
}

/* Round after round of what is not known well enough, as long as there is time. */
static int rounds_add(struct bench *b, struct err *e)
{
	bool wanted[PLAN_MAX_SCENARIOS];
	int err = 0;

	while (!err && !stop_requested() && b->rounds < BENCH_ROUNDS_MOST &&
	       clock_now_ns() - b->start_ns < b->opts.max_time_ns) {
		err = result_summarise(&b->result);
		if (err || !scenarios_wanted(b, wanted))
			break;
		err = plan_append(&b->plan, ++b->rounds, b->opts.seed, wanted);
		if (!err)
			err = cells_measure(b, e);
		else
			err_set(e, err, "out of memory");
	}
	return err;
}

int session_measure(struct bench *b, struct err *e)
{
	int err;

	b->start_ns = clock_now_ns();
	b->rounds = b->opts.rounds.n;
	err = cells_measure(b, e);
	if (!err && b->opts.rounds.automatic)
		err = rounds_add(b, e);
	b->result.config.rounds = b->rounds;
	progress_clear(b);
	b->result.interrupted = stop_requested();
	return err;
}

int session_summarise(struct bench *b)
{
	/* The histograms of an earlier part are gone: then medians of the rounds have to do. */
	int err = b->resumed ? 0 : bench_result_pool(&b->result, &b->plan, &b->pooled);

	return err ? err : result_summarise(&b->result);
}

static void explain_show(void *ctx, const char *what)
{
	(void)ctx;
	fprintf(stderr, "\r\033[Kwhat a launch is made of: %s", what);
}

int session_explain(struct bench *b, struct err *e)
{
	struct explain x = { .n = 0 };
	int err = 0;

	if (stop_requested())
		return 0;
	err = explain_measure(&x, b->opts.load.target, b->progress ? explain_show : NULL, b, e);
	progress_clear(b);
	b->result.interrupted = stop_requested();
	for (unsigned i = 0; i < x.n; i++) {
		struct explain_figure *f = result_add_figure(&b->result);

		if (!f)
			return err_set(e, -ENOMEM, "out of memory");
		*f = x.figure[i];
	}
	return err;
}
