// SPDX-License-Identifier: MIT
/*
 * The stall law: a reader that stands still loses nothing for
 *
 *     buffer ÷ (events per s × bytes charged per event).
 *
 * Events per s are those of the launches, as many as were asked for, and those of everybody else on the
 * machine while the reader stood still.
 */
#include "report/laws.h"

#include <math.h>
#include <string.h>

#include "report/law_group.h"
#include "report/laws_priv.h"

double law_stall_bytes(double events_per_launch, double bytes_per_event, double seconds,
		       double rate)
{
	return events_per_launch * bytes_per_event * seconds * rate;
}

static double kinds_watched(const struct result_source *s)
{
	return __builtin_popcount(s->ledger.kinds);
}

/* NAN where nothing was lost, or lost before the stall: then there is no onset. */
static double onset(const struct result_run *run)
{
	const struct losses *l = &run->source[0].losses;

	if (!run->nsources || !run->source[0].has_losses || l->stall_begin_ns == LOSSES_NEVER ||
	    l->first_ns == LOSSES_NEVER || l->first_ns <= l->stall_begin_ns)
		return NAN;
	return (double)(l->first_ns - l->stall_begin_ns) / 1e9;
}

static double foreign_per_s(const struct result_run *run)
{
	const struct result_source *s = &run->source[0];
	const double ours = kinds_watched(s) * (double)s->losses.held_launches;

	return fmax(0, (double)s->losses.held_events - ours) / onset(run);
}

/* Launches a second, as asked for: or, where the machine did not keep up with that, as they were. */
static double rate(const struct result_run *run)
{
	const double real = (double)run->source[0].losses.held_launches / onset(run);
	const double asked = run->rate_target;

	return asked > 0 && fabs(real / asked - 1) < 0.05 ? asked : real;
}

static double predicted(const struct result_run *run)
{
	const struct result_source *s = &run->source[0];
	const double events = kinds_watched(s) * rate(run) + foreign_per_s(run);

	return (double)s->buffer_bytes / (events * (double)s->bytes_per_event);
}

static double apart(const struct result_run *run)
{
	return (onset(run) / predicted(run) - 1) * 100;
}

static double apart_abs(const struct result_run *run)
{
	return fabs(apart(run));
}

#define LOSSES_SUM(member)                                   \
	static double member(const struct result_run *run)   \
	{                                                    \
		return (double)run->source[0].losses.member; \
	}
LOSSES_SUM(hit)
LOSSES_SUM(exec_only)
LOSSES_SUM(exit_only)
LOSSES_SUM(runs)
LOSSES_SUM(longest)

static double recovery(const struct result_run *run)
{
	const struct losses *l = &run->source[0].losses;

	return isfinite(onset(run)) && l->last_ns > l->stall_end_ns
		       ? (double)(l->last_ns - l->stall_end_ns) / 1e9
		       : NAN;
}

static double cpus(const struct result_run *run)
{
	return (double)run->source[0].losses.cpus;
}

static double cpu_share(const struct result_run *run)
{
	const struct result_source *s = &run->source[0];

	return s->losses.cpus && s->dropped
		       ? fmin(1, (double)s->losses.cpu_most / (double)s->dropped)
		       : NAN;
}

static double any(const struct result_run *run)
{
	return run->nsources ? 1 : NAN;
}

static void stall_fill(struct law_stall *out, const struct law_group *g)
{
	const struct result_source *s = &g->first->source[0];
	const struct result_run *middle;

	memcpy(out->source, s->name, sizeof(out->source));
	out->buffer_bytes = s->buffer_bytes;
	out->bytes_per_event = s->bytes_per_event;
	out->capacity_events = (double)s->capacity_events;
	out->events_per_launch = kinds_watched(s);
	out->rate = g->first->rate_target;
	out->rounds = law_count(g, any);
	out->lossless = out->rounds - law_count(g, onset);
	out->worst_pct = law_max(g, apart_abs);
	middle = law_nearest(g, apart, law_median(g, apart).median);
	if (middle) {
		out->onset_s = onset(middle);
		out->predicted_s = predicted(middle);
		out->apart_pct = apart(middle);
		out->foreign_per_s = foreign_per_s(middle);
		out->held_events = (double)middle->source[0].losses.held_events;
	}
	out->hit = law_whole(law_sum(g, hit));
	out->exec_only = law_whole(law_sum(g, exec_only));
	out->exit_only = law_whole(law_sum(g, exit_only));
	out->runs = law_whole(law_sum(g, runs));
	out->longest = law_whole(law_max(g, longest));
	out->cpus = law_whole(law_max(g, cpus));
	out->cpu_share = law_median(g, cpu_share).median;
	out->recovery_s = law_max(g, recovery);
}

size_t laws_stall(const struct result *r, struct law_stall *out, size_t max)
{
	struct law_group group[LAWS_STALLS];
	size_t n = law_groups(r, "stall", group, LAWS_STALLS), rows = 0;

	for (size_t i = 0; i < n && rows < max; i++)
		if (group[i].first->nsources)
			stall_fill(&out[rows++], &group[i]);
	return rows;
}
