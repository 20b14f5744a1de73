// SPDX-License-Identifier: MIT
#include "sink/username.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Writes the name into @name, of @cap bytes; returns its length. */
static size_t look_up(uid_t uid, char *name, size_t cap)
{
	char text[256], entry_text[1024];
	struct passwd entry, *found = NULL;
	size_t n, fit;

	if (getpwuid_r(uid, &entry, entry_text, sizeof(entry_text), &found) || !found ||
	    !found->pw_name[0])
		return (size_t)snprintf(name, cap, "%u", uid);
	n = escape_text(text, sizeof(text), found->pw_name, strlen(found->pw_name));
	if (escape_columns(text, n, USERNAME_COLUMNS - 1, &fit) > USERNAME_COLUMNS) {
		n = min_size(fit, cap - 1);
		text[n++] = '+';
	}
	n = min_size(n, cap);
	memcpy(name, text, n);
	return n;
}

const char *username_get(struct username_cache *c, uid_t uid, size_t *len)
{
	unsigned i = (uid ^ uid >> 8) & (USERNAME_SLOTS - 1);

	if (!c->slot[i].len || c->slot[i].uid != uid) {
		c->slot[i].uid = uid;
		c->slot[i].len =
			(unsigned char)look_up(uid, c->slot[i].name, sizeof(c->slot[i].name));
	}
	*len = c->slot[i].len;
	return c->slot[i].name;
}
