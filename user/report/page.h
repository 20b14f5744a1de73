/* SPDX-License-Identifier: MIT */
/*
 * page: what the texts of a report share: styles, paragraphs, names of monitors, the walk over scenarios.
 *
 * A page gathers in memory; page_flush() hands it to the stream with U+00A0 turned into plain blanks.
 */
#ifndef PT_REPORT_PAGE_H
#define PT_REPORT_PAGE_H

#include "report/fmt.h"
#include "report/result.h"
#include "report/table.h"

enum style { STYLE_PLAIN, STYLE_TITLE, STYLE_DIM, STYLE_LOUD };

struct page {
	FILE *f; /* NULL: no memory */
	bool colour;
	char *text;
	size_t len;
};

/* false: no memory; page_flush() is then still right. */
bool page_open(struct page *p, bool colour);
/* Writes it all to @out and frees the page. */
void page_flush(struct page *p, FILE *out);

/* A paragraph of @text: its first line indented by @indent, the others by two more. */
void page_say(struct page *p, enum style style, size_t indent, const char *text);
void page_blank(struct page *p);
/* Prints and frees @t. */
void page_table(struct page *p, struct table *t, size_t indent);

/* "eBPF" for "bpf"; an unknown name stands for itself, made safe. */
struct fmt_name source_title(const char *name);
/* "eBPF & netlink" for a monitor of two sources. */
struct fmt_name monitor_title(const struct result_summary *s);
/* As the subject of a sentence: "eBPF", or "eBPF (beside netlink)". */
struct fmt_name source_label(const struct result_summary *s, unsigned source);

/* Whether summary @i is the first of its scenario. */
bool scenario_begins(const struct result *r, size_t i);
/* The next summary from @i on of the scenario of @first, or NULL; *i is moved past it. */
const struct result_summary *scenario_next(const struct result *r,
					   const struct result_summary *first, size_t *i);
/* NULL if there is none. */
const struct result_summary *summary_find(const struct result *r, const char *scenario,
					  const char *monitor);

/* Notes, legend and verdict of someone else's monitor. false: it is one of ours. */
bool external_note(struct page *p, const struct result_summary *s);
void external_legend(struct page *p, const struct result *r);
bool external_judge(struct line *l, const struct result *r, const struct result_summary *first);

/* Under a table: where events were lost, and everything that should be 0 and is not. */
void notes_print(struct page *p, const struct result *r, const struct result_summary *first);
/* The second table: what launches take, what readers and the kernel spend, memory; and what its heads mean. */
void cost_print(struct page *p, const struct result *r, const struct result_summary *first);
void cost_legend(struct page *p);
/* The whole in plain sentences. */
void verdict_print(struct page *p, const struct result *r);

#endif
