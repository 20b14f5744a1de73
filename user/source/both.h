/* SPDX-License-Identifier: MIT */
/* both: the bpf source, with netlink beside it to check it: hands on what bpf tells, and where they differ. */
#ifndef PT_SOURCE_BOTH_H
#define PT_SOURCE_BOTH_H

#include "source/source.h"

extern const struct source_ops source_both;

#endif
