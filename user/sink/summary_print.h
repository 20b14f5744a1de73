/* SPDX-License-Identifier: MIT */
/* summary_print: a tally as tables for people, or as one JSON object. */
#ifndef PT_SINK_SUMMARY_PRINT_H
#define PT_SINK_SUMMARY_PRINT_H

#include "base/outbuf.h"
#include "base/walltime.h"
#include "sink/tally.h"

struct summary_print {
	struct outbuf *out;
	struct walltime *wall;
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC; what the rates are of */
	unsigned top;
	bool color;
};

void summary_text(const struct summary_print *p, const struct tally *t);
void summary_json(const struct summary_print *p, const struct tally *t);

#endif
