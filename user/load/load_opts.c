// SPDX-License-Identifier: MIT
#include "load/load_opts.h"

#include <errno.h>

static int parse_count(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	const int r = opt_u64(opt, value, dst, e);

	if (!r && !*(uint64_t *)dst)
		return err_set(e, -EINVAL, "launches nothing; give 1 or more");
	return r;
}

static int parse_inflight(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	const int r = opt_u32(opt, value, dst, e);

	if (!r && !*(uint32_t *)dst)
		return err_set(e, -EINVAL, "lets no process live; give 1 or more");
	return r;
}

static int parse_duration(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	const int r = opt_duration(opt, value, dst, e);

	if (!r && !*(uint64_t *)dst)
		return err_set(e, -EINVAL, "is no time at all; give one such as 5 or 500ms");
	return r;
}

static int parse_workers(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	const int r = opt_range(opt, value, dst, e);

	if (!r && ((struct opt_range *)dst)->to > LOAD_MAX_WORKERS)
		return err_set(e, -EINVAL, "is too many; at most %d", LOAD_MAX_WORKERS);
	return r;
}

#define FIELD(member) offsetof(struct load_opts, member)

const struct opt load_opts_table[] = {
	{ .name = "method",
	  .arg = "HOW",
	  .parse = opt_choice,
	  .offset = FIELD(method),
	  .data = load_method_names,
	  .help = "how to start a process: vfork, fork or spawn (default: vfork)" },
	{ .name = "mode",
	  .arg = "MODE",
	  .parse = opt_choice,
	  .offset = FIELD(mode),
	  .data = load_mode_names,
	  .help = "wait for each process to end before the next start, or nowait (default: wait)" },
	{ .name = "workers",
	  .arg = "N|A-B",
	  .parse = parse_workers,
	  .offset = FIELD(workers),
	  .help = "processes that launch, at most 256; A-B: one run for each number (default: 1)" },
	{ .name = "duration",
	  .arg = "TIME",
	  .parse = parse_duration,
	  .offset = FIELD(duration_ns),
	  .help = "how long each run launches: 5, 500ms, 2m" },
	{ .name = "count",
	  .arg = "N",
	  .parse = parse_count,
	  .offset = FIELD(count),
	  .help = "launch exactly N, all workers together" },
	{ .name = "pause",
	  .arg = "TIME",
	  .parse = opt_duration,
	  .offset = FIELD(pause_ns),
	  .help = "sleep after each start: 3us" },
	{ .name = "rate",
	  .arg = "N",
	  .parse = opt_double,
	  .offset = FIELD(rate),
	  .help = "N launches a second, all workers together, at times fixed beforehand (default: "
		  "as "
		  "fast as possible)" },
	{ .name = "inflight",
	  .arg = "N",
	  .parse = parse_inflight,
	  .offset = FIELD(inflight),
	  .help = "nowait: at most N may live at once (default: what the machine bears, at most "
		  "4096)" },
	{ .name = "ballast-fds",
	  .arg = "N",
	  .parse = opt_u32,
	  .offset = FIELD(ballast_fds),
	  .help = "each worker holds N open descriptors, which every launch copies" },
	{ .name = "ballast-mib",
	  .arg = "N",
	  .parse = opt_u32,
	  .offset = FIELD(ballast_mib),
	  .help = "each worker has touched N MiB of memory, whose page tables a fork copies" },
	{ .name = "target",
	  .arg = "PATH",
	  .parse = opt_string,
	  .offset = FIELD(target),
	  .help = "program to launch, without arguments (default: testApp, a tiny one of its "
		  "own)" },
	{ 0 },
};

int load_opts_check(const struct load_opts *o, struct err *e)
{
	if (o->rate > 0 && o->pause_ns)
		return err_set(e, -EINVAL,
			       "--rate fixes when to start, --pause what comes in between: leave "
			       "out one of them");
	return 0;
}
