// SPDX-License-Identifier: MIT
#include "report/condition.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "report/result_fields.h"

/* A figure and how sure it is; lo == hi where there is no interval. */
struct estimate {
	double value, lo, hi;
};

struct condition_figure {
	const char *name;
	bool percent; /* its number may have a % */
	bool of_monitor; /* else of a source */
	/* false: this summary has no such figure. */
	bool (*get)(const struct result_summary *s, unsigned source, struct estimate *out);
};

static bool get_interval(const struct interval *i, struct estimate *out)
{
	*out = (struct estimate){ i->median, i->valid ? i->lo : i->median,
				  i->valid ? i->hi : i->median };
	return isfinite(i->median);
}

static bool get_rate(const struct result_summary *s, unsigned source, struct estimate *out)
{
	(void)source;
	return get_interval(&s->rate_per_s, out);
}

static bool get_slowdown(const struct result_summary *s, unsigned source, struct estimate *out)
{
	(void)source;
	return s->has_slowdown && get_interval(&s->slowdown_pct, out);
}

static bool get_number(double v, struct estimate *out)
{
	*out = (struct estimate){ v, v, v };
	return isfinite(v);
}

static bool get_share(uint64_t part, uint64_t whole, struct estimate *out)
{
	if (part == LEDGER_UNKNOWN || whole == LEDGER_UNKNOWN || !whole)
		return false;
	return get_number(100 * (double)part / (double)whole, out);
}

static bool get_delivered(const struct result_summary *s, unsigned source, struct estimate *out)
{
	const struct ledger_line *all = &s->source[source].ledger.all;

	return get_share(all->matched, all->expected, out);
}

static bool get_identified(const struct result_summary *s, unsigned source, struct estimate *out)
{
	const struct result_source *src = &s->source[source];

	return src->names && get_share(src->ledger.identified, source_nameable(src), out);
}

static bool get_cpu(const struct result_summary *s, unsigned source, struct estimate *out)
{
	return get_number(s->cpu_us_per_launch[source], out);
}

static const struct condition_figure figures[] = {
	{ "rate", .of_monitor = true, .get = get_rate },
	{ "slowdown", .percent = true, .of_monitor = true, .get = get_slowdown },
	{ "delivered", .percent = true, .get = get_delivered },
	{ "identified", .percent = true, .get = get_identified },
	{ "cpu_us", .get = get_cpu },
	{ .name = NULL },
};

/* ---- reading ---------------------------------------------------------------------------------- */

static const struct {
	const char *text; /* longer ones first */
	enum condition_op op;
} ops[] = { { ">=", OP_GE }, { "<=", OP_LE }, { "==", OP_EQ },
	    { "!=", OP_NE }, { ">", OP_GT },  { "<", OP_LT } };

#define NAME_ENDS ".:()<>=!% \t\n" /* of fields, sources and figures */

static const char *skip_blanks(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* A name: up to one of @ends. false: empty or too long for @buf. */
static bool read_name(const char **p, const char *ends, char *buf, size_t size)
{
	size_t n = strcspn(*p, ends);

	if (!n || n >= size)
		return false;
	memcpy(buf, *p, n);
	buf[n] = '\0';
	*p += n;
	return true;
}

static int read_limit(struct condition *c, const char *p, struct err *e)
{
	char *end;

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		size_t n = strlen(ops[i].text);

		if (strncmp(p, ops[i].text, n) != 0)
			continue;
		c->op = ops[i].op;
		p = skip_blanks(p + n);
		c->limit = strtod(p, &end);
		if (end == p || !isfinite(c->limit) || strpbrk(p, "xX"))
			return err_set(e, -EINVAL, "needs a number behind '%s'", ops[i].text);
		p = skip_blanks(end);
		if (*p == '%' && !(c->figure && c->figure->percent))
			return err_set(e, -EINVAL,
				       "compares no share: %% goes with slowdown, delivered and "
				       "identified");
		p = skip_blanks(*p == '%' ? p + 1 : p);
		return *p ? err_set(e, -EINVAL, "goes on with '%.32s' where it should end", p) : 0;
	}
	return err_set(e, -EINVAL,
		       "compares nothing; write a value, one of > >= < <= == !=, and a number, as "
		       "in bpf.exec.lost>0");
}

static int unknown_field(const struct field *fields, const char *key, const char *of, struct err *e)
{
	struct nearest near = nearest_init(key, strlen(key));
	char list[256] = "";

	for (const struct field *f = fields; f->key; f++) {
		size_t n = strlen(list);

		nearest_offer(&near, f->key);
		if (n + strlen(f->key) + 3 < sizeof(list))
			snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "", f->key);
	}
	if (near.best)
		return err_set(e, -EINVAL, "has '%s', which %s has not: did you mean '%s'?", key,
			       of, near.best);
	return err_set(e, -EINVAL, "has '%s', which %s has not; it has %s", key, of, list);
}

/* .FIELD[.FIELD…], down to a number. */
static int read_path(struct condition *c, const char **p, struct err *e)
{
	const struct field *fields = source_fields;
	char key[64] = "a source";

	while (**p == '.') {
		const struct field *f = fields;
		char of[sizeof(key)];

		memcpy(of, key, sizeof(of));
		(*p)++;
		if (!read_name(p, NAME_ENDS, key, sizeof(key)))
			return err_set(e, -EINVAL, "has no name behind a dot");
		while (f->key && strcmp(f->key, key) != 0)
			f++;
		if (!f->key)
			return unknown_field(fields, key, of, e);
		c->path[c->depth++] = f;
		if (f->type == FIELD_OBJECT && c->depth < CONDITION_DEPTH) {
			fields = f->sub;
			continue;
		}
		if (f->type == FIELD_OBJECT || f->type == FIELD_TEXT || f->type == FIELD_LIST ||
		    f->type == FIELD_CONST || f->type == FIELD_NULL)
			return err_set(e, -EINVAL, "has '%s', which is no number", key);
		return **p == '.' ? err_set(e, -EINVAL, "has '%s', which has no parts", key) : 0;
	}
	if (!c->depth)
		return err_set(e, -EINVAL,
			       "names no figure; write SOURCE.FIELD as in bpf.exec.lost, or one "
			       "of rate, slowdown, delivered, identified, cpu_us as in "
			       "slowdown(bpf)");
	return err_set(e, -EINVAL, "stops at '%s', which is no number: say which part of it", key);
}

static int read_figure(struct condition *c, const char *name, const char **p, struct err *e)
{
	struct nearest near = nearest_init(name, strlen(name));

	c->figure = figures;
	while (c->figure->name && strcmp(c->figure->name, name) != 0) {
		nearest_offer(&near, c->figure->name);
		c->figure++;
	}
	if (!c->figure->name && near.best)
		return err_set(e, -EINVAL, "knows no '%s': did you mean '%s'?", name, near.best);
	if (!c->figure->name)
		return err_set(e, -EINVAL,
			       "knows no '%s'; there are rate, slowdown, delivered, identified "
			       "and cpu_us",
			       name);
	*p = skip_blanks(*p + 1);
	if (!read_name(p, ")<>=! \t\n", c->name, sizeof(c->name)))
		return err_set(e, -EINVAL, "needs the name of a %s: %s(%s)",
			       c->figure->of_monitor ? "monitor" : "source", name,
			       c->figure->of_monitor ? "bpf+netlink" : "bpf");
	*p = skip_blanks(*p);
	if (**p != ')')
		return err_set(e, -EINVAL, "has no ) behind '%s'", c->name);
	(*p)++;
	return 0;
}

/* Scenarios may have dots and blanks in their names: what stands before the last colon that is no part of a value. */
static int read_scenario(struct condition *c, const char **p, struct err *e)
{
	const char *colon = NULL, *end = *p + strcspn(*p, "(<>=!");
	size_t n;

	for (const char *q = *p; q < end; q++)
		if (*q == ':')
			colon = q;
	if (!colon)
		return 0;
	n = (size_t)(colon - *p);
	while (n && isspace((unsigned char)(*p)[n - 1]))
		n--;
	if (!n || n >= sizeof(c->scenario))
		return err_set(e, -EINVAL, "names no scenario before the colon");
	memcpy(c->scenario, *p, n);
	*p = skip_blanks(colon + 1);
	return 0;
}

static int parse(struct condition *c, const char *text, struct err *e)
{
	const char *p = skip_blanks(text);
	char name[64];
	int err = read_scenario(c, &p, e);

	if (err)
		return err;
	if (!read_name(&p, NAME_ENDS, name, sizeof(name)))
		return err_set(e, -EINVAL, "names no figure; give one such as bpf.exec.lost>0");
	p = skip_blanks(p);
	if (*p == '(') {
		err = read_figure(c, name, &p, e);
	} else {
		memcpy(c->name, name, sizeof(c->name));
		err = read_path(c, &p, e);
	}
	return err ? err : read_limit(c, skip_blanks(p), e);
}

int condition_parse(struct condition *c, const char *text, struct err *e)
{
	struct err why;

	*c = (struct condition){ .text = text };
	if (!parse(c, text, &why))
		return 0;
	return err_set(e, -EINVAL, "--fail-if '%.128s' %s", text, why.text);
}

/* ---- checking --------------------------------------------------------------------------------- */

static bool number_get(const struct field *f, const void *base, const void *p, struct estimate *out)
{
	switch (f->type) {
	case FIELD_BOOL:
		return get_number(*(const bool *)p, out);
	case FIELD_U32:
		return get_number(*(const uint32_t *)p, out);
	case FIELD_I64:
		return get_number((double)*(const int64_t *)p, out);
	case FIELD_REAL:
		return get_number(f->compute ? f->compute(base) : *(const double *)p, out);
	default: /* FIELD_COUNT: not known is null */
		return (f->type != FIELD_COUNT || *(const uint64_t *)p != LEDGER_UNKNOWN) &&
		       get_number((double)*(const uint64_t *)p, out);
	}
}

/* false: null. */
static bool field_get(const struct condition *c, const void *base, struct estimate *out)
{
	for (unsigned i = 0; i < c->depth; i++) {
		const struct field *f = c->path[i];
		const void *p = (const char *)base + f->offset;

		if (f->has && !f->has(base))
			return false;
		if (i + 1 == c->depth)
			return number_get(f, base, p, out);
		base = p;
	}
	return false;
}

static bool holds(const struct condition *c, const struct estimate *v)
{
	switch (c->op) {
	case OP_GT:
		return v->lo > c->limit;
	case OP_GE:
		return v->lo >= c->limit;
	case OP_LT:
		return v->hi < c->limit;
	case OP_LE:
		return v->hi <= c->limit;
	case OP_EQ:
		return v->value == c->limit;
	default:
		return v->lo > c->limit || v->hi < c->limit;
	}
}

/* Looks at one figure; returns whether there is one. */
static bool look(const struct result_summary *s, unsigned source, size_t report,
		 struct condition_outcome *out)
{
	const struct condition *c = out->condition;
	struct estimate v;

	if (c->figure ? !c->figure->get(s, source, &v) : !field_get(c, &s->source[source], &v))
		return false;
	if (holds(c, &v) && !out->hits++) {
		out->value = v.value;
		out->report = report;
		out->summary = s;
	}
	return true;
}

/* How many figures of @s there are that it speaks of. */
static size_t summary_check(const struct result_summary *s, size_t report,
			    struct condition_outcome *out)
{
	const struct condition *c = out->condition;
	size_t seen = 0;

	if (c->scenario[0] && strcmp(c->scenario, s->scenario) != 0)
		return 0;
	if (c->figure && c->figure->of_monitor)
		return strcmp(c->name, s->monitor) == 0 && look(s, 0, report, out);
	for (unsigned i = 0; i < s->nsources; i++)
		if (strcmp(c->name, s->source[i].name) == 0)
			seen += look(s, i, report, out);
	return seen;
}

int condition_check(const struct condition *c, const struct result *const *result, size_t n,
		    struct condition_outcome *out, struct err *e)
{
	size_t seen = 0;

	*out = (struct condition_outcome){ .condition = c };
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < result[i]->nsummaries; k++)
			seen += summary_check(&result[i]->summary[k], i, out);
	if (seen)
		return 0;
	return err_set(e, -ENOENT, "--fail-if '%.128s': no report has that figure of '%s'%s%s%s",
		       c->text, c->name, c->scenario[0] ? " in the scenario '" : "", c->scenario,
		       c->scenario[0] ? "'" : "");
}
