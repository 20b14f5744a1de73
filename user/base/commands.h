/* SPDX-License-Identifier: MIT */
/* commands: looks up and lists a NULL-ended table of commands. */
#ifndef PT_BASE_COMMANDS_H
#define PT_BASE_COMMANDS_H

#include "base/opt.h"

/* The command called @name; or NULL, after it has complained and named the nearest one. */
const struct command *command_find(const struct command *const *table, const char *name);
/* One line for each: name and summary. */
void commands_print(FILE *to, const struct command *const *table);

#endif
