/* SPDX-License-Identifier: MIT */
/*
 * cell_external: what a cell does besides, where someone else's monitor watches: it takes long to start and to end,
 * and would break the idle time that all loads have before them. (Internal to cell.)
 */
#ifndef PT_BENCH_CELL_EXTERNAL_H
#define PT_BENCH_CELL_EXTERNAL_H

#include "bench/cell.h"

/*
 * Starts cfg->external, if there is one, until it is seen to work; then, or where nobody watches and the last load is
 * too long ago, lets the launcher warm up, which is forgotten again. *x stays NULL without a monitor. 0, also if the
 * monitor does not work: out->external says so and no load is to run. -errno with a sentence.
 */
int cell_external_begin(struct rig *rig, const struct cell_cfg *cfg, struct external **x,
			struct cell_result *out, struct err *e);
/* Ends it and fills out->external. NULL-safe. */
int cell_external_end(struct rig *rig, struct external *x, struct cell_result *out, struct err *e);

#endif
