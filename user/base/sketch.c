// SPDX-License-Identifier: MIT
#include "base/sketch.h"

#define SUB_COUNT (1U << SKETCH_SUB_BITS)
#define VALUE_MAX ((1ULL << SKETCH_MAX_BITS) - 1)

/* As in hist.c, with fewer buckets: the highest bit chooses a group, the three below it the bucket. */
static unsigned bucket_of(uint64_t value)
{
	unsigned shift;

	if (value < SUB_COUNT)
		return (unsigned)value;
	if (value > VALUE_MAX)
		value = VALUE_MAX;
	shift = 63 - SKETCH_SUB_BITS - (unsigned)__builtin_clzll(value);
	return (shift << SKETCH_SUB_BITS) + (unsigned)(value >> shift);
}

static uint64_t bucket_middle(unsigned bucket)
{
	unsigned shift;

	if (bucket < 2 * SUB_COUNT)
		return bucket;
	shift = (bucket >> SKETCH_SUB_BITS) - 1;
	return ((uint64_t)(SUB_COUNT + bucket % SUB_COUNT) << shift) + (1ULL << shift) / 2;
}

void sketch_add(struct sketch *s, uint64_t value)
{
	if (!s->n || value < s->min)
		s->min = value;
	if (value > s->max)
		s->max = value;
	s->n++;
	s->bucket[bucket_of(value)]++;
}

uint64_t sketch_quantile(const struct sketch *s, double q)
{
	uint64_t rank = (uint64_t)(q * (double)s->n), below = 0, value = s->max;

	if ((double)rank < q * (double)s->n || !rank)
		rank++;
	if (!s->n || rank >= s->n)
		return s->max;
	for (unsigned i = 0; i < SKETCH_BUCKETS && below < rank; i++) {
		below += s->bucket[i];
		value = bucket_middle(i);
	}
	return value < s->min ? s->min : value > s->max ? s->max : value;
}
