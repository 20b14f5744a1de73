/* SPDX-License-Identifier: MIT */
/*
 * err: a negative errno together with the one sentence that the user will read.
 *
 * Modules fill it and return its code; only a command prints it. A plain value, owned by the
 * caller; any thread may use its own.
 */
#ifndef PT_BASE_ERR_H
#define PT_BASE_ERR_H

struct err {
	char text[512];
};

/* Formats the sentence into @e (may be NULL) and returns @code, a negative errno, unchanged. */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
