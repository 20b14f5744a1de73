// SPDX-License-Identifier: MIT
#include "report/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/wrap.h"

static const char *const styles[] = {
	[STYLE_PLAIN] = "",
	[STYLE_TITLE] = "\033[1m",
	[STYLE_DIM] = "\033[2m",
	[STYLE_LOUD] = "\033[1;31m",
};

static const char *style_begin(const struct page *p, enum style style)
{
	return p->colour ? styles[style] : "";
}

static const char *style_end(const struct page *p, enum style style)
{
	return p->colour && style != STYLE_PLAIN ? "\033[0m" : "";
}

bool page_open(struct page *p, bool colour)
{
	*p = (struct page){ .colour = colour };
	p->f = open_memstream(&p->text, &p->len);
	return p->f != NULL;
}

void page_flush(struct page *p, FILE *out)
{
	const char *at, *nbsp;

	if (!p->f || fclose(p->f) || !p->text) {
		fputs("not enough memory for this report\n", out);
		free(p->text);
		return;
	}
	for (at = p->text; (nbsp = strstr(at, NBSP)); at = nbsp + strlen(NBSP)) {
		fwrite(at, 1, (size_t)(nbsp - at), out);
		fputc(' ', out);
	}
	fputs(at, out);
	free(p->text);
}

void page_say(struct page *p, enum style style, size_t indent, const char *text)
{
	size_t word = strcspn(text, " ");
	size_t column = indent + escape_columns(text, word, SIZE_MAX, NULL);

	fprintf(p->f, "%s%*s%.*s", style_begin(p, style), (int)indent, "", (int)word, text);
	if (text[word]) {
		fputc(' ', p->f);
		wrap_print(p->f, text + word, column + 1, indent + 2);
	} else {
		fputc('\n', p->f);
	}
	fputs(style_end(p, style), p->f);
}

void page_blank(struct page *p)
{
	fputc('\n', p->f);
}

void page_table(struct page *p, struct table *t, size_t indent)
{
	table_print(t, p->f, indent, style_begin(p, STYLE_DIM), style_end(p, STYLE_DIM));
	table_free(t);
}

/* Not taken from the sources: a saved report reads the same on a machine that has other ones. */
static const struct {
	const char *name, *title;
} titles[] = {
	{ "none", "no monitor" }, { "bpf", "eBPF" },
	{ "netlink", "netlink" }, { "netlink-names", "netlink + names" },
	{ "replay", "replay" },
};

struct fmt_name source_title(const char *name)
{
	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
		if (strcmp(name, titles[i].name) == 0)
			return fmt_name(titles[i].title);
	return fmt_name(name);
}

struct fmt_name monitor_title(const struct result_summary *s)
{
	struct fmt_name out;

	if (s->nsources < 2)
		return source_title(s->monitor);
	snprintf(out.s, sizeof(out.s), "%.300s & %.300s", source_title(s->source[0].name).s,
		 source_title(s->source[1].name).s);
	return out;
}

struct fmt_name source_label(const struct result_summary *s, unsigned source)
{
	struct fmt_name out;

	if (s->nsources < 2)
		return source_title(s->monitor);
	snprintf(out.s, sizeof(out.s), "%.300s (beside %.300s)",
		 source_title(s->source[source].name).s, source_title(s->source[!source].name).s);
	return out;
}

bool scenario_begins(const struct result *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(r->summary[k].scenario, r->summary[i].scenario) == 0)
			return false;
	return true;
}

const struct result_summary *scenario_next(const struct result *r,
					   const struct result_summary *first, size_t *i)
{
	while (*i < r->nsummaries) {
		const struct result_summary *s = &r->summary[(*i)++];

		if (strcmp(s->scenario, first->scenario) == 0)
			return s;
	}
	return NULL;
}

const struct result_summary *summary_find(const struct result *r, const char *scenario,
					  const char *monitor)
{
	for (size_t i = 0; i < r->nsummaries; i++)
		if (strcmp(r->summary[i].scenario, scenario) == 0 &&
		    strcmp(r->summary[i].monitor, monitor) == 0)
			return &r->summary[i];
	return NULL;
}
