// SPDX-License-Identifier: MIT
#include "bench/selftest_live.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/stop.h"

static int live_run(struct selftest_column *col, struct rig *rig, struct cell_cfg *cfg,
		    const struct fault_case *c, struct cell_result *cell, struct err *e)
{
	struct injector *in = cfg->inject[0];
	struct truth *truth = malloc(sizeof(*truth));
	struct observed o = { .ledger = &cell->source[0].ledger,
			      .losses = &cell->source[0].losses,
			      .latency = &rig->rec[0].latency,
			      .live = true,
			      .names = cfg->source[0]->names };
	pid_t pid[2] = { EV_NO_PID, EV_NO_PID }; /* janitor, worker */
	int err = truth ? 0 : err_set(e, -ENOMEM, "out of memory");

	load_pids(rig->load, pid, 2);
	injector_begin(in, &c->fault, FAULTS_LAUNCHES, pid[1], getpid());
	cfg->nsources = c->shows == FIND_CROSS ? 2 : 1;
	if (!err)
		err = cell_run(rig, cfg, cell, e);
	if (!err && cell->interrupted)
		err = err_set(e, -EINTR, "interrupted");
	if (!err) {
		o.began_ns = cell->load.start_ns;
		load_truth(rig->load, truth);
		injector_ghosts(in, truth);
		if (cell->has_cross)
			o.cross = &cell->cross;
		err = selftest_judge(col, c, in, truth, &o);
	}
	free(truth);
	return err;
}

static bool live_can(const struct fault_case *c, const struct source_ops *ops,
		     const struct source_ops *beside)
{
	return selftest_fits(c, ops->bench_kinds, ops->names) && !c->replay_only &&
	       (c->shows != FIND_CROSS || beside);
}

int selftest_live(struct selftest_column *col, struct rig *rig, const struct source_ops *ops,
		  const struct source_ops *beside, struct err *e)
{
	struct cell_result *cell = calloc(1, sizeof(*cell));
	struct injector in = { .log = NULL };
	struct cell_cfg cfg = {
		.load = { .mode = LOAD_WAIT, .workers = 1, .count = FAULTS_LAUNCHES },
		.source = { ops, beside },
		.inject = { &in },
	};
	int err = 0;

	if (!cell || injector_init(&in, SELFTEST_EVENTS))
		err = err_set(e, -ENOMEM, "out of memory");
	for (const struct fault_case *c = fault_cases; !err && c->name; c++) {
		if (stop_requested())
			err = err_set(e, -EINTR, "interrupted");
		else if (live_can(c, ops, beside))
			err = live_run(col, rig, &cfg, c, cell, e);
	}
	injector_free(&in);
	free(cell);
	return err;
}
