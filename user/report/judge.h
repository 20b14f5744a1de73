/* SPDX-License-Identifier: MIT */
/*
 * judge: which measured figures of reports differ by more than chance explains.
 *
 * Of each scenario × monitor, the rounds of each report against those of the first report that has it: how fast the launcher was,
 * how much it was slowed, what was lost, what could not be named. Rank tests, and Holm's correction over all of them together:
 * of 50 comparisons of reports that do not differ, 49 claim no difference anywhere. Pure.
 */
#ifndef PT_REPORT_JUDGE_H
#define PT_REPORT_JUDGE_H

#include <stdbool.h>

#include "report/compare.h"

#define JUDGE_ERROR 0.02 /* of claiming any difference where there is none */
/* A machine is not the same from one run to the next, which the rounds of one run cannot show: launch rates nearer to each other
 * than this are not called different; and rounds in which something else ran do not count for them. Slowdowns are against
 * neighbours in time, which both hit alike. */
#define JUDGE_RATE_DRIFT 0.05
#define JUDGE_LEAST_ROUNDS 6 /* with fewer, nothing can be shown even by itself */

enum judged_figure { JUDGED_RATE, JUDGED_SLOWDOWN, JUDGED_LOST, JUDGED_UNNAMED, JUDGED_FIGURES };

struct judged {
	const struct result_summary *a, *b; /* of the reference, and of the other */
	size_t report; /* index of the other */
	unsigned source;
	enum judged_figure figure;
	double p; /* of chance */
	bool few_rounds; /* not judged */
	bool drift; /* too near to each other to be called different */
	bool beyond_noise;
};

struct judgement {
	struct judged *v;
	size_t n;
	size_t judged; /* those that could differ */
	size_t rate_rounds,
		rate_disturbed; /* rounds that rates would be judged by, and those left out */
	bool powerless; /* so many figures that even the clearest difference in these rounds shows nothing */
};

extern const char *const judged_names[JUDGED_FIGURES]; /* as in JSON */

/* 0 or -ENOMEM. */
int judge(const struct compare *c, struct judgement *out);
void judgement_free(struct judgement *j);
/* What was found of the figure of @b, a summary of that report; NULL: there was nothing to compare. */
const struct judged *judged_find(const struct judgement *j, size_t report,
				 const struct result_summary *b, unsigned source,
				 enum judged_figure figure);

#endif
