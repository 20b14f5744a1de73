/* SPDX-License-Identifier: MIT */
/* laws_priv: one function a study; internal to laws. Each fills at most @max rows and returns how many. */
#ifndef PT_REPORT_LAWS_PRIV_H
#define PT_REPORT_LAWS_PRIV_H

#include "report/laws.h"

size_t laws_stall(const struct result *r, struct law_stall *out, size_t max);
size_t laws_knee(const struct result *r, struct law_knee *out, size_t max);
size_t laws_life(const struct result *r, struct law_life *out, size_t max);
/* From the @n rows of laws_life(). */
size_t laws_half(const struct law_life *life, size_t n, struct law_half *out, size_t max);

/* As a count; figures of a hostile report may lie beyond what fits. */
static inline uint64_t law_whole(double v)
{
	return v > 0 ? v < 0x1p63 ? (uint64_t)v : INT64_MAX : 0;
}

#endif
