// SPDX-License-Identifier: MIT
#include "cmd/bounds.h"

/* What is below a page becomes one. */
const struct opt_bounds ring_bounds = { 1, 1U << 30, "one page to 1G" };
/* The kernel counts in an int; below its own least, it takes that. */
const struct opt_bounds rcvbuf_bounds = { 1, 2ULL << 30, "a size up to 2G" };
const struct opt_bounds time_bounds = { 1, UINT64_MAX, "a time such as 10 or 200ms" };
