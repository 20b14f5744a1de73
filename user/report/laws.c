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
	l->nknees = laws_knee(r, l->knee, LAWS_KNEES);
	l->nlives = laws_life(r, l->life, LAWS_LIVES);
	l->nhalves = laws_half(l->life, l->nlives, l->half, LAWS_HALVES);
	if (l->nstalls || l->nknees || l->nlives)
		return l;
	free(l);
	return NULL;
}
