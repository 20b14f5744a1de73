// SPDX-License-Identifier: MIT
/* The stall law, the buffers that follow from it, and which events went. */
#include "report/study.h"

#include <math.h>
#include <string.h>

enum column {
	COL_MONITOR,
	COL_BUFFER,
	COL_RATE,
	COL_OTHERS,
	COL_ROOM,
	COL_HELD,
	COL_PREDICTED,
	COL_ONSET,
	COL_APART,
	COL_BAR,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	[COL_MONITOR] = { .title = "monitor", .left = true },
	[COL_BUFFER] = { .title = "buffer" },
	[COL_RATE] = { .title = "launches", .unit = "/s" },
	[COL_OTHERS] = { .title = "others'", .unit = "events/s" },
	[COL_ROOM] = { .title = "events", .unit = "of room" },
	[COL_HELD] = { .title = "", .unit = "held" },
	[COL_PREDICTED] = { .title = "first loss after", .unit = "predicted" },
	[COL_ONSET] = { .title = "", .unit = "measured" },
	[COL_APART] = { .title = "apart", .unit = "%" },
	[COL_BAR] = { .title = "", .unit = "measured", .left = true },
};

static const double stalls_s[] = { 0.01, 0.1, 0.25, 1, 5 };
static const double rates[] = { 1000, 10000, 30000 };

#define BAR_WIDTH 12

static bool measured(const struct law_stall *s)
{
	return s->rounds > s->lossless;
}

static struct fmt count(double v)
{
	return fmt_count((uint64_t)fmax(0, fmin(v, 1e15)));
}

static void row_add(struct table *t, const struct law_stall *s, double longest)
{
	struct line apart = { .n = 0 };

	if (!table_row(t))
		return;
	table_set(t, COL_MONITOR, source_title(s->source).s);
	table_set(t, COL_BUFFER, fmt_bytes(s->buffer_bytes).s);
	table_set(t, COL_RATE, fmt_real(s->rate, 3).s);
	table_set(t, COL_ROOM, count(s->capacity_events).s);
	if (!measured(s)) {
		table_set(t, COL_ONSET, "no loss");
		return;
	}
	table_set(t, COL_OTHERS, fmt_real(s->foreign_per_s, 2).s);
	table_set(t, COL_HELD, count(s->held_events).s);
	table_set(t, COL_PREDICTED, fmt_time(s->predicted_s * 1e9).s);
	table_set(t, COL_ONSET, fmt_time(s->onset_s * 1e9).s);
	line_add(&apart, "%+.1f", s->apart_pct);
	table_set(t, COL_APART, isfinite(s->apart_pct) ? apart.s : FMT_NONE);
	table_set(t, COL_BAR, study_bar(s->onset_s / longest, BAR_WIDTH).s);
}

static void print_law(struct page *p, const struct laws *l)
{
	double longest = 0, apart = 0, worst = 0;
	struct line line = { .n = 0 };
	struct table t;

	table_init(&t, columns, COLUMNS);
	for (size_t i = 0; i < l->nstalls; i++)
		longest = fmax(longest, l->stall[i].onset_s);
	for (size_t i = 0; i < l->nstalls; i++) {
		row_add(&t, &l->stall[i], longest);
		if (!measured(&l->stall[i]))
			continue;
		apart = fmax(apart, fabs(l->stall[i].apart_pct));
		worst = fmax(worst, l->stall[i].worst_pct);
	}
	page_table(p, &t, 2);
	line_add(&line,
		 "Predicted: buffer ÷ (events/s × bytes charged for an event), with the events of "
		 "other "
		 "processes. Of the rounds, the middle one: at most %s" NBSP
		 "%% apart; the worst of all "
		 "rounds %s" NBSP "%%.",
		 fmt_real(apart, 2).s, fmt_real(worst, 2).s);
	page_say(p, STYLE_DIM, 2, line.s);
}

/* The first row of each source: what an event costs there. */
static bool source_begins(const struct laws *l, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(l->stall[k].source, l->stall[i].source) == 0)
			return false;
	return true;
}

static double bytes_needed(const struct law_stall *s, double seconds, double rate)
{
	return law_stall_bytes(s->events_per_launch, (double)s->bytes_per_event, seconds, rate);
}

/* What an operator needs: the buffer by stall and rate, a column for each source and rate. */
static void print_sizes(struct page *p, const struct laws *l)
{
	struct table_column head[TABLE_COLUMNS_MAX] = { { .title = "stall of", .left = true } };
	const struct law_stall *of[TABLE_COLUMNS_MAX];
	char title[TABLE_COLUMNS_MAX][64];
	double rate[TABLE_COLUMNS_MAX];
	size_t n = 1;
	struct table t;

	for (size_t r = 0; r < sizeof(rates) / sizeof(*rates); r++)
		for (size_t i = 0; i < l->nstalls && n < TABLE_COLUMNS_MAX; i++) {
			if (!source_begins(l, i))
				continue;
			snprintf(title[n], sizeof(title[n]), "%.30s" NBSP "at",
				 source_title(l->stall[i].source).s);
			head[n] = (struct table_column){
				.title = title[n],
				.unit = r == 0	 ? "1" NBSP "000/s"
					: r == 1 ? "10" NBSP "000/s"
						 : "30" NBSP "000/s",
			};
			of[n] = &l->stall[i];
			rate[n++] = rates[r];
		}
	table_init(&t, head, n);
	for (size_t s = 0; s < sizeof(stalls_s) / sizeof(*stalls_s) && table_row(&t); s++) {
		table_set(&t, 0, fmt_time(stalls_s[s] * 1e9).s);
		for (size_t c = 1; c < n; c++)
			table_set(&t, c, study_size(bytes_needed(of[c], stalls_s[s], rate[c])).s);
	}
	page_table(p, &t, 2);
}

static void print_example(struct page *p, const struct laws *l)
{
	struct line line = { .n = 0 };
	const char *sep = "";

	line_add(&line, "To survive a stall of 250" NBSP "ms at 10" NBSP "000 launches/s: ");
	for (size_t i = 0; i < l->nstalls; i++) {
		if (!source_begins(l, i))
			continue;
		line_add(&line, "%s%s %s", sep, source_title(l->stall[i].source).s,
			 study_size(bytes_needed(&l->stall[i], 0.25, 10000)).s);
		sep = ", ";
	}
	line_add(&line, ".");
	page_say(p, STYLE_PLAIN, 2, line.s);
}

/* Sums over all sizes and rates of one source. */
static struct law_stall source_sum(const struct laws *l, size_t first)
{
	struct law_stall sum = l->stall[first];

	for (size_t i = first + 1; i < l->nstalls; i++) {
		const struct law_stall *s = &l->stall[i];

		if (strcmp(s->source, sum.source) != 0)
			continue;
		sum.rounds += s->rounds;
		sum.lossless += s->lossless;
		sum.hit += s->hit;
		sum.exec_only += s->exec_only;
		sum.exit_only += s->exit_only;
		sum.runs += s->runs;
		sum.longest = s->longest > sum.longest ? s->longest : sum.longest;
		if (measured(s)) {
			sum.held_events += s->held_events;
			sum.capacity_events += s->capacity_events;
		}
		sum.cpus = s->cpus > sum.cpus ? s->cpus : sum.cpus;
		sum.cpu_share = fmax(sum.cpu_share, s->cpu_share);
		sum.recovery_s = fmax(sum.recovery_s, s->recovery_s);
	}
	return sum;
}

static void print_which(struct page *p, const struct laws *l, size_t first)
{
	const struct law_stall s = source_sum(l, first);
	const uint32_t stalls = s.rounds - s.lossless;
	struct line line = { .n = 0 };

	if (!stalls)
		return;
	line_add(&line, "Which events %s loses: %s launch%s hit, ", source_title(s.source).s,
		 fmt_count(s.hit).s, s.hit == 1 ? " was" : "es were");
	if (!s.exec_only && !s.exit_only)
		line_add(&line, "each lost all its events");
	else
		line_add(&line, "of which %s lost only the exec and %s only the exit",
			 fmt_count(s.exec_only).s, fmt_count(s.exit_only).s);
	line_add(&line, "; %s unbroken run%s in %u stall%s, the longest of %s launches. ",
		 fmt_count(s.runs).s, plural(s.runs), stalls, plural(stalls),
		 fmt_count(s.longest).s);
	if (s.held_events > 0.85 * s.capacity_events)
		line_add(&line, "The newest go: what came until the buffer was full is kept. ");
	if (s.cpus)
		line_add(&line, "It drops on %s CPU%s, at most %s" NBSP "%% of it on one. ",
			 fmt_count(s.cpus).s, plural(s.cpus), fmt_real(s.cpu_share * 100, 2).s);
	if (s.recovery_s > 0)
		line_add(&line, "It delivers again at most %s after the reader goes on.",
			 fmt_time(s.recovery_s * 1e9).s);
	else
		line_add(&line, "It delivers again as soon as the reader goes on.");
	page_say(p, STYLE_PLAIN, 2, line.s);
}

void study_stall_print(struct page *p, const struct result *r)
{
	const struct laws *l = r->laws;

	if (!l || !l->nstalls)
		return;
	page_blank(p);
	page_say(p, STYLE_TITLE, 0,
		 "Stall · for how long may a reader stand still, and what is lost then?");
	print_law(p, l);
	page_blank(p);
	print_sizes(p, l);
	print_example(p, l);
	for (size_t i = 0; i < l->nstalls; i++)
		if (source_begins(l, i))
			print_which(p, l, i);
}
