// SPDX-License-Identifier: MIT
/* What one source delivered, lost and cost. The keys are append-only once released. */
#include <math.h>

#include "report/field_macros.h"
#include "report/result_fields.h"

#define LATENCY(member) PLAIN(struct result_latency, FIELD_U64, member)
const struct field latency_fields[] = {
	LATENCY(n), LATENCY(p50), LATENCY(p90), LATENCY(p99), LATENCY(p999), LATENCY(max), END,
};

#define LINE(member, name) NAMED(struct ledger_line, FIELD_COUNT, member, name)
static const struct field line_fields[] = {
	LINE(expected, "expected"),
	LINE(matched, "matched"),
	LINE(lost, "lost"),
	LINE(reported, "reported_lost"),
	LINE(unexplained, "unexplained"),
	LINE(over_reported, "over_reported"),
	LINE(uncertain, "uncertain"),
	LINE(duplicate, "duplicate"),
	LINE(wrong, "wrong"),
	LINE(wrong_status, "wrong_status"),
	LINE(wrong_order, "wrong_order"),
	LINE(wrong_time, "wrong_time"),
	END,
};

/* Kinds that a source does not watch are null. */
static bool has_fork(const void *base)
{
	return ((const struct result_source *)base)->ledger.kinds & EV_MASK(EV_FORK);
}

static bool has_exec(const void *base)
{
	return ((const struct result_source *)base)->ledger.kinds & EV_MASK(EV_EXEC);
}

static bool has_exit(const void *base)
{
	return ((const struct result_source *)base)->ledger.kinds & EV_MASK(EV_EXIT);
}

static void mark_fork(void *base)
{
	((struct result_source *)base)->ledger.kinds |= EV_MASK(EV_FORK);
}

static void mark_exec(void *base)
{
	((struct result_source *)base)->ledger.kinds |= EV_MASK(EV_EXEC);
}

static void mark_exit(void *base)
{
	((struct result_source *)base)->ledger.kinds |= EV_MASK(EV_EXIT);
}

/* A source that cannot name has identified null, not 0. */
static bool has_names(const void *base)
{
	return ((const struct result_source *)base)->names;
}

static void mark_names(void *base)
{
	((struct result_source *)base)->names = true;
}

#define LOST(place, name)                                                          \
	{                                                                          \
		name, FIELD_COUNT, AT(struct result_source, ledger.lost_at[place]) \
	}
static const struct field lost_at_fields[] = {
	LOST(LOST_RING_FULL, "ring_full"),     LOST(LOST_SOCKET_DROPPED, "socket_dropped"),
	LOST(LOST_NOT_RUN, "not_run"),	       LOST(LOST_ALLOC_FAILED, "alloc_failed"),
	LOST(LOST_RECORD_FULL, "record_full"), END,
};

static double reader_s(const void *base)
{
	const struct result_source *s = base;

	return s->reader_user_s + s->reader_sys_s;
}

#define SOURCE(kind, member) PLAIN(struct result_source, kind, member)
#define LEDGER(kind, member) NAMED(struct result_source, kind, ledger.member, #member)
#define KIND(which, name)                                                          \
	{                                                                          \
#name, FIELD_OBJECT, AT(struct result_source, ledger.kind[which]), \
			.sub = line_fields, .has = has_##name, .mark = mark_##name \
	}

/* Not finite (null) where the kernel did not time anything. */
static double kernel_ns_per_event(const void *base)
{
	const struct result_source *s = base;
	uint64_t ns = 0, runs = 0;

	for (unsigned k = 0; k < EV_KINDS; k++) {
		ns += s->kernel_ns[k];
		runs += s->kernel_runs[k];
	}
	return ns ? (double)ns / (double)runs : NAN;
}

static const struct field by_kind_fields[] = {
	{ "fork", FIELD_U64, .offset = EV_FORK * sizeof(uint64_t) },
	{ "exec", FIELD_U64, .offset = EV_EXEC * sizeof(uint64_t) },
	{ "exit", FIELD_U64, .offset = EV_EXIT * sizeof(uint64_t) },
	END,
};

static const struct field reader_fields[] = {
	{ "reader_s", FIELD_REAL, .derived = true, .compute = reader_s },
	SOURCE(FIELD_REAL, reader_user_s),
	SOURCE(FIELD_REAL, reader_sys_s),
	{ "kernel_ns_per_event", FIELD_REAL, .derived = true, .compute = kernel_ns_per_event },
	LATER(struct result_source, FIELD_U64, reader_waits),
	LATER(struct result_source, FIELD_U64, reader_preempted),
	{ "kernel_ns", FIELD_OBJECT, AT(struct result_source, kernel_ns), .optional = true,
	  .sub = by_kind_fields },
	{ "kernel_runs", FIELD_OBJECT, AT(struct result_source, kernel_runs), .optional = true,
	  .sub = by_kind_fields },
	END,
};

static bool has_losses(const void *base)
{
	return ((const struct result_source *)base)->has_losses;
}

static void mark_losses(void *base)
{
	((struct result_source *)base)->has_losses = true;
}

static bool has_external(const void *base)
{
	return ((const struct result_source *)base)->external.is;
}

static void mark_external(void *base)
{
	((struct result_source *)base)->external.is = true;
}

const struct field source_fields[] = {
	TEXT(struct result_source, name),
	SOURCE(FIELD_U64, buffer_bytes),
	SOURCE(FIELD_U64, capacity_events),
	SOURCE(FIELD_U64, bytes_per_event),
	SOURCE(FIELD_U64, buffer_peak),
	SOURCE(FIELD_COUNT, generated),
	SOURCE(FIELD_COUNT, delivered),
	SOURCE(FIELD_COUNT, filtered),
	SOURCE(FIELD_COUNT, malformed),
	SOURCE(FIELD_COUNT, seq_gaps),
	SOURCE(FIELD_COUNT, dropped),
	LEDGER(FIELD_COUNT, foreign),
	LEDGER(FIELD_COUNT, foreign_generated),
	KIND(EV_FORK, fork),
	KIND(EV_EXEC, exec),
	KIND(EV_EXIT, exit),
	{ "all", FIELD_OBJECT, AT(struct result_source, ledger.all), .sub = line_fields },
	{ "identified", FIELD_COUNT, AT(struct result_source, ledger.identified), .has = has_names,
	  .mark = mark_names },
	LEDGER(FIELD_COUNT, misnamed),
	{ "lost_at", FIELD_OBJECT, .sub = lost_at_fields },
	{ "latency_ns", FIELD_OBJECT, AT(struct result_source, latency), .sub = latency_fields },
	{ "cpu", FIELD_OBJECT, .sub = reader_fields },
	LEDGER(FIELD_BOOL, identities_hold),
	LEDGER(FIELD_BOOL, books_checked),
	LEDGER(FIELD_BOOL, books_balance),
	{ "books_why", FIELD_TEXT, AT(struct result_source, ledger.books_why),
	  .size = sizeof(((struct ledger *)0)->books_why) },
	SOURCE(FIELD_BOOL, checks_ok),
	{ "losses", FIELD_OBJECT, AT(struct result_source, losses), .optional = true,
	  .sub = losses_fields, .has = has_losses, .mark = mark_losses },
	{ "external", FIELD_OBJECT, AT(struct result_source, external), .optional = true,
	  .sub = external_fields, .has = has_external, .mark = mark_external },
	END,
};
