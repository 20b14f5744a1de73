/* SPDX-License-Identifier: MIT */
/* result_fields: the one table of what a report holds; saving, loading and comparing walk it. */
#ifndef PT_REPORT_RESULT_FIELDS_H
#define PT_REPORT_RESULT_FIELDS_H

#include "report/fields.h"
#include "report/result.h"

/* More runs than this are no report of ours; bounds the work that a hostile file can cause. */
#define RESULT_MAX_RUNS 16384

extern const struct field result_fields[]; /* struct result */
extern const struct field host_fields[]; /* struct result_host */
extern const struct field config_fields[]; /* struct result_config */
extern const struct field conditions_fields[]; /* struct conditions */
extern const struct field laws_fields[]; /* struct result, whose laws are not NULL */
extern const struct field losses_fields[]; /* struct losses */
extern const struct field summary_fields[]; /* struct result_summary */
extern const struct field latency_fields[]; /* struct result_latency */
extern const struct field pooled_fields[]; /* struct result_pooled */
extern const struct field figure_fields[]; /* struct explain_figure */
extern const struct field_list figure_list; /* of a struct result */
extern const struct field external_fields[]; /* struct result_external */
extern const struct field source_fields[]; /* struct result_source */

#endif
