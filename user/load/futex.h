/* SPDX-License-Identifier: MIT */
/* futex: sleeping on a word of shared memory. Async-signal-safe. */
#ifndef PT_LOAD_FUTEX_H
#define PT_LOAD_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

/* Sleeps while *@word is @value, until a wake-up, a signal or the CLOCK_MONOTONIC time @until_ns (UINT64_MAX: no
 * bound). May return early: look again. */
static inline void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t until_ns)
{
	const struct timespec ts = { .tv_sec = (time_t)(until_ns / NSEC_PER_SEC),
				     .tv_nsec = (long)(until_ns % NSEC_PER_SEC) };

	syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value, until_ns == UINT64_MAX ? NULL : &ts,
		NULL, FUTEX_BITSET_MATCH_ANY);
}

static inline void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#endif
