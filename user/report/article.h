/* SPDX-License-Identifier: MIT */
/* article: the figures of the article beside ours; what both files of it share. Internal to report/. Pure. */
#ifndef PT_REPORT_ARTICLE_H
#define PT_REPORT_ARTICLE_H

#include "report/study.h"
#include "report/text.h"

#define ARTICLE_STUDY "article"
#define ARTICLE_SERIAL_RATE 800.0
#define ARTICLE_PAUSE_RATE 586.0
#define ARTICLE_WORKERS_MIN_RATE 936.0
#define ARTICLE_WORKERS_MAX_RATE 940.0
#define ARTICLE_BURST_RATE 488.0
#define ARTICLE_GENERATOR_CPU 12.3 /* per cent of a CPU */
#define ARTICLE_MONITOR_CPU 10.0

/* Per cent of a CPU over the unwatched runs (@monitor "none") or others: the generator's own processes, with what
 * they launched, and the reader of the first source. */
struct article_cpu {
	double generator, launched, reader;
};
struct article_cpu article_cpu(const struct result *r, const char *scenario, const char *monitor);

/* The median of the figure @name; 0: it was not measured. */
double article_figure(const struct result *r, const char *name);
/* What the figure is of: descriptors, MiB, workers. */
double article_of(const struct result *r, const char *name);
/* Whether figure @a is above @b (1), below it (-1), or their intervals overlap (0; also where one is missing). */
int article_compare(const struct result *r, const char *a, const char *b);
/* How far apart they must have been at least to be told apart. */
double article_detectable(const struct result *r, const char *a, const char *b);

/* Why ours differ, each with a figure of this run. */
void article_why_print(struct page *p, const struct result *r);

#endif
