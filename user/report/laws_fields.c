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
	STALL(FIELD_REAL, worst_pct),
	STALL(FIELD_REAL, held_events),
	STALL(FIELD_REAL, capacity_events),
	STALL(FIELD_U64, hit),
	STALL(FIELD_U64, exec_only),
	STALL(FIELD_U64, exit_only),
	STALL(FIELD_U64, runs),
	STALL(FIELD_U64, longest),
	STALL(FIELD_REAL, recovery_s),
	STALL(FIELD_U64, cpus),
	STALL(FIELD_REAL, cpu_share),
	{ .key = NULL },
};

#define KNEE(kind, member)                                                                  \
	{                                                                                   \
#member, kind, .offset = offsetof(struct law_knee, member), .derived = true \
	}
static const struct field knee_fields[] = {
	{ "monitor", FIELD_TEXT, .offset = offsetof(struct law_knee, monitor), .derived = true,
	  .size = sizeof(((struct law_knee *)0)->monitor) },
	KNEE(FIELD_REAL, rate),
	KNEE(FIELD_REAL, achieved),
	KNEE(FIELD_REAL, slowest),
	KNEE(FIELD_REAL, fastest),
	KNEE(FIELD_U64, expected),
	KNEE(FIELD_U64, lost),
	KNEE(FIELD_U64, nameable),
	KNEE(FIELD_U64, named),
	KNEE(FIELD_U64, p50_ns),
	KNEE(FIELD_U64, p99_ns),
	KNEE(FIELD_REAL, launch_p99_ns),
	KNEE(FIELD_REAL, cpu_us),
	{ .key = NULL },
};

#define LIFE(kind, member)                                                                  \
	{                                                                                   \
#member, kind, .offset = offsetof(struct law_life, member), .derived = true \
	}
static const struct field life_fields[] = {
	{ "source", FIELD_TEXT, .offset = offsetof(struct law_life, source), .derived = true,
	  .size = sizeof(((struct law_life *)0)->source) },
	LIFE(FIELD_U64, lifetime_ns),
	LIFE(FIELD_BOOL, sleeps),
	LIFE(FIELD_U64, launches),
	LIFE(FIELD_U64, named),
	LIFE(FIELD_REAL, share),
	LIFE(FIELD_REAL, lo),
	LIFE(FIELD_REAL, hi),
	{ .key = NULL },
};

static bool half_found(const void *base)
{
	return ((const struct law_half *)base)->state == HALF_FOUND;
}

#define HALF(member)                                                                               \
	{                                                                                          \
#member, FIELD_REAL, .offset = offsetof(struct law_half, member), .derived = true, \
				     .has = half_found                                             \
	}
static const struct field half_fields[] = {
	{ "source", FIELD_TEXT, .offset = offsetof(struct law_half, source), .derived = true,
	  .size = sizeof(((struct law_half *)0)->source) },
	HALF(ns),
	HALF(lo_ns),
	HALF(hi_ns),
	{ .key = NULL },
};

/* A list of the laws: how many rows, and each. */
#define LIST(name, rows)                                              \
	static size_t name##_count(const void *base)                  \
	{                                                             \
		return ((const struct result *)base)->laws->rows;     \
	}                                                             \
	static const void *name##_at(const void *base, size_t i)      \
	{                                                             \
		return &((const struct result *)base)->laws->name[i]; \
	}                                                             \
	static const struct field_list name##_list = { .count = name##_count, .at = name##_at };
LIST(stall, nstalls)
LIST(knee, nknees)
LIST(life, nlives)
LIST(half, nhalves)

const struct field laws_fields[] = {
	{ "stall", FIELD_LIST, .derived = true, .sub = stall_fields, .list = &stall_list },
	{ "knee", FIELD_LIST, .derived = true, .sub = knee_fields, .list = &knee_list },
	{ "lifetime", FIELD_LIST, .derived = true, .sub = life_fields, .list = &life_list },
	{ "lifetime_half", FIELD_LIST, .derived = true, .sub = half_fields, .list = &half_list },
	{ .key = NULL },
};
