// SPDX-License-Identifier: MIT
/* The laws in the report: written for those who read the file, computed anew after loading. Append-only. */
#include "report/laws.h"
#include "report/result_fields.h"

#define STALL(kind, member)                                                                  \
	{                                                                                    \
#member, kind, .offset = offsetof(struct law_stall, member), .derived = true \
	}
static const struct field stall_fields[] = {
	{ "source", FIELD_TEXT, .offset = offsetof(struct law_stall, source), .derived = true,
	  .size = sizeof(((struct law_stall *)0)->source) },
	STALL(FIELD_U64, buffer_bytes),
	STALL(FIELD_U64, bytes_per_event),
	STALL(FIELD_REAL, events_per_launch),
	STALL(FIELD_REAL, rate),
	STALL(FIELD_REAL, foreign_per_s),
	STALL(FIELD_U32, rounds),
	STALL(FIELD_U32, lossless),
	STALL(FIELD_REAL, onset_s),
	STALL(FIELD_REAL, predicted_s),
	STALL(FIELD_REAL, apart_pct),
	STALL(FIELD_REAL, held_events),
	STALL(FIELD_REAL, capacity_events),
	STALL(FIELD_U64, hit),
	STALL(FIELD_U64, exec_only),
	STALL(FIELD_U64, exit_only),
	STALL(FIELD_U64, runs),
	STALL(FIELD_U64, longest),
	STALL(FIELD_REAL, recovery_s),
	{ .key = NULL },
};

static size_t stall_count(const void *base)
{
	return ((const struct result *)base)->laws->nstalls;
}

static const void *stall_at(const void *base, size_t i)
{
	return &((const struct result *)base)->laws->stall[i];
}

static const struct field_list stall_list = { .count = stall_count, .at = stall_at };

const struct field laws_fields[] = {
	{ "stall", FIELD_LIST, .derived = true, .sub = stall_fields, .list = &stall_list },
	{ .key = NULL },
};
