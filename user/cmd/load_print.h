/* SPDX-License-Identifier: MIT */
/* load_print: what `load` measured, as text or JSON. */
#ifndef PT_CMD_LOAD_PRINT_H
#define PT_CMD_LOAD_PRINT_H

#include <stdio.h>

#include "load/load.h"
#include "report/result.h"

struct load_run {
	struct load_cfg cfg;
	struct load_result result;
};

struct load_runs {
	const char *target; /* as the user calls it */
	struct result_host host;
	struct load_run *run;
	unsigned n;
	bool interrupted;
};

/* Head, a line a run, and what there is to say about them. */
void load_print_text(const struct load_runs *runs, FILE *f, bool colour);
/* One object. 0 or -ENOMEM. */
int load_print_json(const struct load_runs *runs, FILE *f);

#endif
