// SPDX-License-Identifier: MIT
#include "sink/summary_print.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/human.h"
#include "sink/words.h"

#define LINE_MAX 1024
#define NAME_COLUMNS 16
#define SGR(p, code) ((p)->color ? "\033[" code "m" : "")

/* ---- pieces ----------------------------------------------------------------------------------- */

static bool line_begin(const struct summary_print *p, struct line *l)
{
	l->start = l->p = outbuf_room(p->out, LINE_MAX);
	return l->start != NULL;
}

static void line_end(const struct summary_print *p, struct line *l)
{
	while (l->p > l->start && l->p[-1] == ' ')
		l->p--;
	line_put(l, "\n", 1);
	outbuf_took(p->out, (size_t)(l->p - l->start));
}

/* Fills what was written since @from up to @columns, on the left for numbers. */
static void cell_end(struct line *l, char *from, size_t columns, bool right)
{
	size_t used = line_columns(l, from), pad = used < columns ? columns - used : 0;

	if (right) {
		memmove(from + pad, from, (size_t)(l->p - from));
		memset(from, ' ', pad);
		l->p += pad;
	} else {
		line_blanks(l, pad);
	}
	line_blanks(l, 1);
}

static void cell_name(struct line *l, const char comm[16])
{
	char *from = l->p;

	if (comm[0])
		words_comm(l, comm);
	else
		line_puts(l, "(unknown)");
	line_cut(l, from, NAME_COLUMNS);
	cell_end(l, from, NAME_COLUMNS, false);
}

static void cell_count(struct line *l, uint64_t v, size_t columns)
{
	char *from = l->p;

	line_u64(l, v);
	cell_end(l, from, columns, true);
}

static void cell_rate(struct line *l, double rate, size_t columns)
{
	char text[32], *from = l->p;
	int n = snprintf(text, sizeof(text), rate < 9.95 ? "%.1f" : "%.0f", rate);

	line_put(l, text, (size_t)n);
	cell_end(l, from, columns, true);
}

static void cell_time(struct line *l, uint64_t ns, bool known, size_t columns)
{
	char text[HUMAN_MAX], *from = l->p;

	if (known)
		line_put(l, text, human_duration(text, ns));
	else
		line_puts(l, "-");
	cell_end(l, from, columns, true);
}

static void put_count(struct line *l, const char *before, uint64_t v, const char *after)
{
	line_puts(l, before);
	line_u64(l, v);
	line_puts(l, after);
}

static double seconds_of(const struct summary_print *p)
{
	bool known = p->from_ns != EV_NO_TIME && p->to_ns != EV_NO_TIME && p->to_ns > p->from_ns;

	return known ? (double)(p->to_ns - p->from_ns) / NSEC_PER_SEC : 0;
}

static double rate_of(const struct summary_print *p, uint64_t n)
{
	double s = seconds_of(p);

	return s > 0 ? (double)n / s : 0;
}

/* ---- text ------------------------------------------------------------------------------------- */

static void put_title(const struct summary_print *p, const struct tally *t)
{
	const struct tally_row *a = &t->all;
	char text[64];
	struct line l;

	if (!line_begin(p, &l))
		return;
	line_puts(&l, SGR(p, "1"));
	if (p->to_ns != EV_NO_TIME) {
		walltime_clock(p->wall, p->to_ns, l.p);
		l.p += WALLTIME_CLOCK_LEN - 4; /* to the second */
		line_puts(&l, "  ");
	}
	snprintf(text, sizeof(text), "%.1f s: ", seconds_of(p));
	line_puts(&l, text);
	put_count(&l, "", a->starts, " starts");
	snprintf(text, sizeof(text),
		 rate_of(p, 1) * (double)a->starts < 9.95 ? " (%.1f/s)" : " (%.0f/s)",
		 rate_of(p, a->starts));
	line_puts(&l, text);
	put_count(&l, ", ", a->ended, " ended: ");
	put_count(&l, "", a->ok, " ok, ");
	put_count(&l, "", a->failed, " failed, ");
	put_count(&l, "", a->killed, " killed; ");
	put_count(&l, "", a->short_lived, " within 100 ms");
	if (t->failed_execs)
		put_count(&l, "; ", t->failed_execs, " execs failed");
	if (t->lost)
		put_count(&l, "; ", t->lost, " events lost");
	line_puts(&l, SGR(p, "0"));
	line_end(p, &l);
}

static void put_heading(const struct summary_print *p, const char *text)
{
	struct line l;

	if (!line_begin(p, &l))
		return;
	line_puts(&l, "\n");
	line_puts(&l, SGR(p, "1"));
	line_puts(&l, text);
	line_puts(&l, SGR(p, "0"));
	line_end(p, &l);
}

static void put_program(const struct summary_print *p, const struct tally_row *r)
{
	const struct sketch *life = r->life;
	struct line l;

	if (!line_begin(p, &l))
		return;
	cell_name(&l, r->comm);
	cell_count(&l, r->starts, 8);
	cell_rate(&l, rate_of(p, r->starts), 7);
	cell_count(&l, r->ended, 8);
	cell_time(&l, life ? sketch_quantile(life, 0.5) : 0, life, 8);
	cell_time(&l, life ? sketch_quantile(life, 0.99) : 0, life, 8);
	cell_count(&l, r->ok, 7);
	line_puts(&l, r->failed ? SGR(p, "33") : "");
	cell_count(&l, r->failed, 7);
	line_puts(&l, r->failed ? SGR(p, "0") : "");
	line_puts(&l, r->killed ? SGR(p, "31") : "");
	cell_count(&l, r->killed, 6);
	line_puts(&l, r->killed ? SGR(p, "0") : "");
	cell_time(&l, r->cpu_ns, r->cpu_known, 8);
	line_end(p, &l);
}

static void put_pair(const struct summary_print *p, const struct tally_row *r)
{
	struct line l;
	char *from;

	if (!line_begin(p, &l))
		return;
	cell_name(&l, r->parent);
	from = l.p;
	if (r->starts && r->ppid >= 0)
		line_u64(&l, (uint64_t)r->ppid);
	else
		line_puts(&l, r->starts ? "many" : "-");
	cell_end(&l, from, 8, true);
	cell_name(&l, r->comm);
	cell_count(&l, r->starts, 8);
	cell_rate(&l, rate_of(p, r->starts), 7);
	cell_count(&l, r->ended, 8);
	cell_count(&l, r->short_lived, 13);
	line_end(p, &l);
}

/* What the table has beyond its @shown rows. */
static void put_rest(const struct summary_print *p, const struct tally_table *tab, unsigned shown)
{
	struct line l;

	if (tab->n <= shown && !tab->other.starts && !tab->other.ended)
		return;
	if (!line_begin(p, &l))
		return;
	put_count(&l, "… and ", tab->n - shown, " more");
	if (tab->other.starts || tab->other.ended)
		put_count(&l, ", and ", tab->other.starts, " starts of yet others");
	line_end(p, &l);
}

static void put_table(const struct summary_print *p, const struct tally_table *tab,
		      const char *heading,
		      void (*put)(const struct summary_print *, const struct tally_row *))
{
	const struct tally_row **top = calloc(p->top, sizeof(*top));
	unsigned n;

	if (!top)
		return;
	n = tally_top(tab, top, p->top);
	if (n)
		put_heading(p, heading);
	for (unsigned i = 0; i < n; i++)
		put(p, top[i]);
	put_rest(p, tab, n);
	free(top);
}

void summary_text(const struct summary_print *p, const struct tally *t)
{
	put_title(p, t);
	put_table(p, &t->program,
		  "PROGRAM            STARTS      /S    ENDED      P50      P99      OK  FAILED "
		  "KILLED CPU TIME",
		  put_program);
	put_table(p, &t->pair,
		  "STARTED BY            PID PROGRAM            STARTS      /S    ENDED WITHIN 100 "
		  "MS",
		  put_pair);
	outbuf_puts(p->out, "\n");
}
