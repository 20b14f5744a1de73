/* SPDX-License-Identifier: MIT */
/* replay: a source that reads a recording; its sinks want to know the wall clock of then. */
#ifndef PT_SOURCE_REPLAY_H
#define PT_SOURCE_REPLAY_H

#include <stdint.h>

#include "source/source.h"

extern const struct source_ops source_replay;

/* CLOCK_REALTIME - CLOCK_MONOTONIC of the recording that @s has open. */
int64_t replay_wall_offset(const struct source *s);

#endif
