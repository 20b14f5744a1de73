/* SPDX-License-Identifier: MIT */
/*
 * synthetic: launches that one worker might have made, the events that they would have caused, and a source that
 * tells all of them and counts right. A self-test without root feeds on it. Pure.
 */
#ifndef PT_BENCH_SYNTHETIC_H
#define PT_BENCH_SYNTHETIC_H

#include "load/truth.h"
#include "sink/sink.h"
#include "source/source_stats.h"

#define SYNTHETIC_LAUNCHER 900 /* the pid of the worker */
#define SYNTHETIC_NOBODY 901 /* a pid that nobody has */

enum synthetic_style {
	SYNTHETIC_RING, /* exec and exit, with names, an account each, as eBPF */
	SYNTHETIC_SOCKET, /* all kinds in one account, ids only, messages of every type counted, as netlink */
	SYNTHETIC_STYLES
};

struct synthetic {
	struct truth truth;
	struct truth_launch *launch;
	uint64_t began_ns; /* of the load: what came before is of the harness */
};

/* @launches of the load, and some of the harness before them. 0 or -ENOMEM. */
int synthetic_init(struct synthetic *s, uint64_t launches);
/* Hands every event to @sink in the order of time; those of some other processes among them. */
void synthetic_play(const struct synthetic *s, enum synthetic_style style, struct sink *sink,
		    struct source_stats *stats);
void synthetic_free(struct synthetic *s);

#endif
