/* SPDX-License-Identifier: MIT */
/* opt_help: --help out of the tables of opt.h. */
#ifndef PT_BASE_OPT_HELP_H
#define PT_BASE_OPT_HELP_H

#include "base/opt.h"

/* Prints usage, summary, options by group and details to @to, no line longer than 100 columns
 * (details are printed as they are). */
void opts_print_help(FILE *to, const struct command *cmd, const struct opt_group *groups);

#endif
