// SPDX-License-Identifier: MIT
#include "bench/selftest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/record_sink.h"

/* As much as a cell allows: it makes no difference to a replay, and must be right. */
#define EXIT_LAG_NS (500 * NSEC_PER_MSEC)

int selftest_column_init(struct selftest_column *col, const char *name)
{
	*col = (struct selftest_column){ .rows = 0 };
	snprintf(col->name, sizeof(col->name), "%s", name);
	while (fault_cases[col->rows].name)
		col->rows++;
	col->row = calloc(col->rows, sizeof(*col->row));
	return col->row ? 0 : -ENOMEM;
}

void selftest_column_free(struct selftest_column *col)
{
	free(col->row);
	col->row = NULL;
}

/* ---- judgement -------------------------------------------------------------------------------- */

static void why_add(struct selftest_row *row, enum finding i, uint64_t found, uint64_t expected)
{
	size_t n = strlen(row->why);

	snprintf(row->why + n, sizeof(row->why) - n, "%s%s is %" PRIu64 ", not %" PRIu64,
		 n ? ", " : "", finding_names[i], found, expected);
}

int selftest_judge(struct selftest_column *col, const struct fault_case *c,
		   const struct injector *in, const struct truth *truth, const struct observed *o)
{
	struct selftest_row *row = &col->row[c - fault_cases];
	struct findings found = findings_observed(o), expected;
	int err = findings_expected(c, in, truth, o, &expected);

	if (err)
		return err;
	*row = (struct selftest_row){ .fault = c,
				      .injected = fault_injected(c, in),
				      .expected = expected.v[c->shows],
				      .found = found.v[c->shows] };
	for (int i = 0; i < FINDINGS; i++)
		if (expected.v[i] != FIND_ANY && found.v[i] != expected.v[i])
			why_add(row, (enum finding)i, found.v[i], expected.v[i]);
	/* A fault that hit nothing shows nothing. */
	if (!row->injected && c != fault_cases)
		snprintf(row->why, sizeof(row->why), "nothing was injected");
	if (in->overflow)
		snprintf(row->why, sizeof(row->why),
			 "more than %d events came, most of them others'", SELFTEST_EVENTS);
	row->exact = !row->why[0];
	col->tested++;
	col->missed += !row->exact;
	return 0;
}

bool selftest_fits(const struct fault_case *c, unsigned kinds, bool names)
{
	const bool socket = kinds & EV_MASK(EV_FORK);

	return !(c->ring_only && socket) && !(c->socket_only && !socket) &&
	       !(c->names_only && !names);
}

/* ---- replay ----------------------------------------------------------------------------------- */

/* What one source made of the launches. */
struct side {
	struct recording rec;
	struct source_stats stats;
	struct ledger ledger;
	struct losses losses;
	uint8_t *seen;
	uint64_t *exec_ts;
};

struct replay {
	struct synthetic syn;
	struct injector in;
	struct truth truth; /* a copy, with the ghosts */
	struct side tested, honest;
};

static int side_init(struct side *s)
{
	s->seen = calloc(2 * FAULTS_LAUNCHES, sizeof(*s->seen));
	s->exec_ts = calloc(2 * FAULTS_LAUNCHES, sizeof(*s->exec_ts));
	if (!s->seen || !s->exec_ts)
		return -ENOMEM;
	return recording_init(&s->rec, SELFTEST_EVENTS);
}

static void side_free(struct side *s)
{
	recording_free(&s->rec);
	free(s->seen);
	free(s->exec_ts);
}

/* Plays the events into the recording, through @in if that is not NULL. */
static int side_play(struct side *s, const struct synthetic *syn, enum synthetic_style style,
		     struct injector *in)
{
	struct sink *sink = record_sink_new(&s->rec, syn->truth.name, syn->truth.nnames);

	if (!sink)
		return -ENOMEM;
	recording_reset(&s->rec);
	if (in) {
		in->next = sink;
		injector_arm(in, syn->began_ns);
	}
	synthetic_play(syn, style, in ? &in->sink : sink, &s->stats);
	if (in)
		injector_flush(in);
	sink->ops->close(sink);
	return 0;
}

static int side_reconcile(struct side *s, const struct truth *truth, uint64_t began_ns)
{
	const struct reconcile_cfg cfg = { .exit_lag_ns = EXIT_LAG_NS };
	struct losses_cfg lc = { .began_ns = began_ns };
	int err;

	err = reconcile(truth, &s->rec, &s->stats, &cfg, &s->ledger, s->seen, s->exec_ts);
	lc.kinds = s->ledger.kinds;
	return err ? err : losses_find(truth, s->seen, &s->rec, &lc, &s->losses);
}

/* How many events fit into the tested recording: fewer than come, where that is the fault. */
static size_t room_for(const struct replay *r, const struct fault_case *c)
{
	size_t all = atomic_load(&r->honest.rec.n), hit = 0;

	if (c->shows != FIND_RECORD_FULL)
		return SELFTEST_EVENTS;
	for (unsigned i = 0; i < r->honest.stats.naccounts; i++)
		for (int k = 0; k < EV_KINDS; k++)
			if (r->honest.stats.account[i].kinds & c->fault.kinds & EV_MASK(k))
				hit += c->fault.last;
	return all - hit;
}

static int replay_run(struct replay *r, enum synthetic_style style, const struct fault_case *c,
		      struct selftest_column *col)
{
	struct cross cross, swapped;
	struct observed o = { .ledger = &r->tested.ledger,
			      .losses = &r->tested.losses,
			      .latency = &r->tested.rec.latency,
			      .cross = &cross,
			      .swapped = &swapped,
			      .began_ns = r->syn.began_ns,
			      .names = style == SYNTHETIC_RING };
	int err;

	injector_begin(&r->in, &c->fault, FAULTS_LAUNCHES, SYNTHETIC_LAUNCHER, SYNTHETIC_NOBODY);
	r->truth = r->syn.truth;
	err = side_play(&r->honest, &r->syn, style, NULL);
	r->tested.rec.cap = room_for(r, c);
	if (!err)
		err = side_play(&r->tested, &r->syn, style, &r->in);
	r->tested.rec.cap = SELFTEST_EVENTS;
	if (err)
		return err;
	injector_truth(&r->in, &r->truth, EXIT_LAG_NS);
	injector_stats(&r->in, &r->tested.stats);
	err = side_reconcile(&r->tested, &r->truth, r->syn.began_ns);
	if (!err)
		err = side_reconcile(&r->honest, &r->truth, r->syn.began_ns);
	if (err)
		return err;
	reconcile_cross(r->tested.seen, r->tested.exec_ts, r->honest.seen, r->honest.exec_ts,
			truth_count(&r->truth), &cross);
	reconcile_cross(r->honest.seen, r->honest.exec_ts, r->tested.seen, r->tested.exec_ts,
			truth_count(&r->truth), &swapped);
	return selftest_judge(col, c, &r->in, &r->truth, &o);
}

int selftest_replay(struct selftest_column *col, enum synthetic_style style, struct err *e)
{
	const bool socket = style == SYNTHETIC_SOCKET;
	const unsigned kinds = socket ? EV_MASK_ALL : EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT);
	struct replay *r = calloc(1, sizeof(*r));
	int err = r ? 0 : -ENOMEM;

	if (!err)
		err = synthetic_init(&r->syn, FAULTS_LAUNCHES);
	if (!err)
		err = injector_init(&r->in, SELFTEST_EVENTS);
	if (!err)
		err = side_init(&r->tested);
	if (!err)
		err = side_init(&r->honest);
	for (const struct fault_case *c = fault_cases; !err && c->name; c++)
		if (selftest_fits(c, kinds, !socket))
			err = replay_run(r, style, c, col);
	if (r) {
		side_free(&r->tested);
		side_free(&r->honest);
		injector_free(&r->in);
		synthetic_free(&r->syn);
	}
	free(r);
	return err ? err_set(e, err, "cannot replay: %s", strerror(-err)) : 0;
}
