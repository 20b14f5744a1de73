// SPDX-License-Identifier: MIT
#include "source/source.h"

#include <stdio.h>
#include <string.h>

/* The table: one line a source, defined in a file of its own. */
#define SOURCES(X)              \
	X(source_bpf)           \
	X(source_netlink)       \
	X(source_netlink_names) \
	X(source_replay)

#define DECLARE(name) extern const struct source_ops name;
SOURCES(DECLARE)

#define LIST(name) &name,
const struct source_ops *const sources[] = { SOURCES(LIST) NULL };

const char *source_names(void)
{
	static char text[256];
	size_t n = 0;

	for (const struct source_ops *const *s = sources; *s && n < sizeof(text); s++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s%s",
				      s == sources ? ""
				      : s[1]	   ? ", "
						   : " or ",
				      (*s)->name, (*s)->needs_file ? ":FILE" : "");
	return text;
}

const struct source_ops *source_find(const char *name)
{
	for (const struct source_ops *const *s = sources; *s; s++)
		if (strcmp((*s)->name, name) == 0)
			return *s;
	return NULL;
}

struct source_cfg source_cfg_default(void)
{
	return (struct source_cfg){ .nap_ms = 20, .ours_pgid = EV_NO_PID, .wake_fd = -1 };
}
