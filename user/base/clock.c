// SPDX-License-Identifier: MIT
#include "base/clock.h"

#include <errno.h>

void clock_sleep_until_ns(uint64_t when_ns)
{
	const struct timespec ts = { .tv_sec = (time_t)(when_ns / NSEC_PER_SEC),
				     .tv_nsec = (long)(when_ns % NSEC_PER_SEC) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

void clock_sleep_ns(uint64_t ns)
{
	clock_sleep_until_ns(clock_now_ns() + ns);
}
