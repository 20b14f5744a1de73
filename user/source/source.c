// SPDX-License-Identifier: MIT
#include "source/source.h"

#include <string.h>

extern const struct source_ops source_bpf, source_netlink, source_netlink_names, source_replay;

const struct source_ops *const sources[] = {
	&source_bpf, &source_netlink, &source_netlink_names, &source_replay, NULL,
};

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
