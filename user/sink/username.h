/* SPDX-License-Identifier: MIT */
/*
 * username: names of user ids, asked for once each and kept: the user database may be slow.
 * One thread at a time. Bounded memory.
 */
#ifndef PT_SINK_USERNAME_H
#define PT_SINK_USERNAME_H

#include <sys/types.h>

#define USERNAME_COLUMNS 8
#define USERNAME_SLOTS 256 /* a power of two */

struct username_cache {
	struct {
		uid_t uid;
		unsigned char len; /* 0: free */
		char name[4 * USERNAME_COLUMNS]; /* escaped, cut to USERNAME_COLUMNS; no NUL */
	} slot[USERNAME_SLOTS];
};

/* Name of @uid, or its number, cut with '+' to USERNAME_COLUMNS. @len gets its length; valid till the next call. */
const char *username_get(struct username_cache *c, uid_t uid, size_t *len);

#endif
