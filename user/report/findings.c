// SPDX-License-Identifier: MIT
#include "report/findings.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/page.h"
#include "report/result_fields.h"

static char letter(size_t i)
{
	return (char)('A' + i);
}

/* Settings ------------------------------------------------------------------------------------- */

/* The value of one field as text. Host and settings hold plain values only. */
static struct fmt_name value_text(const struct field *field, const void *base)
{
	const void *p = (const char *)base + field->offset;
	struct fmt_name out = { "" };

	switch (field->type) {
	case FIELD_TEXT:
		return *(const char *)p ? fmt_name(p) : (struct fmt_name){ FMT_NONE };
	case FIELD_U32:
		snprintf(out.s, sizeof(out.s), "%s", fmt_count(*(const uint32_t *)p).s);
		break;
	case FIELD_REAL:
		snprintf(out.s, sizeof(out.s), "%.6g", *(const double *)p);
		break;
	default:
		snprintf(out.s, sizeof(out.s), "%s", fmt_count(*(const uint64_t *)p).s);
		break;
	}
	return out;
}

/* The part of a result that a table of fields describes. */
typedef const void *(*part_fn)(const struct result *r);

static const void *host_part(const struct result *r)
{
	return &r->host;
}

static const void *config_part(const struct result *r)
{
	return &r->config;
}

static bool differs(const struct compare *c, const struct field *field, part_fn part)
{
	struct fmt_name first = value_text(field, part(c->result[0]));

	for (size_t i = 1; i < c->n; i++)
		if (strcmp(value_text(field, part(c->result[i])).s, first.s) != 0)
			return true;
	return false;
}

static size_t differing_fields(const struct compare *c, const struct field *fields, part_fn part,
			       finding_fn fn, void *ctx)
{
	size_t found = 0;

	for (const struct field *i = fields; i->key; i++) {
		struct line l = { .n = 0 };

		/* The seed differs by design. */
		if (strcmp(i->key, "seed") == 0 || !differs(c, i, part))
			continue;
		line_add(&l, "%s: ", i->key);
		for (size_t k = 0; k < c->n; k++)
			line_add(&l, "%s%c" NBSP "%s", k ? ", " : "", letter(k),
				 value_text(i, part(c->result[k])).s);
		fn(ctx, l.s);
		found++;
	}
	return found;
}

static size_t differing_versions(const struct compare *c, finding_fn fn, void *ctx)
{
	struct line l = { .n = 0 };
	bool differ = false;

	line_add(&l, "proctrace: ");
	for (size_t i = 0; i < c->n; i++) {
		line_add(&l, "%s%c" NBSP "%s", i ? ", " : "", letter(i),
			 fmt_name(c->result[i]->version).s);
		differ = differ || strcmp(c->result[i]->version, c->result[0]->version) != 0;
	}
	if (differ)
		fn(ctx, l.s);
	return differ;
}

size_t findings_settings(const struct compare *c, finding_fn fn, void *ctx)
{
	return differing_versions(c, fn, ctx) +
	       differing_fields(c, host_fields, host_part, fn, ctx) +
	       differing_fields(c, config_fields, config_part, fn, ctx);
}

/* Measured figures ------------------------------------------------------------------------------ */

/* What is compared at the moment: one report against the first. */
struct pair {
	const struct result_summary *a, *b;
	char name_a, name_b;
	const struct judgement *judgement;
	size_t report; /* B */
	finding_fn fn;
	void *ctx;
	size_t found;
};

static void remark(const struct pair *p, const struct line *l)
{
	p->fn(p->ctx, l->s);
}

static void say(struct pair *p, const struct line *l)
{
	remark(p, l);
	p->found++;
}

static bool differs_beyond_noise(const struct pair *p, unsigned source, enum judged_figure figure)
{
	const struct judged *j = judged_find(p->judgement, p->report, p->b, source, figure);

	return j && j->beyond_noise;
}

static void compare_loads(struct pair *p)
{
	const struct result_summary *a = p->a, *b = p->b;
	struct line l = { .n = 0 };

	if (a->workers == b->workers && !strcmp(a->method, b->method) && !strcmp(a->mode, b->mode))
		return;
	line_add(&l, "not the same load: %c %u worker%s, %s, %s; %c %u worker%s, %s, %s", p->name_a,
		 a->workers, plural(a->workers), fmt_name(a->method).s, fmt_name(a->mode).s,
		 p->name_b, b->workers, plural(b->workers), fmt_name(b->method).s,
		 fmt_name(b->mode).s);
	remark(p, &l);
}

static void compare_rates(struct pair *p)
{
	double a = p->a->rate_per_s.median, b = p->b->rate_per_s.median;
	struct line l = { .n = 0 };

	if (!differs_beyond_noise(p, 0, JUDGED_RATE) || a <= 0)
		return;
	line_add(&l, "%c is %s" NBSP "%% %s than %c (%s against %s launches/s)", p->name_b,
		 fmt_real(fabs(b / a - 1) * 100, 2).s, b > a ? "faster" : "slower", p->name_a,
		 fmt_real(b, 3).s, fmt_real(a, 3).s);
	say(p, &l);
}

static void compare_slowdowns(struct pair *p)
{
	const struct interval *a = &p->a->slowdown_pct, *b = &p->b->slowdown_pct;
	struct line l = { .n = 0 };

	if (!differs_beyond_noise(p, 0, JUDGED_SLOWDOWN))
		return;
	line_add(&l, "it slows the launcher %s in %c than in %c (%s against %s" NBSP "%%)",
		 b->median > a->median ? "more" : "less", p->name_b, p->name_a,
		 fmt_real(b->median, 2).s, fmt_real(a->median, 2).s);
	say(p, &l);
}

static bool is_known(uint64_t n)
{
	return n != LEDGER_UNKNOWN;
}

/* None in all rounds against some, or a share that is half as large again: worth a remark, if not more. */
static bool losses_differ(uint64_t lost_a, uint64_t of_a, uint64_t lost_b, uint64_t of_b)
{
	double a, b;

	if (!is_known(lost_a) || !is_known(lost_b) || !is_known(of_a) || !is_known(of_b) || !of_a ||
	    !of_b)
		return false;
	if (!lost_a != !lost_b)
		return true;
	a = (double)lost_a / (double)of_a;
	b = (double)lost_b / (double)of_b;
	return fmax(a, b) > 1.5 * fmin(a, b);
}

/* Says what is beyond noise; what only seems to be, with this added. */
static void say_or_remark(struct pair *p, struct line *l, bool beyond_noise)
{
	if (beyond_noise) {
		say(p, l);
		return;
	}
	line_add(l, "; this may be chance");
	remark(p, l);
}

static void add_who(struct line *l, const struct pair *p, unsigned source)
{
	if (p->a->nsources > 1)
		line_add(l, "%s: ", source_title(p->a->source[source].name).s);
}

static void compare_losses(struct pair *p, unsigned i)
{
	const struct ledger_line *a = &p->a->source[i].ledger.all, *b = &p->b->source[i].ledger.all;
	struct line l = { .n = 0 };

	bool beyond = differs_beyond_noise(p, i, JUDGED_LOST);

	add_who(&l, p, i);
	if (beyond || losses_differ(a->lost, a->expected, b->lost, b->expected)) {
		line_add(&l, "%c lost %s" NBSP "%% of its events (%s), %c %s" NBSP "%% (%s)",
			 p->name_b, fmt_percent(b->lost, b->expected).s, fmt_count(b->lost).s,
			 p->name_a, fmt_percent(a->lost, a->expected).s, fmt_count(a->lost).s);
		say_or_remark(p, &l, beyond);
	}
	if (is_known(a->unexplained) && is_known(b->unexplained) &&
	    !a->unexplained != !b->unexplained) {
		l = (struct line){ .n = 0 };
		add_who(&l, p, i);
		line_add(&l, "unexplained losses in %c (%s), none in %c",
			 b->unexplained ? p->name_b : p->name_a,
			 fmt_count(b->unexplained ? b->unexplained : a->unexplained).s,
			 b->unexplained ? p->name_a : p->name_b);
		say(p, &l);
	}
}

static void compare_names(struct pair *p, unsigned i)
{
	const struct ledger *a = &p->a->source[i].ledger, *b = &p->b->source[i].ledger;
	uint64_t of_a = source_nameable(&p->a->source[i]), of_b = source_nameable(&p->b->source[i]);
	const bool beyond = differs_beyond_noise(p, i, JUDGED_UNNAMED);
	struct line l = { .n = 0 };

	if (!p->a->source[i].names || !p->b->source[i].names || !is_known(a->identified) ||
	    !is_known(b->identified) || !is_known(of_a) || !is_known(of_b) ||
	    !(beyond || losses_differ(of_a - a->identified, of_a, of_b - b->identified, of_b)))
		return;
	add_who(&l, p, i);
	line_add(&l, "%c named %s" NBSP "%% of the programs, %c %s" NBSP "%%", p->name_b,
		 fmt_percent(b->identified, of_b).s, p->name_a, fmt_percent(a->identified, of_a).s);
	say_or_remark(p, &l, beyond);
}

static void compare_pair(struct pair *p)
{
	compare_loads(p);
	compare_rates(p);
	compare_slowdowns(p);
	for (unsigned i = 0; i < p->a->nsources && i < p->b->nsources; i++) {
		compare_losses(p, i);
		compare_names(p, i);
	}
}

size_t findings_measured(const struct compare *c, const struct judgement *j, const char *scenario,
			 const char *monitor, finding_fn fn, void *ctx)
{
	struct pair p = { .fn = fn, .ctx = ctx, .judgement = j };
	size_t first = 0;

	/* The first report that has this cell is what the others are compared with. */
	for (size_t i = 0; i < c->n; i++) {
		const struct result_summary *s = summary_find(c->result[i], scenario, monitor);

		if (!s)
			continue;
		if (!p.a) {
			p.a = s;
			first = i;
			continue;
		}
		p.b = s;
		p.name_a = letter(first);
		p.name_b = letter(i);
		p.report = i;
		compare_pair(&p);
	}
	return p.found;
}
