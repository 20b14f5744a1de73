// SPDX-License-Identifier: MIT
#include "base/opt.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/nearest.h"
#include "base/opt_help.h"

/* One run over the arguments. */
struct parse {
	const struct command *cmd;
	const struct opt_group *groups;
	int argc, next; /* next: the argument after the one at hand */
	char **argv;
	char **operand; /* operands in order, to be moved behind the options */
	int noperands;
	bool help;
	struct err *e;
};

/* An option found in a table, with the struct that its group writes to. */
struct found {
	const struct opt *opt;
	char *base;
};

static struct found find_long(const struct parse *p, const char *name, size_t len)
{
	for (const struct opt_group *g = p->groups; g->opts; g++)
		for (const struct opt *o = g->opts; o->name; o++)
			if (strlen(o->name) == len && memcmp(o->name, name, len) == 0)
				return (struct found){ o, g->base };
	return (struct found){ 0 };
}

static struct found find_short(const struct parse *p, char c)
{
	for (const struct opt_group *g = p->groups; g->opts; g++)
		for (const struct opt *o = g->opts; o->name; o++)
			if (o->short_name == c)
				return (struct found){ o, g->base };
	return (struct found){ 0 };
}

static int unknown_long(const struct parse *p, const char *name, size_t len)
{
	struct nearest near = nearest_init(name, len);

	nearest_offer(&near, "help");
	for (const struct opt_group *g = p->groups; g->opts; g++)
		for (const struct opt *o = g->opts; o->name; o++)
			nearest_offer(&near, o->name);
	if (near.best)
		return err_set(
			p->e, -EINVAL,
			"unknown option '--%.*s': did you mean '--%s'? See 'proctrace %s --help'",
			(int)len, name, near.best, p->cmd->name);
	return err_set(p->e, -EINVAL, "unknown option '--%.*s'; see 'proctrace %s --help'",
		       (int)len, name, p->cmd->name);
}

static int missing_value(const struct parse *p, const struct opt *o)
{
	return err_set(p->e, -EINVAL, "option '--%s' needs a value: --%s %s", o->name, o->name,
		       o->arg);
}

static int set_value(const struct parse *p, struct found f, const char *value)
{
	struct err why = { "" };

	if (!f.opt->parse(f.opt, value, f.base + f.opt->offset, &why))
		return 0;
	if (!value)
		return err_set(p->e, -EINVAL, "--%s %s", f.opt->name, why.text);
	return err_set(p->e, -EINVAL, "--%s '%.128s' %s", f.opt->name, value, why.text);
}

/* The value of @o, which has one: @attached, or the next argument, or what is implied, or NULL. */
static const char *take_value(struct parse *p, const struct opt *o, const char *attached)
{
	if (attached)
		return attached;
	if (p->next < p->argc && !(o->implied && p->argv[p->next][0] == '-'))
		return p->argv[p->next++];
	return o->implied;
}

/* --name, --name=VALUE, --name VALUE */
static int parse_long(struct parse *p, const char *name)
{
	size_t len = strcspn(name, "=");
	const char *value = name[len] ? name + len + 1 : NULL;
	struct found f = find_long(p, name, len);

	if (!f.opt && len == strlen("help") && memcmp(name, "help", len) == 0 && !value) {
		p->help = true;
		return 0;
	}
	if (!f.opt)
		return unknown_long(p, name, len);
	if (!f.opt->arg && value)
		return err_set(p->e, -EINVAL, "option '--%s' takes no value: '%.128s' is in vain",
			       f.opt->name, value);
	if (f.opt->arg) {
		value = take_value(p, f.opt, value);
		if (!value)
			return missing_value(p, f.opt);
	}
	return set_value(p, f, value);
}

/* -x, -xy, -x VALUE, -xVALUE */
static int parse_short(struct parse *p, const char *letters)
{
	int r = 0;

	for (const char *c = letters; !r && !p->help && *c; c++) {
		struct found f = find_short(p, *c);

		if (!f.opt && *c == 'h') {
			p->help = true;
		} else if (!f.opt) {
			return err_set(p->e, -EINVAL,
				       "unknown option '-%c'; see 'proctrace %s --help'", *c,
				       p->cmd->name);
		} else if (!f.opt->arg) {
			r = set_value(p, f, NULL);
		} else {
			const char *value = take_value(p, f.opt, c[1] ? c + 1 : NULL);

			return value ? set_value(p, f, value) : missing_value(p, f.opt);
		}
	}
	return r;
}

static void take_operands(struct parse *p, int from, int n)
{
	memcpy(p->operand + p->noperands, p->argv + from, (size_t)n * sizeof(*p->argv));
	p->noperands += n;
}

/* Takes all arguments one by one; options are moved to the front as it goes. */
static int parse_all(struct parse *p, bool stop_at_operand)
{
	int kept = 1, r = 0;

	for (int i = p->next; !r && !p->help && i < p->argc; i = p->next) {
		char *arg = p->argv[i];
		bool ends = strcmp(arg, "--") == 0;

		p->next = i + 1;
		if (arg[0] != '-' || !arg[1]) {
			ends = stop_at_operand;
			take_operands(p, i, 1);
		} else if (!ends) {
			r = arg[1] == '-' ? parse_long(p, arg + 2) : parse_short(p, arg + 1);
		}
		if (ends) {
			take_operands(p, p->next, p->argc - p->next);
			p->next = p->argc;
		}
		if (arg[0] == '-' && arg[1])
			for (int k = i; k < (ends ? i + 1 : p->next); k++)
				p->argv[kept++] = p->argv[k];
	}
	memcpy(p->argv + kept, p->operand, (size_t)p->noperands * sizeof(*p->argv));
	p->next = kept;
	return r;
}

int opts_parse(const struct command *cmd, const struct opt_group *groups, int argc, char **argv,
	       bool stop_at_operand, int *first_operand, struct err *e)
{
	struct parse p = { .cmd = cmd, .groups = groups, .argc = argc, .argv = argv, .e = e };
	int r;

	p.next = 1;
	p.operand = calloc((size_t)argc + 1, sizeof(*p.operand));
	if (!p.operand)
		return err_set(e, -EINVAL, "out of memory");
	r = parse_all(&p, stop_at_operand);
	free(p.operand);
	if (r)
		return r;
	if (p.help) {
		opts_print_help(stdout, cmd, groups);
		return 1;
	}
	if (first_operand)
		*first_operand = p.next;
	else if (p.noperands)
		return err_set(e, -EINVAL,
			       "unexpected argument '%.128s'; see 'proctrace %s --help'",
			       argv[p.next], cmd->name);
	return 0;
}

int complain(int status, const char *fmt, ...)
{
	char text[1024], safe[ESCAPE_TEXT_MAX(sizeof(text))];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	escape_message(safe, sizeof(safe), text, strlen(text));
	fprintf(stderr, "proctrace: %s\n", safe);
	return status;
}
