/* SPDX-License-Identifier: MIT */
/* human: quantities for people. Pure; any thread. */
#ifndef PT_BASE_HUMAN_H
#define PT_BASE_HUMAN_H

#include <stdint.h>

#define HUMAN_MAX 24

/* "17 ns", "3.40 ms", "12.5 s", "2m05s", "3h12m", "5d03h"; NUL-terminated; returns the length in bytes. */
unsigned human_duration(char dst[HUMAN_MAX], uint64_t ns);

#endif
