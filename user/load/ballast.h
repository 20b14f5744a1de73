/* SPDX-License-Identifier: MIT */
/* ballast: what makes a launch dear in other programs: open descriptors and memory. Internal to load/. */
#ifndef PT_LOAD_BALLAST_H
#define PT_LOAD_BALLAST_H

#include "load/load.h"

/* Whether @cfg asks for no more than its workers may have. 0, or -errno and a sentence. */
int ballast_check(const struct load_pool_cfg *cfg, struct err *e);
/* Takes it, in the calling worker, for good. 0 or -errno. */
int ballast_take(uint32_t fds, uint32_t mib);

#endif
