/* SPDX-License-Identifier: MIT */
/* bounds: what values of options may be, where several commands have the option. */
#ifndef PT_CMD_BOUNDS_H
#define PT_CMD_BOUNDS_H

#include "base/opt.h"

extern const struct opt_bounds ring_bounds, rcvbuf_bounds, time_bounds;

#endif
