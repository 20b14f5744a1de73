/* SPDX-License-Identifier: MIT */
/*
 * args: walks the arguments of struct event: each is followed by NUL; only the last one may lack it,
 * when it was cut. So "a\0\0" is ["a", ""], "a\0b" is ["a", "b"] and nothing at all is [].
 */
#ifndef PT_EVENT_ARGS_H
#define PT_EVENT_ARGS_H

#include <stdbool.h>
#include <string.h>

#include "event/event.h"

/* Takes the next argument off the front of @rest. False: there is none. */
static inline bool args_next(struct str *rest, struct str *arg)
{
	const char *nul;

	if (!rest->len)
		return false;
	nul = memchr(rest->p, '\0', rest->len);
	arg->p = rest->p;
	arg->len = nul ? (size_t)(nul - rest->p) : rest->len;
	rest->p += arg->len + !!nul;
	rest->len -= arg->len + !!nul;
	return true;
}

#endif
