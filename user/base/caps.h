/* SPDX-License-Identifier: MIT */
/* caps: the capabilities of the calling thread. */
#ifndef PT_BASE_CAPS_H
#define PT_BASE_CAPS_H

#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAPS_MASK(cap) (1ULL << (cap))

/* Whether all of @mask can be used. */
bool caps_have(uint64_t mask);
/* The first of @mask that cannot be used, as "CAP_BPF", or NULL; knows those that this program may need. */
const char *caps_missing(uint64_t mask);
/* Gives up, for good, all but those of @keep that it has. 0 or -errno. */
int caps_keep(uint64_t keep);

#endif
