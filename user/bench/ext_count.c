// SPDX-License-Identifier: MIT
#include "bench/ext_count.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is known of one pid. A pid is used again only after all others: counts, not moments. */
struct tally {
	uint16_t launches, lines, named, misnamed;
	uint8_t name; /* as in truth_launch, of the last launch */
};

static bool begins_with_another(const struct truth *truth, unsigned name)
{
	for (unsigned i = 0; i < truth->nnames; i++) {
		const size_t n = strlen(truth->name[i]);

		if (i != name && strncmp(truth->name[name], truth->name[i], n) == 0 &&
		    (truth->name[name][n] || i < name))
			return true;
	}
	return false;
}

void ext_names_take(struct ext_format *f, const struct truth *truth)
{
	f->nnames = 0;
	for (unsigned i = 0; i < truth->nnames && f->nnames < EXT_NAMES; i++)
		if (!begins_with_another(truth, i))
			memcpy(f->name[f->nnames++], truth->name[i], sizeof(f->name[0]));
}

ssize_t ext_line_next(const char *text, size_t at, size_t len, size_t *next)
{
	const char *end = at < len ? memchr(text + at, '\n', len - at) : NULL;
	size_t n;

	if (!end)
		return -1;
	*next = (size_t)(end - text) + 1;
	n = *next - 1 - at;
	while (n && text[at + n - 1] == '\r')
		n--;
	return (ssize_t)n;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The number that begins at @p; -1 if the word is not one, or no pid. */
static pid_t number_at(const char *p, const char *end)
{
	long v = 0;

	if (p == end || !isdigit((unsigned char)*p))
		return -1;
	for (; p < end && isdigit((unsigned char)*p); p++) {
		v = v * 10 + (*p - '0');
		if (v > 4194304)
			return -1;
	}
	return p < end && is_word(*p) ? -1 : (pid_t)v;
}

/* Walks over words: the one that begins at or after *p; false: none is left. */
static bool word_next(const char **p, const char *end)
{
	while (*p < end && !is_word(**p))
		++*p;
	return *p < end;
}

static void word_skip(const char **p, const char *end)
{
	while (*p < end && is_word(**p))
		++*p;
}

int ext_column_find(const char *line, size_t len, pid_t pid)
{
	const char *p = line, *end = line + len;

	for (int column = 0; word_next(&p, end); column++) {
		if (number_at(p, end) == pid)
			return column;
		word_skip(&p, end);
	}
	return -1;
}

static pid_t column_read(const char *line, size_t len, int column)
{
	const char *p = line, *end = line + len;

	for (; word_next(&p, end); column--) {
		if (!column)
			return number_at(p, end);
		word_skip(&p, end);
	}
	return -1;
}

/* Fills counts and pid from the regular expression. */
static void match_read(const regex_t *match, const char *line, size_t len, struct ext_line *out)
{
	regmatch_t m[2] = { { 0, (regoff_t)len }, { -1, -1 } };

	out->counts = regexec(match, line, 2, m, REG_STARTEND) == 0;
	if (out->counts && m[1].rm_so >= 0)
		out->pid = number_at(line + m[1].rm_so, line + m[1].rm_eo);
}

static bool has_name(const struct ext_format *f, const char *line, size_t len)
{
	for (unsigned i = 0; i < f->nnames; i++)
		if (memmem(line, len, f->name[i], strlen(f->name[i])))
			return true;
	return false;
}

struct ext_line ext_line_read(const struct ext_format *f, const char *line, size_t len)
{
	struct ext_line out = { .pid = -1, .named = has_name(f, line, len) };

	if (f->match)
		match_read(f->match, line, len, &out);
	else
		out.counts = out.named;
	if (out.counts && out.pid < 0 && f->column >= 0 && !(f->match && f->match->re_nsub))
		out.pid = column_read(line, len, f->column);
	return out;
}

/* Whether @name stands in the line as a word of its own. */
static bool has_word(const char *line, size_t len, const char *name)
{
	const size_t n = strlen(name);
	const char *p = line, *end = line + len;

	while ((p = memmem(p, (size_t)(end - p), name, n))) {
		if ((p == line || !is_word(p[-1])) && (p + n == end || !is_word(p[n])))
			return true;
		p += n;
	}
	return false;
}

static uint16_t one_more(uint16_t v)
{
	return v == UINT16_MAX ? v : (uint16_t)(v + 1);
}

/* By pid; *end: no launch has a higher one. */
static struct tally *tally_make(const struct truth *truth, pid_t *end)
{
	struct tally *tally;

	*end = 0;
	for (unsigned s = 0; s < truth->nsegments; s++)
		for (size_t i = 0; i < truth->segment[s].n; i++)
			if (truth->segment[s].launch[i].pid > *end)
				*end = truth->segment[s].launch[i].pid;
	tally = calloc((size_t)*end + 1, sizeof(*tally));
	for (unsigned s = 0; tally && s < truth->nsegments; s++)
		for (size_t i = 0; i < truth->segment[s].n; i++) {
			const struct truth_launch *l = &truth->segment[s].launch[i];

			tally[l->pid].launches = one_more(tally[l->pid].launches);
			tally[l->pid].name = (uint8_t)l->name;
		}
	return tally;
}

static void tally_line(struct tally *t, const struct ext_line *line, const char *text, size_t len,
		       const struct truth *truth)
{
	const char *name = t->name ? truth->name[t->name - 1] : NULL;

	t->lines = one_more(t->lines);
	if (!line->named)
		return;
	if (!name || has_word(text, len, name))
		t->named = one_more(t->named);
	else
		t->misnamed = one_more(t->misnamed);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void tally_sum(const struct tally *tally, pid_t end, struct ext_counts *out)
{
	for (pid_t pid = 0; pid <= end; pid++) {
		const struct tally *t = &tally[pid];
		const uint64_t named = least(t->named, t->launches);

		out->told += least(t->lines, t->launches);
		out->identified += named;
		out->misnamed += least(t->misnamed, t->launches - named);
		out->repeated += t->lines > t->launches ? (uint64_t)(t->lines - t->launches) : 0;
	}
}

int ext_count(const struct ext_format *f, const char *text, size_t len, const struct truth *truth,
	      struct ext_counts *out)
{
	const bool grouped = f->match && f->match->re_nsub;
	pid_t end;
	struct tally *tally = tally_make(truth, &end);
	uint64_t named = 0;
	size_t next;
	ssize_t n;

	*out = (struct ext_counts){ .launches = truth_count(truth),
				    .by_pid = grouped || f->column >= 0 };
	if (!tally)
		return -ENOMEM;
	for (size_t at = 0; (n = ext_line_next(text, at, len, &next)) >= 0; at = next) {
		const struct ext_line line = ext_line_read(f, text + at, (size_t)n);

		if (!line.counts)
			continue;
		out->lines++;
		named += line.named;
		if (line.pid >= 0 && line.pid <= end && tally[line.pid].launches)
			tally_line(&tally[line.pid], &line, text + at, (size_t)n, truth);
		else
			out->foreign += line.named;
	}
	tally_sum(tally, end, out);
	if (!grouped)
		out->told = EXT_UNKNOWN;
	if (!out->by_pid) {
		out->identified = least(named, out->launches);
		out->repeated = out->foreign = 0;
	}
	free(tally);
	return 0;
}
