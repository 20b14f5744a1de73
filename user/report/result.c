// SPDX-License-Identifier: MIT
#include "report/result.h"

#include <stdlib.h>
#include <string.h>

/* The room is always the next power of two, so it needs no field of its own. */
struct result_run *result_add_run(struct result *r)
{
	struct result_run *run = r->run;

	if ((r->nruns & (r->nruns - 1)) == 0) {
		run = reallocarray(run, r->nruns ? 2 * r->nruns : 1, sizeof(*run));
		if (!run)
			return NULL;
		r->run = run;
	}
	run += r->nruns++;
	memset(run, 0, sizeof(*run));
	return run;
}

void result_free(struct result *r)
{
	free(r->run);
	free(r->summary);
	free(r->laws);
	memset(r, 0, sizeof(*r));
}
