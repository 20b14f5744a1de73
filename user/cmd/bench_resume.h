/* SPDX-License-Identifier: MIT */
/*
 * bench_resume: a bench that was interrupted goes on where it stopped: its report, saved so far, holds the cells that
 * are done. Command's thread.
 */
#ifndef PT_CMD_BENCH_RESUME_H
#define PT_CMD_BENCH_RESUME_H

#include "cmd/bench_session.h"

/* Whether the file @path is an unfinished report; then it is in @saved, which the caller frees. */
bool resume_find(const char *path, struct result *saved);
/*
 * Takes over the finished cells of @saved into b->result and marks them in b->have. Configuration, host and plan must
 * be the same: else -EINVAL and a sentence.
 */
int resume_take(struct bench *b, const struct result *saved, struct err *e);

#endif
