/* SPDX-License-Identifier: MIT */
/* clock: CLOCK_MONOTONIC in nanoseconds, the clock that BPF (bpf_ktime_get_ns) and the proc
 * connector (ktime_get_ns) stamp with, so that all times compare directly. Any thread. */
#ifndef PT_BASE_CLOCK_H
#define PT_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NSEC_PER_USEC 1000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC 1000000000ULL

/* Now, in ns of CLOCK_MONOTONIC. */
static inline uint64_t clock_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* Sleeps until the absolute CLOCK_MONOTONIC time @when_ns; goes on after signals. */
void clock_sleep_until_ns(uint64_t when_ns);

/* Sleeps for @ns; goes on after signals. */
void clock_sleep_ns(uint64_t ns);

#endif
