/* SPDX-License-Identifier: MIT */
/*
 * ledger: closes the books over what was matched. (Internal to reconcile.)
 *
 * Before, each watched kind's line holds expected, matched, duplicate and wrong; after, also where
 * the lost ones are said to have gone, per account of the source.
 */
#ifndef PT_BENCH_LEDGER_H
#define PT_BENCH_LEDGER_H

#include "bench/reconcile.h"

/* What the lines do not tell about the launches and the recording. */
struct tally {
	uint64_t launches, ended;
	uint64_t open_exits; /* EXITs of launches that had not ended when the books closed */
	uint64_t unwatched; /* events of launches, of a kind that no account covers */
	uint64_t duplicate; /* of all kinds */
};

/* Fills the rest of the watched lines, all, lost_at and foreign_generated. */
void ledger_close(struct ledger *l, const struct tally *t, const struct recording *rec,
		  const struct source_stats *stats);
/* Checks the mechanism's own books: fills books_*. */
void ledger_audit(struct ledger *l, const struct tally *t, const struct recording *rec,
		  const struct source_stats *stats);

#endif
