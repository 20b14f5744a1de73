/* SPDX-License-Identifier: MIT */
/*
 * study: how the studies of `bench --suite full` are told. A study is many small scenarios that make one
 * table; its scenarios have no tables of their own, and no say in the verdict. Internal to text.
 */
#ifndef PT_REPORT_STUDY_H
#define PT_REPORT_STUDY_H

#include "report/page.h"

/* Whether scenarios of the study @name are told by studies_print(). */
bool study_is_known(const char *name);
/* All studies that @r has something of. */
void studies_print(struct page *p, const struct result *r);

/* One function each; they print nothing where there is nothing. */
void study_article_print(struct page *p, const struct result *r);
void study_stall_print(struct page *p, const struct result *r);
void study_knee_print(struct page *p, const struct result *r);
void study_life_print(struct page *p, const struct result *r);
void study_cells_print(struct page *p, const struct result *r);
/* Whether study_cells_print() tells of it. */
bool study_cells_known(const char *study);

/* A bar of up to @width columns for @share of 1, as UTF-8. */
struct fmt study_bar(double share, unsigned width);
/* "5.9 MiB", rounded up: a size that suffices. */
struct fmt study_size(double bytes);

#endif
