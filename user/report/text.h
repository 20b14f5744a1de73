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
/* What the user said about colour, in the order of text_colour_names. */
enum text_colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };
extern const char *const text_colour_names[]; /* ended by NULL */
/* Whether @f gets colour: as @when (enum text_colour) says; left open, a terminal does, unless the environment
 * speaks against it (NO_COLOR, TERM=dumb). */
bool text_colour(FILE *f, int when);
/* "0.4 ± 0.9", "~ 0.4" with too few rounds for an interval, or "–". */
struct fmt text_slowdown(const struct result_summary *s);

#endif
