// SPDX-License-Identifier: MIT
#include "base/human.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/outbuf.h"

#define MINUTE 60ULL
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

static unsigned two_units(char dst[HUMAN_MAX], uint64_t seconds)
{
	if (seconds < HOUR)
		snprintf(dst, HUMAN_MAX, "%um%02us", (unsigned)(seconds / MINUTE),
			 (unsigned)(seconds % MINUTE));
	else if (seconds < DAY)
		snprintf(dst, HUMAN_MAX, "%uh%02um", (unsigned)(seconds / HOUR),
			 (unsigned)(seconds % HOUR / MINUTE));
	else
		snprintf(dst, HUMAN_MAX, "%llud%02uh", (unsigned long long)(seconds / DAY),
			 (unsigned)(seconds % DAY / HOUR));
	return (unsigned)strlen(dst);
}

/* @q is the value times 10 to the power of @decimals. */
static unsigned with_decimals(char *dst, uint64_t q, unsigned decimals, const char *unit)
{
	unsigned n = decimal_format(dst, q);

	/* Three digits stand there whenever there are decimals, but for values below 1. */
	if (decimals) {
		memmove(dst + n - decimals + 1, dst + n - decimals, decimals);
		dst[n - decimals] = '.';
		n++;
	}
	return n + (unsigned)(stpcpy(dst + n, unit) - (dst + n));
}

unsigned human_duration(char dst[HUMAN_MAX], uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} unit[] = { { NSEC_PER_USEC, " µs" }, { NSEC_PER_MSEC, " ms" }, { NSEC_PER_SEC, " s" } };
	uint64_t step, q;

	if (ns < NSEC_PER_USEC)
		return with_decimals(dst, ns, 0, " ns");
	if (ns >= MINUTE * NSEC_PER_SEC)
		return two_units(dst, ns / NSEC_PER_SEC);
	for (unsigned u = 0; u < 3; u++) {
		step = unit[u].ns / 100;
		for (int decimals = 2; decimals >= 0; decimals--, step *= 10) {
			q = (ns + step / 2) / step;
			if (q < 1000)
				return with_decimals(dst, q, (unsigned)decimals, unit[u].name);
		}
	}
	return two_units(dst, ns / NSEC_PER_SEC);
}
