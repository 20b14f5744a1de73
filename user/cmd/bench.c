// SPDX-License-Identifier: MIT
/* bench: the main job. Launches, watchers, ledgers, report. */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "base/version.h"
#include "bench/cell.h"
#include "cmd/bench_opts.h"
#include "cmd/bench_result.h"
#include "cmd/cmd.h"
#include "report/result.h"
#include "report/text.h"

/* More than any machine starts a second and CPU: sizes the memory for truth and recordings. */
#define RATE_PER_CPU 30000
#define SLACK_EVENTS 100000
#define WARM_UP_NS (50 * NSEC_PER_MSEC)
/* Enough to close one monitor's sources and open the next one's. */
#define GAP_NS (100 * NSEC_PER_MSEC)
/* Truth 32 bytes, three events in each of two recordings, reconcile at most 64. */
#define BYTES_PER_LAUNCH (32 + 2 * 3 * sizeof(struct rec) + 64)

struct bench {
	struct bench_opts opts;
	struct plan plan;
	struct rig rig;
	struct result result;
	struct pooled pooled;
	struct cell_result *cell;
	bool progress; /* stderr is a terminal */
	size_t done; /* cells */
	uint64_t start_ns;
	const struct plan_cell *now;
	uint64_t gap_ns; /* idle time before each load */
};

/* ---- progress --------------------------------------------------------------------------------- */

static void progress_show(void *ctx, uint64_t launches, uint64_t elapsed_ns)
{
	const struct bench *b = ctx;
	double rate = elapsed_ns ? (double)launches * NSEC_PER_SEC / (double)elapsed_ns : 0;
	double spent = (double)(clock_now_ns() - b->start_ns) / NSEC_PER_SEC;
	double left = b->done ? spent / (double)b->done * (double)(b->plan.ncells - b->done) : 0;

	fprintf(stderr, "\r\033[K%s · %s · round %u of %u · %.0f launches/s",
		b->plan.scenario[b->now->scenario].name, b->plan.monitor[b->now->monitor].name,
		b->now->round, b->opts.rounds, rate);
	if (b->done)
		fprintf(stderr, " · %.0f s left", left);
}

static void progress_clear(const struct bench *b)
{
	if (b->progress)
		fputs("\r\033[K", stderr);
}

/* ---- set up ----------------------------------------------------------------------------------- */

/* Refuses before a minute of measuring, not after it. */
static int output_check(const char *path, struct err *e)
{
	char copy[4096];

	if (!path)
		return 0;
	snprintf(copy, sizeof(copy), "%s", path);
	if (access(dirname(copy), W_OK))
		return err_set(e, -errno, "cannot write '%s': %s", path, strerror(errno));
	return 0;
}

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

	for (unsigned i = 0; i < b->plan.nscenarios; i++) {
		uint64_t n = load_most(&b->plan.scenario[i].load, cpus);

		if (n > most)
			most = n;
	}
	return (most < bound ? most : bound) + SLACK_EVENTS;
}

static int rig_open(struct bench *b, unsigned cpus, struct err *e)
{
	struct load_pool_cfg pool = { .max_launches = launches_most(b, cpus),
				      .target = b->opts.load.target };
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
	c->rounds = o->rounds;
	snprintf(c->method, sizeof(c->method), "%s", load_method_names[o->load.method]);
	snprintf(c->target, sizeof(c->target), "%s", o->load.target ? o->load.target : "testApp");
	c->ring_bytes = o->ring;
	c->rcvbuf_bytes = o->rcvbuf;
	c->stall_ms = o->stall_ms;
	c->seed = o->seed;
	snprintf(b->result.version, sizeof(b->result.version), "%s", PROCTRACE_VERSION);
	b->result.wall_time_s = time(NULL);
	result_host_fill(&b->result.host);
}

/* ---- measure ---------------------------------------------------------------------------------- */

/* What the scenario leaves open, the options say. */
static struct conditions conditions_of(const struct bench *b, const struct scenario *s)
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

static struct load_cfg warm_up_of(const struct load_cfg *load)
{
	struct load_cfg l = *load;

	if (!l.duration_ns || l.duration_ns > WARM_UP_NS)
		l.duration_ns = WARM_UP_NS;
	return l;
}

static int cell_measure(struct bench *b, const struct plan_cell *pc, struct err *e)
{
	const struct monitor *m = &b->plan.monitor[pc->monitor];
	const struct scenario *sc = &b->plan.scenario[pc->scenario];
	struct cell_cfg cfg = {
		.load = pc->purpose == SLICE_WARM_UP ? warm_up_of(&sc->load) : sc->load,
		.gap_ns = b->gap_ns,
		.kernel_stats = pc->purpose == SLICE_KERNEL,
		.cond = conditions_of(b, sc),
		.nsources = m->nsources,
		.attach = (enum source_attach)b->opts.attach,
		.btf = b->opts.btf,
	};
	struct result_run *run;
	int err;

	memcpy(cfg.source, m->source, sizeof(cfg.source));
	b->now = pc;
	err = cell_run(&b->rig, &cfg, b->cell, e);
	if (err)
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

static int cells_measure(struct bench *b, struct err *e)
{
	int err = 0;

	b->start_ns = clock_now_ns();
	for (size_t i = 0; !err && i < b->plan.ncells && !stop_requested(); i++) {
		err = cell_measure(b, &b->plan.cell[i], e);
		b->done++;
	}
	progress_clear(b);
	b->result.interrupted = stop_requested();
	return err;
}

/* ---- report ----------------------------------------------------------------------------------- */

static int report_print(struct bench *b, struct err *e)
{
	bool colour = text_colour(stdout, b->opts.colour);
	int err = bench_result_pool(&b->result, &b->plan, &b->pooled);

	if (!err)
		err = result_summarise(&b->result);
	if (err)
		return err_set(e, err, "out of memory");
	if (b->opts.json)
		err = result_write(&b->result, stdout, e);
	else
		text_report(&b->result, stdout, colour);
	if (!err && fflush(stdout) && errno != EPIPE)
		err = err_set(e, -errno, "cannot write the report: %s", strerror(errno));
	return err;
}

/* What the figures say about the exit status. */
static int verdict_status(const struct bench *b)
{
	bool lost = false;

	for (size_t i = 0; i < b->result.nruns; i++)
		for (unsigned s = 0; s < b->result.run[i].nsources; s++) {
			const struct result_source *src = &b->result.run[i].source[s];

			lost |= src->ledger.all.lost > 0;
			if (!src->checks_ok)
				return complain(EXIT_FAILED,
						"the books of %s do not balance (%s, round %u): %s",
						src->name, b->result.run[i].scenario,
						b->result.run[i].round, src->ledger.books_why);
		}
	if (b->result.interrupted)
		return EXIT_INTERRUPTED;
	return lost && b->opts.fail_on_loss ? EXIT_LOSS : EXIT_DONE;
}

/* Prints and saves what there is, also after a failure: nothing measured is lost. */
static int report_all(struct bench *b)
{
	int status = EXIT_DONE;
	struct err e;

	if (report_print(b, &e))
		status = complain(EXIT_FAILED, "%s", e.text);
	if (b->opts.output && result_save(&b->result, b->opts.output, &e))
		status = complain(EXIT_FAILED, "%s", e.text);
	return status ? status : verdict_status(b);
}

static int bench_open(struct bench *b, struct err *e)
{
	unsigned cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	int err = bench_plan(&b->opts, cpus, &b->plan, e);

	if (!err)
		err = output_check(b->opts.output, e);
	if (!err)
		err = sources_check(b, e);
	if (err)
		return err;
	b->cell = calloc(1, sizeof(*b->cell));
	if (!b->cell)
		return err_set(e, -ENOMEM, "out of memory");
	return rig_open(b, cpus, e);
}

static void bench_close(struct bench *b)
{
	load_close(b->rig.load);
	for (unsigned i = 0; i < CELL_MAX_SOURCES; i++)
		recording_free(&b->rig.rec[i]);
	result_free(&b->result);
	pooled_free(&b->pooled);
	plan_free(&b->plan);
	free(b->cell);
	free(b);
}

static int bench_run(struct bench *b)
{
	struct err e;
	int status, err = bench_open(b, &e);

	if (err)
		return complain(err == -EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s", e.text);
	config_fill(b);
	err = cells_measure(b, &e);
	if (err && !b->result.nruns)
		return complain(EXIT_FAILED, "%s", e.text);
	status = report_all(b);
	return err ? complain(EXIT_FAILED, "%s", e.text) : status;
}

static int bench_main(int argc, char **argv)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct err e;
	int status;

	if (!b)
		return complain(EXIT_FAILED, "out of memory");
	status = bench_opts_parse(&b->opts, &cmd_bench, argc, argv, &e);
	if (status) {
		free(b);
		return status > 0 ? EXIT_DONE : complain(EXIT_USAGE, "%s", e.text);
	}
	stop_install();
	b->progress = isatty(STDERR_FILENO);
	b->gap_ns = GAP_NS;
	status = bench_run(b);
	bench_close(b);
	return status;
}

const struct command cmd_bench = {
	.name = "bench",
	.usage = "[OPTION]...",
	.summary = "measure what each way of watching processes loses and costs",
	.run = bench_main,
	.details = "Scenarios: serial (one worker: start, wait for the end, again), workers (one a "
		   "CPU, and two\n"
		   "a CPU), burst (one worker that starts without waiting). With --workers, "
		   "--mode, --pause or\n"
		   "--rate and no --scenario, exactly that load runs, as \"custom\".\n\n"
		   "Exit status: 0 done, 1 failed (or books that do not balance), 2 usage, 3 loss "
		   "with\n"
		   "--fail-on-loss, 130 interrupted after an orderly end.\n",
};
