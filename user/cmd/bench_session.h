/* SPDX-License-Identifier: MIT */
/*
 * bench_session: a plan being measured: the rig, the cells in their order, what came of them.
 *
 * Fill opts and plan, then session_open → session_measure → use result → session_close. Command's thread.
 */
#ifndef PT_CMD_BENCH_SESSION_H
#define PT_CMD_BENCH_SESSION_H

#include "bench/cell.h"
#include "bench/pooled.h"
#include "cmd/bench_opts.h"
#include "report/result.h"

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
	uint32_t rounds; /* the last one that is planned */
	const struct plan_cell *now;
	struct {
		unsigned times;
		struct external_result last;
	} failed[PLAN_MAX_MONITORS]; /* other monitors that did not start */
	uint64_t gap_ns; /* idle time before each load */
	bool *have; /* [plan.ncells]: cells that an earlier report brought */
	size_t nhave; /* cells that @have is long; those after it are not had */
	bool resumed;
};

/* Tries each source, forks the launchers, fills result.config and result.host. 0 or -errno with a sentence. */
int session_open(struct bench *b, struct err *e);
/* Measures the plan; with opts.rounds.automatic, round after round until every interval is narrow enough. What was
 * measured before a failure or a request to stop stays in result. 0 or -errno with a sentence. */
int session_measure(struct bench *b, struct err *e);
/* Measures what a launch is made of, into result; nothing after a request to stop. 0 or -errno with a sentence. */
int session_explain(struct bench *b, struct err *e);
/* Derives the figures of what was measured so far. 0 or -ENOMEM. */
int session_summarise(struct bench *b);
/* The conditions under which @s is measured: what it leaves open, the options say. */
struct conditions session_conditions(const struct bench *b, const struct scenario *s);
/* Ends the launchers and frees all but @b itself. Safe after a failed open. */
void session_close(struct bench *b);

#endif
