// SPDX-License-Identifier: MIT
#include "bench/pooled.h"

#include <errno.h>
#include <stdlib.h>

static struct pooled_cell *cell_new(void)
{
	struct pooled_cell *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	hist_init(&c->launch);
	for (unsigned i = 0; i < CELL_MAX_SOURCES; i++)
		hist_init(&c->source[i]);
	return c;
}

int pooled_add(struct pooled *p, const struct plan_cell *pc, const struct cell_result *cell,
	       const struct recording *rec)
{
	struct pooled_cell **c = &p->cell[pc->scenario][pc->monitor];

	if (pc->purpose != SLICE_MEASURE || cell->interrupted)
		return 0;
	if (!*c)
		*c = cell_new();
	if (!*c)
		return -ENOMEM;
	hist_merge(&(*c)->launch, &cell->load.latency);
	for (unsigned i = 0; i < cell->nsources; i++)
		hist_merge(&(*c)->source[i], &rec[i].latency);
	return 0;
}

void pooled_free(struct pooled *p)
{
	for (unsigned s = 0; s < PLAN_MAX_SCENARIOS; s++)
		for (unsigned m = 0; m < PLAN_MAX_MONITORS; m++)
			free(p->cell[s][m]);
	*p = (struct pooled){ 0 };
}
