// SPDX-License-Identifier: MIT
#include "bench/reconcile.h"

#include <errno.h>
#include <string.h>

#include "bench/ledger.h"
#include "bench/matching.h"

/* The kinds that the accounts cover together. -EINVAL: one kind in two accounts, it would count twice. */
static int stats_kinds(const struct source_stats *stats, unsigned *kinds)
{
	*kinds = 0;
	if (stats->naccounts > EV_KINDS)
		return -EINVAL;
	for (unsigned i = 0; i < stats->naccounts; i++) {
		if (*kinds & stats->account[i].kinds)
			return -EINVAL;
		*kinds |= stats->account[i].kinds & EV_MASK_ALL;
	}
	return 0;
}

static bool status_is_wrong(const struct window *w, const struct rec *r)
{
	return rec_kind(r) == EV_EXIT && r->status != REC_NO_STATUS &&
	       r->status != w->launch->status;
}

/* fork, exec, exit is the only order; the later step is the one to blame. */
static bool order_is_wrong(const struct window *w, const struct rec *rec, const struct rec *r)
{
	for (int k = 0; k < (int)rec_kind(r); k++)
		if (w->event[k] && rec[w->event[k] - 1].ts_ns > r->ts_ns)
			return true;
	return false;
}

static void event_judge(struct ledger_line *line, const struct window *w, const struct rec *rec,
			const struct rec *r)
{
	bool status = status_is_wrong(w, r), order = order_is_wrong(w, rec, r);
	bool time = r->kind & REC_FROM_FUTURE;

	line->matched++;
	line->wrong_status += status;
	line->wrong_order += order;
	line->wrong_time += time;
	line->wrong += status || order || time;
}

/* Where truth does not know the name, nobody can say whether a name is the right one. */
static void name_judge(struct ledger *l, const struct truth_launch *launch, const struct rec *r)
{
	if (!launch->name || !r->name)
		return;
	if (r->name == launch->name)
		l->identified++;
	else
		l->misnamed++;
}

/* Judges one launch's events; returns the mask of the kinds that matched. */
static unsigned window_judge(struct ledger *l, struct tally *t, const struct window *w,
			     const struct rec *rec)
{
	bool ended = w->launch->end_ns != 0;
	unsigned seen = 0;

	t->launches++;
	t->ended += ended;
	for (int k = 0; k < EV_KINDS; k++) {
		const struct rec *r = w->event[k] ? &rec[w->event[k] - 1] : NULL;
		bool watched = l->kinds & EV_MASK(k), expected = k != EV_EXIT || ended;

		l->kind[k].expected += watched && expected;
		if (!r)
			continue;
		t->open_exits += !expected;
		t->unwatched += expected && !watched;
		if (!watched || !expected)
			continue;
		seen |= EV_MASK(k);
		event_judge(&l->kind[k], w, rec, r);
		if (k == EV_EXEC)
			name_judge(l, w->launch, r);
	}
	return seen;
}

static void windows_judge(struct ledger *l, struct tally *t, const struct matching *m,
			  const struct rec *rec, uint8_t *seen, uint64_t *exec_ts)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct window *w = &m->window[i];
		unsigned mask = window_judge(l, t, w, rec);

		if (seen)
			seen[w->index] = mask;
		if (exec_ts)
			exec_ts[w->index] =
				mask & EV_MASK(EV_EXEC) ? rec[w->event[EV_EXEC] - 1].ts_ns : 0;
	}
	l->foreign = m->foreign;
	for (int k = 0; k < EV_KINDS; k++) {
		t->duplicate += m->duplicate[k];
		if (l->kinds & EV_MASK(k))
			l->kind[k].duplicate = m->duplicate[k];
	}
}

static bool line_holds(const struct ledger_line *line)
{
	if (line->matched > line->expected || line->expected != line->matched + line->lost)
		return false;
	if (line->wrong > line->matched)
		return false;
	if (line->reported == LEDGER_UNKNOWN)
		return line->unexplained == LEDGER_UNKNOWN;
	return line->lost == line->reported + line->unexplained;
}

/* Matched events were counted per launch, the others per record: together they are the recording. */
static bool identities_hold(const struct ledger *l, const struct tally *t, size_t nrec)
{
	uint64_t expected = 0, matched = 0;

	for (int k = 0; k < EV_KINDS; k++) {
		if (!line_holds(&l->kind[k]))
			return false;
		expected += l->kind[k].expected;
		matched += l->kind[k].matched;
	}
	return line_holds(&l->all) && l->all.expected == expected && l->all.matched == matched &&
	       l->identified + l->misnamed <= l->kind[EV_EXEC].matched &&
	       nrec == matched + t->duplicate + l->foreign + t->open_exits + t->unwatched;
}

int reconcile(const struct truth *truth, const struct recording *rec,
	      const struct source_stats *stats, const struct reconcile_cfg *cfg, struct ledger *out,
	      uint8_t *seen, uint64_t *exec_ts)
{
	size_t nrec = atomic_load_explicit(&rec->n, memory_order_acquire);
	struct matching m;
	struct tally t = { 0 };
	int err;

	memset(out, 0, sizeof(*out));
	err = stats_kinds(stats, &out->kinds);
	if (err)
		return err;
	err = matching_init(&m, truth);
	if (err)
		return err;
	err = matching_events(&m, rec->rec, nrec, cfg->exit_lag_ns);
	if (!err) {
		windows_judge(out, &t, &m, rec->rec, seen, exec_ts);
		ledger_close(out, &t, rec, stats);
		ledger_audit(out, &t, rec, stats);
		out->identities_hold = identities_hold(out, &t, nrec);
	}
	matching_free(&m);
	return err;
}
