/* SPDX-License-Identifier: MIT */
/*
 * sketch: a small histogram of times, where there are thousands of them: 8 linear buckets per power of
 * two, so a quantile is off by at most 1/16. A plain value; one thread at a time.
 */
#ifndef PT_BASE_SKETCH_H
#define PT_BASE_SKETCH_H

#include <stdint.h>

#define SKETCH_SUB_BITS 3
#define SKETCH_MAX_BITS 52 /* 2^52 ns, 52 days; longer ones count as that */
#define SKETCH_BUCKETS ((SKETCH_MAX_BITS - SKETCH_SUB_BITS + 1) << SKETCH_SUB_BITS)

struct sketch {
	uint64_t n, min, max;
	uint32_t bucket[SKETCH_BUCKETS];
};

/* All zeros are an empty one. */
void sketch_add(struct sketch *s, uint64_t value);
/* The value at quantile @q in (0, 1]; 0 when empty. Never outside of what was added. */
uint64_t sketch_quantile(const struct sketch *s, double q);

#endif
