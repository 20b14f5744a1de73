// SPDX-License-Identifier: MIT
/* What the cell was measured under, and what it lost when. The keys are append-only once released. */
#include "report/field_macros.h"
#include "report/result_fields.h"

#define CONDITION(kind, member)                                                                \
	{                                                                                      \
#member, kind, .offset = offsetof(struct conditions, member), .optional = true \
	}
const struct field conditions_fields[] = {
	CONDITION(FIELD_U64, ring_bytes),
	CONDITION(FIELD_U64, rcvbuf_bytes),
	CONDITION(FIELD_U64, stall_ns),
	CONDITION(FIELD_U64, stall_after_ns),
	CONDITION(FIELD_U64, stall_every_ns),
	CONDITION(FIELD_U32, place),
	CONDITION(FIELD_U32, cpu_limit_pct),
	CONDITION(FIELD_BOOL, unwatched),
	CONDITION(FIELD_BOOL, twice),
	CONDITION(FIELD_U64, pause_ns),
	CONDITION(FIELD_U64, lifetime_ns),
	CONDITION(FIELD_BOOL, lifetime_sleeps),
	{ .key = NULL },
};

#define LOSSES(kind, member)                                                               \
	{                                                                                  \
#member, kind, .offset = offsetof(struct losses, member), .optional = true \
	}
const struct field losses_fields[] = {
	LOSSES(FIELD_U64, hit),
	LOSSES(FIELD_U64, exec_only),
	LOSSES(FIELD_U64, exit_only),
	LOSSES(FIELD_U64, runs),
	LOSSES(FIELD_U64, longest),
	LOSSES(FIELD_COUNT, first_ns),
	LOSSES(FIELD_COUNT, last_ns),
	LOSSES(FIELD_COUNT, stall_begin_ns),
	LOSSES(FIELD_COUNT, stall_end_ns),
	LOSSES(FIELD_U64, held_events),
	LOSSES(FIELD_U64, held_launches),
	LOSSES(FIELD_U64, hit_after),
	LOSSES(FIELD_U64, cpus),
	LOSSES(FIELD_U64, cpu_most),
	{ .key = NULL },
};

#define EXTERNAL(kind, member) LATER(struct result_external, kind, member)
const struct field external_fields[] = {
	LATER_TEXT(struct result_external, state),
	LATER_TEXT(struct result_external, why),
	EXTERNAL(FIELD_U32, bad),
	LATER_TEXT(struct result_external, command),
	LATER_TEXT(struct result_external, output),
	EXTERNAL(FIELD_REAL, startup_s),
	EXTERNAL(FIELD_REAL, load_cpu_s),
	EXTERNAL(FIELD_U64, lines),
	EXTERNAL(FIELD_COUNT, foreign_lines),
	EXTERNAL(FIELD_BOOL, by_pid),
	END,
};
