/* SPDX-License-Identifier: MIT */
/* text: a result as tables and plain sentences, 100 columns at most; colour only if @colour. Pure but for @f. */
#ifndef PT_REPORT_TEXT_H
#define PT_REPORT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/result.h"

/* Head line, one table a scenario, notes, verdict. */
void text_report(const struct result *r, FILE *f, bool colour);

#endif
