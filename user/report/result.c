// SPDX-License-Identifier: MIT
#include "report/result.h"

#include <stdlib.h>
#include <string.h>

/* One element more, zeroed. The room is always the next power of two, so it needs no field of its own. */
static void *append(void **list, size_t *n, size_t size)
{
	char *at = *list;

	if ((*n & (*n - 1)) == 0) {
		at = reallocarray(at, *n ? 2 * *n : 1, size);
		if (!at)
			return NULL;
		*list = at;
	}
	at += size * (*n)++;
	return memset(at, 0, size);
}

struct result_run *result_add_run(struct result *r)
{
	void *list = r->run, *run = append(&list, &r->nruns, sizeof(*r->run));

	r->run = list;
	return run;
}

struct result_pooled *result_add_pooled(struct result *r)
{
	void *list = r->pooled, *pooled = append(&list, &r->npooled, sizeof(*r->pooled));

	r->pooled = list;
	return pooled;
}

struct explain_figure *result_add_figure(struct result *r)
{
	void *list = r->figure, *figure = append(&list, &r->nfigures, sizeof(*r->figure));

	r->figure = list;
	return figure;
}

void result_free(struct result *r)
{
	free(r->run);
	free(r->pooled);
	free(r->figure);
	free(r->summary);
	free(r->laws);
	memset(r, 0, sizeof(*r));
}

uint64_t source_nameable(const struct result_source *s)
{
	return s->external.is ? s->ledger.all.expected : s->ledger.kind[EV_EXEC].matched;
}
