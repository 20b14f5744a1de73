/* SPDX-License-Identifier: MIT */
/*
 * join: a sink that makes one event of a process: its exit, with the path, arguments and so on of its last
 * exec. Passes that on, and losses. Bounded memory. One thread at a time.
 */
#ifndef PT_SINK_JOIN_H
#define PT_SINK_JOIN_H

#include "sink/sink.h"

/* Takes over @to (NULL is passed on as NULL). NULL: no memory; @to is closed. */
struct sink *sink_join_new(struct sink *to);

#endif
