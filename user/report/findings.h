/* SPDX-License-Identifier: MIT */
/*
 * findings: what differs between reports: settings as they are, measured figures only beyond noise.
 *
 * Two figures with intervals differ when the intervals do not overlap; without intervals (too few rounds)
 * nothing is claimed. Losses differ when one report has some and the other none, or by more than a half.
 */
#ifndef PT_REPORT_FINDINGS_H
#define PT_REPORT_FINDINGS_H

#include "report/compare.h"
#include "report/fmt.h"

typedef void (*finding_fn)(void *ctx, const char *sentence);

/* Fields of host and settings that are not the same in all reports: "kernel: A 6.1, B 6.18". Returns how many. */
size_t findings_settings(const struct compare *c, finding_fn fn, void *ctx);
/* One scenario × monitor, each report against the first: "B is 12 % faster than A". Returns how many. */
size_t findings_measured(const struct compare *c, const char *scenario, const char *monitor,
			 finding_fn fn, void *ctx);

#endif
