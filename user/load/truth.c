// SPDX-License-Identifier: MIT
#include "load/truth.h"

size_t truth_count(const struct truth *t)
{
	size_t n = 0;

	for (unsigned i = 0; i < t->nsegments; i++)
		n += t->segment[i].n;
	return n;
}
