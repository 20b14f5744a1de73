/* SPDX-License-Identifier: MIT */
/* load_opts: the load generator on the command line, for every command that has one. */
#ifndef PT_LOAD_LOAD_OPTS_H
#define PT_LOAD_LOAD_OPTS_H

#include "base/opt.h"
#include "load/load.h"

struct load_opts {
	int method, mode; /* enum load_method, enum load_mode */
	struct opt_range workers; /* from 0: not given */
	uint64_t duration_ns, count, pause_ns; /* 0: not given */
	double rate;
	uint32_t inflight;
	uint32_t ballast_fds, ballast_mib;
	const char *target;
};

extern const struct opt load_opts_table[];

/* What no single option can see. 0, or -EINVAL and the whole sentence. */
int load_opts_check(const struct load_opts *o, struct err *e);

#endif
