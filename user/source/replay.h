/* SPDX-License-Identifier: MIT */
/* replay: what a command must know of a recording before it opens the sinks. */
#ifndef PT_SOURCE_REPLAY_H
#define PT_SOURCE_REPLAY_H

#include <stdint.h>

#include "source/source.h"

/* CLOCK_REALTIME - CLOCK_MONOTONIC of the recording that @s has open. */
int64_t replay_wall_offset(const struct source *s);

#endif
