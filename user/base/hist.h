/* SPDX-License-Identifier: MIT */
/*
 * hist: a log-linear ("HDR style") histogram of times in ns.
 *
 * 128 linear buckets per power of two: a quantile is off by less than 1 %. A plain value without
 * pointers, so it may lie in memory shared between processes; one writer at a time.
 */
#ifndef PT_BASE_HIST_H
#define PT_BASE_HIST_H

#include <stdint.h>

#define HIST_SUB_BITS 7
#define HIST_MAX_BITS 42 /* values up to 2^42 ns, 73 minutes; larger ones count as that */
#define HIST_BUCKETS ((HIST_MAX_BITS - HIST_SUB_BITS + 1) << HIST_SUB_BITS)

struct hist {
	uint64_t n, min, max; /* min and max are exact; meaningless while n == 0 */
	uint32_t bucket[HIST_BUCKETS];
};

/* Empties @h. */
void hist_init(struct hist *h);
/* Counts one value (ns). A few ns; no allocation. */
void hist_add(struct hist *h, uint64_t value);
/* Adds all of @from to @to. */
void hist_merge(struct hist *to, const struct hist *from);
/* The value at quantile @q in [0, 1]; 0 when empty. hist_quantile(h, 1) is the exact maximum. */
uint64_t hist_quantile(const struct hist *h, double q);
/* How many values lie in buckets above that of @value. */
uint64_t hist_above(const struct hist *h, uint64_t value);

#endif
