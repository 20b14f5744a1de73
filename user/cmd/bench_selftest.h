/* SPDX-License-Identifier: MIT */
/* bench_selftest: `bench --self-test`: whether what measures, measures right. */
#ifndef PT_CMD_BENCH_SELFTEST_H
#define PT_CMD_BENCH_SELFTEST_H

#include "cmd/bench_session.h"

/* Runs the one that opts.self_test says on the fresh session @b, and prints what came of it. Exit status. */
int bench_self_test(struct bench *b);
/* One of them, in a file of its own. */
int self_test_faults(struct bench *b);

#endif
