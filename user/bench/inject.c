// SPDX-License-Identifier: MIT
#include "bench/inject.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GHOST_NS 1000 /* how long a ghost lives */

/* ---- events ----------------------------------------------------------------------------------- */

/* Places are counted among the launches alone, whatever else happens on the machine: a fork, or where forks are
 * not told of, an exec, says who the parent is. */
static bool is_of_load(struct injector *in, const struct event *ev)
{
	const uint32_t pid = (uint32_t)ev->pid;
	bool is;

	if (pid >= INJECT_PIDS)
		return false;
	if (ev->kind == EV_FORK || ev->ppid == in->launcher)
		in->started[pid] = ev->ppid == in->launcher;
	is = in->started[pid];
	if (ev->kind == EV_EXIT)
		in->started[pid] = false;
	return is;
}

static bool is_hit(struct injector *in, const struct event *ev)
{
	const struct fault *f = in->fault;
	uint64_t armed = atomic_load(&in->armed_ns), nth;

	if (is_of_load(in, ev) == f->others || !armed || ev->ts_ns < armed)
		return false;
	nth = ++in->met[ev->kind];
	if (!(f->kinds & EV_MASK(ev->kind)) || nth > in->launches)
		return false;
	if (f->last)
		return nth + f->last > in->launches;
	return nth >= f->from && (!f->to || nth <= f->to) && (nth - f->from) % f->every == 0;
}

static struct injected *log_add(struct injector *in, const struct event *ev)
{
	if (in->n == in->cap) {
		in->overflow = true;
		return NULL;
	}
	in->log[in->n] =
		(struct injected){ .ts_ns = ev->ts_ns, .pid = (uint32_t)ev->pid, .kind = ev->kind };
	return &in->log[in->n++];
}

/* The last EXEC of the process before now, or 0. */
static uint64_t exec_before(const struct injector *in, pid_t pid)
{
	for (size_t i = in->n; i > 0; i--)
		if (in->log[i - 1].kind == EV_EXEC && in->log[i - 1].pid == (uint32_t)pid)
			return in->log[i - 1].ts_ns;
	return 0;
}

/* Who executed a program last, but for @pid. */
static pid_t pid_before(const struct injector *in, pid_t pid)
{
	for (size_t i = in->n; i > 0; i--)
		if (in->log[i - 1].kind == EV_EXEC && in->log[i - 1].pid != (uint32_t)pid)
			return (pid_t)in->log[i - 1].pid;
	return in->nobody;
}

/* What has to be known of an event that is kept beyond the call: not its strings. */
static void hold(struct injector *in, const struct event *ev)
{
	injector_flush(in);
	in->held = *ev;
	in->held.path = in->held.args = in->held.interp = in->held.cwd = (struct str){ 0 };
	in->held_for = FAULT_HOLD_EVENTS;
}

static void spoil(const struct injector *in, struct event *ev)
{
	uint64_t exec;

	switch (in->fault->action) {
	case ACT_PID: /* an exit may be late: it would match the launch before */
		ev->pid = ev->tid = ev->kind == EV_EXEC ? pid_before(in, ev->pid) : in->nobody;
		break;
	case ACT_STATUS:
		ev->status ^= 0x100;
		break;
	case ACT_RENAME:
		memcpy(ev->comm, "notTheRightOne!", sizeof(ev->comm));
		break;
	case ACT_UNNAME:
		ev->comm[0] = '\0';
		break;
	case ACT_FUTURE:
		ev->rx_ns = ev->ts_ns - 1;
		break;
	case ACT_ORDER:
		exec = exec_before(in, ev->pid);
		if (exec)
			ev->ts_ns = exec - 1;
		break;
	case ACT_DELAY:
		ev->rx_ns += FAULT_DELAY_NS;
		break;
	default:
		break;
	}
}

static void inject_event(struct sink *sink, const struct event *ev)
{
	struct injector *in = (struct injector *)sink;
	struct injected *entry;
	struct event e = *ev;

	/* Threads are none of the ledger's business. */
	if (ev->kind != EV_EXEC && ev->tid != EV_NO_PID && ev->tid != ev->pid) {
		sink_event(in->next, ev);
		return;
	}
	entry = log_add(in, ev);
	if (in->held_for && !--in->held_for)
		sink_event(in->next, &in->held);
	if (!is_hit(in, ev) || !entry) {
		sink_event(in->next, ev);
		return;
	}
	entry->hit = true;
	if (in->fault->action == ACT_DROP)
		return;
	if (in->fault->action == ACT_HOLD) {
		hold(in, ev);
		return;
	}
	spoil(in, &e);
	sink_event(in->next, &e);
	if (in->fault->action == ACT_TWICE)
		sink_event(in->next, &e);
}

static void inject_lost(struct sink *sink, enum event_kind kind, uint64_t count, const char *place)
{
	struct sink *next = ((struct injector *)sink)->next;

	if (next->ops->lost)
		next->ops->lost(next, kind, count, place);
}

static void inject_flush(struct sink *sink)
{
	struct sink *next = ((struct injector *)sink)->next;

	if (next->ops->flush)
		next->ops->flush(next);
}

static const struct sink_ops inject_ops = {
	.event = inject_event,
	.lost = inject_lost,
	.flush = inject_flush,
};

int injector_init(struct injector *in, size_t cap)
{
	memset(in, 0, sizeof(*in));
	in->log = calloc(cap, sizeof(*in->log));
	in->started = calloc(INJECT_PIDS, sizeof(*in->started));
	in->cap = cap;
	in->sink.ops = &inject_ops;
	return in->log && in->started ? 0 : -ENOMEM;
}

void injector_begin(struct injector *in, const struct fault *fault, uint64_t launches,
		    pid_t launcher, pid_t nobody)
{
	memset(in->started, 0, INJECT_PIDS);
	in->launcher = launcher;
	in->nobody = nobody;
	in->fault = fault;
	in->launches = launches;
	in->next = NULL;
	in->n = 0;
	in->overflow = false;
	in->held_for = 0;
	atomic_store(&in->armed_ns, 0);
	memset(in->met, 0, sizeof(in->met));
	memset(in->ours, 0, sizeof(in->ours));
	memset(in->others, 0, sizeof(in->others));
}

void injector_arm(struct injector *in, uint64_t from_ns)
{
	atomic_store(&in->armed_ns, from_ns);
}

void injector_flush(struct injector *in)
{
	if (in->held_for)
		sink_event(in->next, &in->held);
	in->held_for = 0;
}

void injector_free(struct injector *in)
{
	free(in->log);
	free(in->started);
	in->log = NULL;
	in->started = NULL;
}

/* ---- truth ------------------------------------------------------------------------------------ */

/* Pids that launches had: of most events of others, no launch needs to be looked at. */
static void pids_mark(const struct truth *truth, uint8_t *pids)
{
	memset(pids, 0, INJECT_PIDS);
	for (unsigned s = 0; s < truth->nsegments; s++)
		for (size_t i = 0; i < truth->segment[s].n; i++)
			if ((uint32_t)truth->segment[s].launch[i].pid < INJECT_PIDS)
				pids[truth->segment[s].launch[i].pid] = true;
}

static bool may_be_of(const struct injected *e, const struct truth_launch *l, uint64_t exit_lag_ns)
{
	uint64_t end = l->end_ns + (e->kind == EV_EXIT ? exit_lag_ns : 0);

	return e->pid == (uint32_t)l->pid && e->ts_ns >= l->start_ns &&
	       (!l->end_ns || e->ts_ns <= end);
}

/* Looks at every launch; of those that fit, the one that started last. */
static uint32_t launch_of(const struct injected *e, const struct truth *truth, uint64_t exit_lag_ns)
{
	uint64_t started = 0;
	uint32_t index = 0, found = 0;

	for (unsigned s = 0; s < truth->nsegments; s++)
		for (size_t i = 0; i < truth->segment[s].n; i++) {
			const struct truth_launch *l = &truth->segment[s].launch[i];

			index++;
			if (may_be_of(e, l, exit_lag_ns) && l->start_ns >= started) {
				started = l->start_ns;
				found = index;
			}
		}
	return found;
}

/* One behind the other, behind the last launch; of a process that no launch can have been. */
void injector_ghosts(struct injector *in, struct truth *truth)
{
	struct truth_segment *seg = &truth->segment[truth->nsegments];
	uint64_t last = 0;

	if (!in->fault->ghosts)
		return;
	for (unsigned s = 0; s < truth->nsegments; s++)
		for (size_t i = 0; i < truth->segment[s].n; i++)
			if (truth->segment[s].launch[i].start_ns > last)
				last = truth->segment[s].launch[i].start_ns;
	for (uint64_t i = 0; i < in->fault->ghosts; i++)
		in->ghost[i] = (struct truth_launch){
			.start_ns = last + (i + 1) * GHOST_NS,
			.end_ns = last + (i + 2) * GHOST_NS - 1,
			.pid = in->nobody,
			.name = 1,
		};
	*seg = (struct truth_segment){ .launch = in->ghost, .n = in->fault->ghosts };
	truth->nsegments++;
}

void injector_truth(struct injector *in, struct truth *truth, uint64_t exit_lag_ns)
{
	pids_mark(truth, in->started);
	for (size_t i = 0; i < in->n; i++) {
		struct injected *e = &in->log[i];

		if (e->pid < INJECT_PIDS && in->started[e->pid])
			e->launch = launch_of(e, truth, exit_lag_ns);
		in->ours[e->kind] += e->hit && e->launch;
		in->others[e->kind] += e->hit && !e->launch;
	}
	injector_ghosts(in, truth);
}

/* ---- counters --------------------------------------------------------------------------------- */

/* @n events of launches and @others are counted where the source loses some. */
static void place_add(struct source_stats *stats, struct source_account *a, uint64_t n,
		      uint64_t others)
{
	if (stats->knows_ours) {
		a->ring_full += n + others;
		a->ring_full_ours += n;
	} else {
		a->socket_dropped += n + others;
	}
}

/* Those that were dropped, as @counted of them at the place of loss. */
static void dropped_count(const struct injector *in, struct source_stats *stats, bool silent)
{
	for (unsigned i = 0; i < stats->naccounts; i++) {
		struct source_account *a = &stats->account[i];

		for (int k = 0; k < EV_KINDS; k++) {
			const uint64_t n = in->ours[k] + in->others[k];

			if (!(a->kinds & EV_MASK(k)))
				continue;
			a->delivered -= n;
			if (silent)
				a->generated -= n;
			else
				place_add(stats, a, in->ours[k], in->others[k]);
			if (!silent && stats->generated_all_types)
				stats->seq_gaps += n;
		}
	}
}

/* The account whose events are hit first of all. */
static struct source_account *account_hit(const struct injector *in, struct source_stats *stats)
{
	for (unsigned i = 0; i < stats->naccounts; i++)
		if (stats->account[i].kinds & in->fault->kinds)
			return &stats->account[i];
	return &stats->account[0];
}

void injector_stats(struct injector *in, struct source_stats *stats)
{
	const uint64_t amount = in->fault->amount;
	struct source_account *a = account_hit(in, stats);

	switch (in->fault->counter) {
	case COUNT_OWN_UP:
		dropped_count(in, stats, false);
		break;
	case COUNT_UNDER:
		dropped_count(in, stats, false);
		place_add(stats, a, -amount, 0);
		break;
	case COUNT_OVER:
		place_add(stats, a, amount, 0);
		break;
	case COUNT_SILENT:
		dropped_count(in, stats, true);
		break;
	case COUNT_GENERATED:
		a->generated += amount;
		break;
	case COUNT_DELIVERED:
		a->generated -= amount;
		a->delivered -= amount;
		break;
	case COUNT_SEQUENCE:
		stats->seq_gaps += amount;
		break;
	case COUNT_OURS:
		a->ring_full_ours += amount;
		break;
	case COUNT_HONEST:
		break;
	}
}
