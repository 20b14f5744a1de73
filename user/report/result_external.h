/* SPDX-License-Identifier: MIT */
/* result_external: what a report says besides of someone else's monitor, which was judged by its output. */
#ifndef PT_REPORT_RESULT_EXTERNAL_H
#define PT_REPORT_RESULT_EXTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct result_external {
	bool is; /* false: the source is one of ours, and nothing else counts */
	char state[16],
		why[240]; /* "good"; else a word and a sentence. Summary: of the first bad one */
	uint32_t bad; /* 1: nothing else counts. Summary: how many of the rounds */
	char command[512], output[8]; /* the beginning of it; "tty" or "pipe" */
	double startup_s; /* until it told of a canary. Summary: the longest */
	double load_cpu_s; /* CPU of all its processes until the load ended; NAN: not known */
	uint64_t lines,
		foreign_lines; /* about launches; … that name the target, but of no launch */
	bool by_pid; /* lines were tied to launches by their pid, not only counted */
};

#endif
