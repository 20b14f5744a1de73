// SPDX-License-Identifier: MIT
#include "base/commands.h"

#include <string.h>

#include "base/nearest.h"

const struct command *command_find(const struct command *const *table, const char *name)
{
	struct nearest near = nearest_init(name, strlen(name));
	const char *what = *name == '-' ? "option" : "command";

	for (; *table; table++) {
		if (strcmp((*table)->name, name) == 0)
			return *table;
		nearest_offer(&near, (*table)->name);
	}
	if (near.best)
		complain(EXIT_USAGE,
			 "unknown %s '%.128s': did you mean '%s'? See 'proctrace --help'", what,
			 name, near.best);
	else
		complain(EXIT_USAGE, "unknown %s '%.128s'; see 'proctrace --help'", what, name);
	return NULL;
}

void commands_print(FILE *to, const struct command *const *table)
{
	for (; *table; table++)
		fprintf(to, "  %-10s%s\n", (*table)->name, (*table)->summary);
}
