// SPDX-License-Identifier: MIT
/* The machine and what was asked for. The keys are append-only once released. */
#include "report/field_macros.h"
#include "report/result_fields.h"

#define HOST(kind, member) PLAIN(struct result_host, kind, member)
const struct field host_fields[] = {
	TEXT(struct result_host, kernel),
	TEXT(struct result_host, arch),
	TEXT(struct result_host, virt),
	TEXT(struct result_host, cpu_model),
	TEXT(struct result_host, clocksource),
	HOST(FIELD_U32, cpus),
	HOST(FIELD_U32, cpus_possible),
	HOST(FIELD_U64, pid_max),
	HOST(FIELD_U64, rmem_max),
	HOST(FIELD_U64, mem_bytes),
	HOST(FIELD_U64, page_size),
	LATER_TEXT(struct result_host, governor),
	LATER_TEXT(struct result_host, mitigations),
	LATER_TEXT(struct result_host, other_programs),
	LATER(struct result_host, FIELD_I64, other_programs_n),
	LATER(struct result_host, FIELD_I64, other_listeners),
	END,
};

#define CONFIG(kind, member) PLAIN(struct result_config, kind, member)
const struct field config_fields[] = {
	CONFIG(FIELD_REAL, duration_s),
	CONFIG(FIELD_U32, rounds),
	TEXT(struct result_config, method),
	TEXT(struct result_config, target),
	CONFIG(FIELD_U64, ring_bytes),
	CONFIG(FIELD_U64, rcvbuf_bytes),
	CONFIG(FIELD_U64, stall_ms),
	CONFIG(FIELD_U64, seed),
	LATER_TEXT(struct result_config, suite),
	LATER(struct result_config, FIELD_U64, count),
	LATER(struct result_config, FIELD_REAL, auto_pct),
	LATER(struct result_config, FIELD_REAL, max_time_s),
	END,
};
