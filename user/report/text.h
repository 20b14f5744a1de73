/* SPDX-License-Identifier: MIT */
/* text: a result as tables and plain sentences, 100 columns at most; colour only if @colour. Pure but for @f. */
#ifndef PT_REPORT_TEXT_H
#define PT_REPORT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/fmt.h"
#include "report/result.h"

/* Head line, one table a scenario, notes, verdict. */
void text_report(const struct result *r, FILE *f, bool colour);
/* Whether @f wants colour: a terminal, and the user did not say no (NO_COLOR, TERM=dumb). */
bool text_colour(FILE *f);
/* "0.4 ± 0.9", "~ 0.4" with too few rounds for an interval, or "–". */
struct fmt text_slowdown(const struct result_summary *s);

#endif
