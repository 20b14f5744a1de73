/* SPDX-License-Identifier: MIT */
/* ext_complaint: of what a program printed, the line that says why it does not work. (Internal to external.) Pure. */
#ifndef PT_BENCH_EXT_COMPLAINT_H
#define PT_BENCH_EXT_COMPLAINT_H

#include <stddef.h>

/* The first line of @text that speaks of a trouble, or else the first that is not empty; "" if there is none. */
void ext_complaint(const char *text, size_t len, char *dst, size_t cap);

#endif
