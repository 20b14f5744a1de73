// SPDX-License-Identifier: MIT
#include "bench/ledger.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* a - b, or 0. */
static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static bool mask_is_one_kind(unsigned mask)
{
	return mask && !(mask & (mask - 1));
}

/* All that the counters of one account say was dropped, by place. */
static void account_places(const struct source_account *a, const struct recording *rec,
			   uint64_t place[LOST_PLACES])
{
	place[LOST_RING_FULL] = a->ring_full;
	place[LOST_SOCKET_DROPPED] = a->socket_dropped;
	place[LOST_NOT_RUN] = a->not_run;
	place[LOST_ALLOC_FAILED] = a->alloc_failed;
	place[LOST_RECORD_FULL] = 0;
	for (int k = 0; k < EV_KINDS; k++)
		if (a->kinds & EV_MASK(k))
			place[LOST_RECORD_FULL] += rec->full_by_kind[k];
}

/* Messages of all types that the launches made: fork, exec and exit each. A launch that had not ended
 * made its exit message if we got that; if it was dropped, it counts as foreign, which is no lie
 * that makes anything look better. */
static uint64_t messages_of_launches(const struct tally *t)
{
	return 2 * t->launches + t->ended + t->open_exits;
}

static uint64_t stats_generated(const struct source_stats *stats)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < stats->naccounts; i++)
		sum += stats->account[i].generated;
	return sum;
}

/*
 * How many of an account's dropped events whose owner is unknown may be none that truth expects.
 *
 * Where everything generated is counted, at most the foreign ones that were not delivered; and, where
 * a kind is not watched and was not filtered in the kernel either, the launches' own events of it.
 */
static uint64_t account_may_be_foreign(const struct ledger *l, const struct tally *t,
				       const struct recording *rec,
				       const struct source_stats *stats,
				       const struct source_account *a, uint64_t ownerless)
{
	uint64_t foreign, unwatched = 0;

	if (!stats->generated_all_types)
		return ownerless;
	foreign = less(stats_generated(stats), messages_of_launches(t));
	foreign = less(foreign, l->foreign + rec->threads + t->duplicate);
	for (int k = 0; k < EV_KINDS; k++)
		if (!(l->kinds & EV_MASK(k)))
			unwatched += t->launches;
	return min_u64(ownerless, foreign + less(unwatched, a->filtered + t->unwatched));
}

/* DESIGN: R is what the counters say, W how many of R may be none of the lost. */
static void line_explain(struct ledger_line *line, uint64_t r, uint64_t w)
{
	line->reported = min_u64(line->lost, r);
	line->unexplained = less(line->lost, r);
	line->over_reported = less(less(r, w), line->lost);
	line->uncertain = min_u64(w, r);
}

static void line_add(struct ledger_line *sum, const struct ledger_line *line)
{
	sum->expected += line->expected;
	sum->matched += line->matched;
	sum->lost += line->lost;
	sum->duplicate += line->duplicate;
	sum->wrong += line->wrong;
	sum->wrong_status += line->wrong_status;
	sum->wrong_order += line->wrong_order;
	sum->wrong_time += line->wrong_time;
	sum->reported += line->reported;
	sum->unexplained += line->unexplained;
	sum->over_reported += line->over_reported;
	sum->uncertain += line->uncertain;
}

/* The line of one account: the sum of its kinds' lines, then explained by its counters. */
static struct ledger_line account_line(const struct ledger *l, const struct tally *t,
				       const struct recording *rec,
				       const struct source_stats *stats,
				       const struct source_account *a)
{
	struct ledger_line line = { 0 };
	uint64_t place[LOST_PLACES], ours = 0, ownerless = 0, w;

	for (int k = 0; k < EV_KINDS; k++)
		if (a->kinds & EV_MASK(k))
			line_add(&line, &l->kind[k]);
	account_places(a, rec, place);
	if (stats->knows_ours) {
		ours = a->ring_full_ours;
		place[LOST_RING_FULL] = 0;
	}
	for (int i = 0; i < LOST_PLACES; i++)
		ownerless += place[i];
	w = account_may_be_foreign(l, t, rec, stats, a, ownerless);
	/* The exit of a launch that had not ended yet may be among the dropped: it is not expected. */
	if (!stats->generated_all_types && (a->kinds & EV_MASK(EV_EXIT)))
		w += t->launches - t->ended - t->open_exits;
	line_explain(&line, ours + ownerless, w);
	return line;
}

/* What an account of several kinds says of each of them: nothing. */
static void line_forget(struct ledger_line *line)
{
	line->reported = LEDGER_UNKNOWN;
	line->unexplained = LEDGER_UNKNOWN;
	line->over_reported = LEDGER_UNKNOWN;
	line->uncertain = LEDGER_UNKNOWN;
}

static void account_close(struct ledger *l, const struct tally *t, const struct recording *rec,
			  const struct source_stats *stats, const struct source_account *a)
{
	struct ledger_line line = account_line(l, t, rec, stats, a);

	line_add(&l->all, &line);
	for (int k = 0; k < EV_KINDS; k++) {
		if (!(a->kinds & EV_MASK(k)))
			continue;
		if (mask_is_one_kind(a->kinds))
			l->kind[k] = line;
		else
			line_forget(&l->kind[k]);
	}
}

/*
 * Foreign events generated. Exact where messages of all types are counted. Elsewhere only if it is
 * known of every event of ours whether it was generated: none unexplained, none lost at a place
 * that does not know whose it was, no launch still running.
 */
static uint64_t foreign_generated(const struct ledger *l, const struct tally *t,
				  const struct source_stats *stats)
{
	uint64_t ours = l->all.matched + l->all.duplicate + t->open_exits;

	if (stats->generated_all_types)
		return less(stats_generated(stats), messages_of_launches(t));
	if (l->all.unexplained || t->launches != t->ended + t->open_exits)
		return LEDGER_UNKNOWN;
	for (int i = 0; i < LOST_PLACES; i++)
		if (l->lost_at[i] && !(i == LOST_RING_FULL && stats->knows_ours))
			return LEDGER_UNKNOWN;
	for (unsigned i = 0; i < stats->naccounts; i++)
		ours += stats->account[i].ring_full_ours;
	return less(stats_generated(stats), ours);
}

void ledger_close(struct ledger *l, const struct tally *t, const struct recording *rec,
		  const struct source_stats *stats)
{
	for (int k = 0; k < EV_KINDS; k++)
		l->kind[k].lost = l->kind[k].expected - l->kind[k].matched;
	for (unsigned i = 0; i < stats->naccounts; i++) {
		uint64_t place[LOST_PLACES];

		account_places(&stats->account[i], rec, place);
		for (int p = 0; p < LOST_PLACES; p++)
			l->lost_at[p] += place[p];
		account_close(l, t, rec, stats, &stats->account[i]);
	}
	l->lost_at[LOST_RECORD_FULL] = rec->full;
	l->foreign_generated = foreign_generated(l, t, stats);
	if (stats->not_run_unknown)
		l->lost_at[LOST_NOT_RUN] = LEDGER_UNKNOWN;
}

static const char *account_name(const struct source_account *a)
{
	for (int k = 0; k < EV_KINDS; k++)
		if (a->kinds == EV_MASK(k))
			return event_kind_name(k);
	return "all kinds";
}

static __attribute__((format(printf, 2, 3))) bool books_fail(struct ledger *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->books_why, sizeof(l->books_why), fmt, ap);
	va_end(ap);
	return false;
}

static bool audit_accounts(struct ledger *l, const struct source_stats *stats)
{
	for (unsigned i = 0; i < stats->naccounts; i++) {
		const struct source_account *a = &stats->account[i];
		uint64_t sum = a->delivered + a->filtered + a->ring_full + a->socket_dropped +
			       a->alloc_failed + a->not_run;

		if (a->generated != sum)
			return books_fail(l,
					  "%s: generated %" PRIu64 ", accounted for %" PRIu64
					  " (%+" PRId64 ")",
					  account_name(a), a->generated, sum,
					  (int64_t)(sum - a->generated));
		if (a->ring_full_ours > a->ring_full)
			return books_fail(
				l, "%s: ring full %" PRIu64 " times, of those %" PRIu64 " ours",
				account_name(a), a->ring_full, a->ring_full_ours);
	}
	return true;
}

/* Sequence numbers against the socket's counter: two witnesses that do not know each other. */
static bool audit_sequence(struct ledger *l, const struct tally *t,
			   const struct source_stats *stats)
{
	uint64_t missing = 0, generated = stats_generated(stats);

	if (!stats->generated_all_types)
		return true;
	for (unsigned i = 0; i < stats->naccounts; i++)
		missing += stats->account[i].socket_dropped + stats->account[i].filtered;
	if (stats->seq_gaps != missing)
		return books_fail(l,
				  "sequence numbers miss %" PRIu64
				  " messages, the socket dropped %" PRIu64 " (%+" PRId64 ")",
				  stats->seq_gaps, missing, (int64_t)(missing - stats->seq_gaps));
	if (generated < messages_of_launches(t))
		return books_fail(
			l, "generated %" PRIu64 " messages, but the launches alone make %" PRIu64,
			generated, messages_of_launches(t));
	return true;
}

/* What the source handed over against what we have of it. */
static bool audit_delivered(struct ledger *l, const struct recording *rec,
			    const struct source_stats *stats)
{
	uint64_t taken =
		atomic_load_explicit(&rec->n, memory_order_acquire) + rec->full + rec->threads;
	uint64_t delivered = 0;

	for (unsigned i = 0; i < stats->naccounts; i++)
		delivered += stats->account[i].delivered;
	if (taken > delivered)
		return books_fail(
			l, "delivered %" PRIu64 ", but the reader took %" PRIu64 " (%+" PRId64 ")",
			delivered, taken, (int64_t)(taken - delivered));
	return true;
}

void ledger_audit(struct ledger *l, const struct tally *t, const struct recording *rec,
		  const struct source_stats *stats)
{
	l->books_checked = stats->books_audited;
	l->books_balance =
		!l->books_checked || (audit_accounts(l, stats) && audit_sequence(l, t, stats) &&
				      audit_delivered(l, rec, stats));
}
