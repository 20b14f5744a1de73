/* SPDX-License-Identifier: MIT */
/* sample_result: made-up results such as bench would fill, for tests of everything in report/. */
#ifndef PT_TESTS_SAMPLE_RESULT_H
#define PT_TESTS_SAMPLE_RESULT_H

#include "report/result.h"

/* serial and workers-4, six rounds of none, bpf, netlink, netlink-names, bpf+netlink; nothing lost. Summarised. */
void sample_result(struct result *r);
/* The same with losses in netlink of workers-4, and all that the notes can tell. Summarised. */
void sample_result_lossy(struct result *r);
/* One scenario of @rounds rounds with none and bpf; launch rate times @speed. Summarised. */
void sample_result_small(struct result *r, unsigned rounds, double speed);
/* What text_report() prints, in a string to be freed. */
char *sample_text(const struct result *r);

#endif
