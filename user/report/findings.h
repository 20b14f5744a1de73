/* SPDX-License-Identifier: MIT */
/*
 * findings: what differs between reports, in words: settings as they are, measured figures beyond noise (judge.h).
 *
 * Two things are said without a test: an unexplained loss, since no chance makes one where there was none before; and, as a mere
 * remark, a loss that too few rounds show to exclude chance.
 */
#ifndef PT_REPORT_FINDINGS_H
#define PT_REPORT_FINDINGS_H

#include "report/compare.h"
#include "report/fmt.h"
#include "report/judge.h"

typedef void (*finding_fn)(void *ctx, const char *sentence);

/* Fields of host and settings that are not the same in all reports: "kernel: A 6.1, B 6.18". Returns how many. */
size_t findings_settings(const struct compare *c, finding_fn fn, void *ctx);
/* One scenario × monitor, each report against the first: "B is 12 % faster than A". Returns how many of them are
 * differences, not remarks. */
size_t findings_measured(const struct compare *c, const struct judgement *j, const char *scenario,
			 const char *monitor, finding_fn fn, void *ctx);

#endif
