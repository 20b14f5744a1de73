// SPDX-License-Identifier: MIT
#include "base/hist.h"

#include <string.h>

#define SUB_COUNT (1U << HIST_SUB_BITS)
#define VALUE_MAX ((1ULL << HIST_MAX_BITS) - 1)

/*
 * Values below 128 have a bucket each. Above, the highest bit chooses a group of 128 buckets and the
 * seven bits below it the bucket in the group.
 */
static unsigned bucket_of(uint64_t value)
{
	unsigned shift;

	if (value < SUB_COUNT)
		return value;
	if (value > VALUE_MAX)
		value = VALUE_MAX;
	shift = 63 - HIST_SUB_BITS - __builtin_clzll(value);
	return (shift << HIST_SUB_BITS) + (value >> shift);
}

/* The middle of a bucket: at most 1/256 away from any value in it. */
static uint64_t bucket_middle(unsigned bucket)
{
	unsigned shift;

	if (bucket < 2 * SUB_COUNT)
		return bucket;
	shift = (bucket >> HIST_SUB_BITS) - 1;
	return ((uint64_t)(SUB_COUNT + bucket % SUB_COUNT) << shift) + (1ULL << shift) / 2;
}

void hist_init(struct hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

void hist_add(struct hist *h, uint64_t value)
{
	h->n++;
	if (value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->bucket[bucket_of(value)]++;
}

void hist_merge(struct hist *to, const struct hist *from)
{
	if (!from->n)
		return;
	to->n += from->n;
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

/* The smallest rank r in 1..n with r/n >= q; 0.07 * 100 is 7.000000000000001 in doubles, and means 7. */
static uint64_t rank_of(uint64_t n, double q)
{
	double want = q * (double)n * (1 - 1e-14);
	uint64_t rank;

	if (!(q > 0))
		return 1;
	if (q >= 1)
		return n;
	rank = (uint64_t)want;
	if ((double)rank < want)
		rank++;
	return rank < 1 ? 1 : rank > n ? n : rank;
}

uint64_t hist_quantile(const struct hist *h, double q)
{
	uint64_t rank, below = 0, value = h->max;

	if (!h->n)
		return 0;
	rank = rank_of(h->n, q);
	if (rank == 1)
		return h->min;
	if (rank == h->n)
		return h->max;
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		below += h->bucket[i];
		if (below >= rank) {
			value = bucket_middle(i);
			break;
		}
	}
	/* The middle of the outermost buckets may lie beyond what was seen. */
	return value < h->min ? h->min : value > h->max ? h->max : value;
}

uint64_t hist_above(const struct hist *h, uint64_t value)
{
	uint64_t n = 0;

	for (unsigned i = bucket_of(value) + 1; i < HIST_BUCKETS; i++)
		n += h->bucket[i];
	return n;
}
