// SPDX-License-Identifier: MIT
/* bench: the main job. Launches, watchers, ledgers, report. */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stop.h"
#include "cmd/bench_resume.h"
#include "cmd/bench_selftest.h"
#include "cmd/bench_session.h"
#include "cmd/cmd.h"
#include "report/text.h"

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

/* ---- report ----------------------------------------------------------------------------------- */

static int report_print(struct bench *b, struct err *e)
{
	bool colour = text_colour(stdout, b->opts.colour);
	int err = session_summarise(b);

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

			lost |= !src->external.is && src->ledger.all.lost > 0;
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
	struct result saved = { 0 };
	bool resume = !b->opts.rounds.automatic && resume_find(b->opts.output, &saved);
	int err;

	/* The order of the cells follows from the seed. */
	if (resume && !b->opts.seed_given)
		b->opts.seed = saved.config.seed;
	err = bench_plan(&b->opts, cpus, &b->plan, e);
	if (!err)
		err = output_check(b->opts.output, e);
	if (!err)
		err = session_open(b, e);
	if (!err && resume)
		err = resume_take(b, &saved, e);
	if (!err && resume)
		fprintf(stderr, "proctrace: going on with '%s': %zu cells of it are there\n",
			b->opts.output, b->result.nruns);
	result_free(&saved);
	return err;
}

static int bench_run(struct bench *b)
{
	struct err e;
	int status, err = bench_open(b, &e);

	if (err)
		return complain(err == -EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s", e.text);
	err = session_measure(b, &e);
	if (!err && b->opts.suite != NOT_GIVEN && suites[b->opts.suite].explained)
		err = session_explain(b, &e);
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
	status = b->opts.self_test == NOT_GIVEN ? bench_run(b) : bench_self_test(b);
	session_close(b);
	free(b);
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
