// SPDX-License-Identifier: MIT
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/load_print.h"
#include "cmd/opt_colour.h"
#include "load/load_opts.h"

#define DURATION_DEFAULT (5 * NSEC_PER_SEC)
/* Faster than any machine known starts processes on one CPU: no run is to end for want of memory. */
#define LAUNCHES_PER_CPU_S 60000
#define LAUNCHES_MAX (32ULL << 20)
#define PROGRESS_MS 250

struct load_cmd_opts {
	struct load_opts load;
	bool json;
	int colour; /* enum text_colour */
};

static const struct opt output_opts[] = {
	{ .name = "json",
	  .parse = opt_flag,
	  .offset = offsetof(struct load_cmd_opts, json),
	  .help = "print one JSON object" },
	OPT_COLOUR(struct load_cmd_opts, colour),
	{ 0 },
};

/* For the signal handler. */
static struct load *volatile stoppable;
static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	struct load *l = stoppable;

	(void)sig;
	interrupted = 1;
	if (l)
		load_stop(l);
}

static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction now, sa = { .sa_handler = on_signal };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		/* What nohup ignores stays ignored. */
		if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
}

static int opts_read(const struct command *cmd, int argc, char **argv, struct load_cmd_opts *o,
		     struct err *e)
{
	const struct opt_group groups[] = { { "Load", load_opts_table, &o->load },
					    { "Output", output_opts, o },
					    { NULL, NULL, NULL } };
	int r = opts_parse(cmd, groups, argc, argv, false, NULL, e);

	if (r)
		return r;
	if (!o->load.workers.from)
		o->load.workers = (struct opt_range){ 1, 1 };
	if (!o->load.duration_ns && !o->load.count)
		o->load.duration_ns = DURATION_DEFAULT;
	return load_opts_check(&o->load, e);
}

static uint64_t launches_expected(const struct load_opts *o)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	const double cpus = online > 0 && online < o->workers.to ? (double)online : o->workers.to;
	const double per_s = o->rate > 0 ? o->rate : LAUNCHES_PER_CPU_S * cpus;
	const double by_time = (double)o->duration_ns / NSEC_PER_SEC * per_s + 1000;

	if (o->duration_ns && (!o->count || by_time < (double)o->count))
		return by_time < LAUNCHES_MAX ? (uint64_t)by_time : LAUNCHES_MAX;
	return o->count < LAUNCHES_MAX ? o->count : LAUNCHES_MAX;
}

static void show_progress(struct load *l, const struct load_cfg *cfg, uint64_t begun_ns)
{
	const double s = (double)(clock_now_ns() - begun_ns) / NSEC_PER_SEC;
	const uint64_t n = load_progress(l);

	fprintf(stderr, "\r\033[K%u worker%s: %.0f launches/s", cfg->workers,
		cfg->workers == 1 ? "" : "s", (double)n / s);
	if (cfg->count)
		fprintf(stderr, ", %llu of %llu", (unsigned long long)n,
			(unsigned long long)cfg->count);
	if (cfg->duration_ns)
		fprintf(stderr, ", %.1f of %.1f s", s, (double)cfg->duration_ns / NSEC_PER_SEC);
}

static int run_one(struct load *l, struct load_run *run, struct err *e)
{
	const bool shows = isatty(STDERR_FILENO);
	const uint64_t begun_ns = clock_now_ns();
	int r;

	load_reset(l);
	r = load_start(l, &run->cfg, e);
	if (r)
		return r;
	/* A signal that came before the run began stopped nothing. */
	if (interrupted)
		load_stop(l);
	while ((r = load_wait(l, shows ? PROGRESS_MS : -1, &run->result, e)) == 0)
		show_progress(l, &run->cfg, begun_ns);
	if (shows)
		fputs("\r\033[K", stderr);
	return r < 0 ? r : 0;
}

static int run_all(struct load *l, const struct load_opts *o, struct load_runs *runs, struct err *e)
{
	int r = 0;

	for (unsigned n = o->workers.from; !r && !interrupted && n <= o->workers.to; n++) {
		struct load_run *run = &runs->run[runs->n];

		run->cfg = (struct load_cfg){ .method = (enum load_method)o->method,
					      .mode = (enum load_mode)o->mode,
					      .workers = n,
					      .count = o->count,
					      .duration_ns = o->duration_ns,
					      .pause_ns = o->pause_ns,
					      .rate = o->rate,
					      .inflight = o->inflight };
		r = run_one(l, run, e);
		if (!r)
			runs->n++;
	}
	runs->interrupted = interrupted;
	return r;
}

static int measure(const struct load_opts *o, struct load_runs *runs, struct err *e)
{
	const struct load_pool_cfg pool = { .workers = o->workers.to,
					    .max_launches = launches_expected(o),
					    .target = o->target,
					    .ballast_fds = o->ballast_fds,
					    .ballast_mib = o->ballast_mib };
	struct load *l = NULL;
	int r;

	runs->target = o->target ? o->target : "testApp";
	runs->run = calloc(o->workers.to - o->workers.from + 1, sizeof(*runs->run));
	if (!runs->run)
		return err_set(e, -ENOMEM, "out of memory");
	r = load_open(&pool, &l, e);
	if (r)
		return r;
	stoppable = l;
	r = run_all(l, o, runs, e);
	stoppable = NULL;
	load_close(l);
	return r;
}

static int print(const struct load_runs *runs, const struct load_cmd_opts *o)
{
	uint64_t launches = 0;

	for (unsigned i = 0; i < runs->n; i++)
		launches += runs->run[i].result.launches;
	if (!o->json)
		load_print_text(runs, stdout, text_colour(stdout, o->colour));
	else if (load_print_json(runs, stdout))
		return complain(EXIT_FAILED, "cannot write the result: %s", strerror(errno));
	if (runs->interrupted)
		return EXIT_INTERRUPTED;
	return launches ? EXIT_DONE : complain(EXIT_FAILED, "no process could be started");
}

static int run(int argc, char **argv)
{
	struct load_cmd_opts o = { .json = false };
	struct load_runs runs = { .n = 0 };
	struct err e;
	int r = opts_read(&cmd_load, argc, argv, &o, &e), status;

	if (r)
		return r > 0 ? EXIT_DONE : complain(EXIT_USAGE, "%s", e.text);
	catch_signals();
	r = measure(&o.load, &runs, &e);
	if (runs.n) {
		result_host_fill(&runs.host);
		status = print(&runs, &o);
	} else {
		status = interrupted ? EXIT_INTERRUPTED : EXIT_DONE;
	}
	free(runs.run);
	return r ? complain(EXIT_FAILED, "%s", e.text) : status;
}

const struct command cmd_load = {
	.name = "load",
	.usage = "[OPTION]...",
	.summary = "start processes as fast as the machine can, and say how fast that was",
	.run = run,
	.details = "Needs no root. Without --duration or --count it launches for 5 s; with both, "
		   "whichever\n"
		   "comes first ends a run.\n"
		   "Exit status: 0 done, 1 failed, 2 usage, 130 interrupted after an orderly end.\n"
		   "Examples:\n"
		   "  proctrace load                            one worker, vfork, wait for each\n"
		   "  proctrace load --workers 1-8 --duration 2\n"
		   "  proctrace load --mode nowait --count 100000\n"
		   "  proctrace load --rate 1000 --target /bin/true --json\n",
};
