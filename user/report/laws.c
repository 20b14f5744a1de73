// SPDX-License-Identifier: MIT
#include "report/laws.h"

#include <errno.h>
#include <stdlib.h>

#include "report/laws_priv.h"

struct laws *laws_find(const struct result *r, int *err)
{
	struct laws *l = calloc(1, sizeof(*l));

	*err = l ? 0 : -ENOMEM;
	if (!l)
		return NULL;
	l->nstalls = laws_stall(r, l->stall, LAWS_STALLS);
	if (l->nstalls)
		return l;
	free(l);
	return NULL;
}
