/* SPDX-License-Identifier: MIT */
/* selftest_live: the self-test on what the kernel really tells. */
#ifndef PT_BENCH_SELFTEST_LIVE_H
#define PT_BENCH_SELFTEST_LIVE_H

#include "bench/cell.h"
#include "bench/selftest.h"

/* With the source @ops, in cells of @rig, which has one worker and recordings of SELFTEST_EVENTS; @beside is the honest
 * source that watches where a fault needs one (NULL: there is none). 0, -EINTR or -errno with a sentence. */
int selftest_live(struct selftest_column *col, struct rig *rig, const struct source_ops *ops,
		  const struct source_ops *beside, struct err *e);

#endif
