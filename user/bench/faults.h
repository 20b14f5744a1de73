/* SPDX-License-Identifier: MIT */
/* faults: the faults that a self-test injects, and what the books must say of each: this much, nothing else. Pure. */
#ifndef PT_BENCH_FAULTS_H
#define PT_BENCH_FAULTS_H

#include "bench/inject.h"
#include "bench/losses.h"
#include "bench/reconcile.h"

#define FAULTS_LAUNCHES \
	2003 /* a load of that many, by one worker, is what the places are made for */

/* What the books can say. */
enum finding {
	FIND_LOST,
	FIND_LOST_FORK,
	FIND_LOST_EXEC,
	FIND_LOST_EXIT,
	FIND_REPORTED,
	FIND_UNEXPLAINED,
	FIND_OVER,
	FIND_UNCERTAIN,
	FIND_DUPLICATE,
	FIND_WRONG,
	FIND_STATUS,
	FIND_ORDER,
	FIND_TIME,
	FIND_MISNAMED,
	FIND_UNNAMED,
	FIND_FOREIGN,
	FIND_LATE,
	FIND_RECORD_FULL,
	FIND_HIT,
	FIND_EXEC_ONLY,
	FIND_EXIT_ONLY,
	FIND_RUNS,
	FIND_LONGEST,
	FIND_FIRST, /* 1 + ns since the load began; 0: never */
	FIND_LAST,
	FIND_CROSS,
	FIND_CROSS_A,
	FIND_NEITHER,
	FIND_BOOKS,
	FINDINGS
};

extern const char *const finding_names[FINDINGS]; /* as the report's JSON calls them */

#define FIND_ANY UINT64_MAX /* whatever it says is right */

struct findings {
	uint64_t v[FINDINGS];
};

enum books_expected {
	BOOKS_BALANCE,
	BOOKS_BROKEN,
	BOOKS_SHORT, /* messages are missing: broken unless those of other processes make up for them */
};

struct fault_case {
	const char *name;
	struct fault fault;
	enum finding shows; /* where it is looked for first of all */
	bool injects_amount; /* the counter's fault counts, not the events hit */
	bool ring_only, socket_only, names_only, replay_only;
	enum books_expected ring, socket; /* by how the source loses events */
};

extern const struct fault_case fault_cases[]; /* ended by a name of NULL */

/* What one run with a fault was seen to say. */
struct observed {
	const struct ledger *ledger;
	const struct losses *losses;
	const struct hist *latency;
	const struct cross *cross; /* with an honest source beside it, as B; NULL: it was alone */
	const struct cross *swapped; /* the same with the honest one as A; may be NULL */
	uint64_t began_ns; /* of the load */
	bool names; /* this source can name */
	bool live; /* others' events come and go: how many of the dropped may be theirs, nobody knows */
};

struct findings findings_observed(const struct observed *o);
/* From what the injector wrote down. @truth as injector_truth() left it. 0 or -ENOMEM. */
int findings_expected(const struct fault_case *c, const struct injector *in,
		      const struct truth *truth, const struct observed *o, struct findings *out);
/* What there was to find. */
uint64_t fault_injected(const struct fault_case *c, const struct injector *in);

#endif
