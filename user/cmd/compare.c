// SPDX-License-Identifier: MIT
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opt_colour.h"
#include "report/compare.h"
#include "report/condition.h"
#include "report/text.h"

struct compare_opts {
	bool json, markdown;
	int colour; /* enum text_colour */
	struct {
		const char *v[OPT_LIST_MAX];
		unsigned n;
	} fail_if;
};

/* Not opt_list: a comma is part of no expression, but need not be taken apart either. */
static int parse_fail_if(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	struct compare_opts *o = dst;

	(void)opt;
	if (o->fail_if.n == OPT_LIST_MAX)
		return err_set(e, -EINVAL, "is one too many; at most %d", OPT_LIST_MAX);
	o->fail_if.v[o->fail_if.n++] = value;
	return 0;
}

static const struct opt compare_options[] = {
	{ .name = "fail-if",
	  .arg = "EXPRESSION",
	  .parse = parse_fail_if,
	  .offset = 0, /* the whole struct */
	  .help = "exit with status 3 if it holds in any report; may be repeated; then one report "
		  "is "
		  "enough" },
	{ .name = "json",
	  .parse = opt_flag,
	  .offset = offsetof(struct compare_opts, json),
	  .help = "write one JSON object" },
	{ .name = "markdown",
	  .parse = opt_flag,
	  .offset = offsetof(struct compare_opts, markdown),
	  .help = "write Markdown, for a pull request" },
	OPT_COLOUR(struct compare_opts, colour),
	{ .name = NULL },
};

static int print_comparison(const struct compare *c, const struct compare_opts *o)
{
	struct err e;
	int err;

	if (o->json)
		err = compare_json(c, stdout, &e);
	else if (o->markdown)
		err = compare_markdown(c, stdout);
	else
		err = compare_text(c, stdout, text_colour(stdout, o->colour));
	if (err)
		return complain(EXIT_FAILED, "not enough memory to compare these reports");
	if (fflush(stdout) || ferror(stdout))
		return complain(EXIT_FAILED, "cannot write the comparison: %s", strerror(errno));
	return EXIT_DONE;
}

/* What the conditions say about the exit status; each that holds is named. */
static int conditions_status(const struct compare *c)
{
	int status = EXIT_DONE;

	for (size_t i = 0; i < c->nconditions; i++) {
		const struct condition_outcome *o = &c->condition[i];

		if (o->hits)
			status = complain(EXIT_LOSS, "--fail-if '%s' holds: %.6g in '%s' (%s, %s)",
					  o->condition->text, o->value, c->name[o->report],
					  o->summary->scenario, o->summary->monitor);
	}
	return status;
}

/* Loads the files into @r, one after another; on failure those loaded so far stay. */
static int load_reports(struct compare *c, struct result *r, char **files, size_t n)
{
	struct err e;

	for (; c->n < n; c->n++) {
		if (result_load(&r[c->n], files[c->n], &e))
			return complain(EXIT_FAILED, "%s", e.text);
		c->result[c->n] = &r[c->n];
		c->name[c->n] = files[c->n];
	}
	return EXIT_DONE;
}

static int check_conditions(struct compare *c, const struct condition *condition,
			    struct condition_outcome *outcome, size_t n)
{
	struct err e;

	for (size_t i = 0; i < n; i++)
		if (condition_check(&condition[i], c->result, c->n, &outcome[i], &e))
			return complain(EXIT_FAILED, "%s", e.text);
	c->condition = outcome;
	c->nconditions = n;
	return EXIT_DONE;
}

static int compare_files(char **files, size_t n, const struct compare_opts *o,
			 const struct condition *condition)
{
	struct condition_outcome outcome[OPT_LIST_MAX];
	struct result *r = calloc(n, sizeof(*r));
	struct compare c = { .n = 0 };
	int rc;

	if (!r)
		return complain(EXIT_FAILED, "not enough memory for %zu reports", n);
	rc = load_reports(&c, r, files, n);
	if (rc == EXIT_DONE)
		rc = check_conditions(&c, condition, outcome, o->fail_if.n);
	if (rc == EXIT_DONE)
		rc = print_comparison(&c, o);
	if (rc == EXIT_DONE)
		rc = conditions_status(&c);
	for (size_t i = 0; i < c.n; i++)
		result_free(&r[i]);
	free(r);
	return rc;
}

/* Before any file is read: what is wrong with the command is not wrong with the files. */
static int opts_check(const struct compare_opts *o, size_t files, struct condition *condition,
		      struct err *e)
{
	if (o->json && o->markdown)
		return err_set(e, -EINVAL,
			       "--json and --markdown: only one of them can be written");
	if (files < (o->fail_if.n ? 1 : 2))
		return err_set(e, -EINVAL,
			       o->fail_if.n ? "--fail-if needs a report to look at"
					    : "compare needs two reports: proctrace compare REPORT "
					      "REPORT…");
	if (files > COMPARE_MAX)
		return err_set(e, -EINVAL, "compare takes at most %d reports", COMPARE_MAX);
	for (unsigned i = 0; i < o->fail_if.n; i++)
		if (condition_parse(&condition[i], o->fail_if.v[i], e))
			return -EINVAL;
	return 0;
}

static int run_compare(int argc, char **argv)
{
	struct condition condition[OPT_LIST_MAX];
	struct compare_opts o = { 0 };
	const struct opt_group groups[] = { { "Output", compare_options, &o }, { .opts = NULL } };
	struct err e;
	int first, rc = opts_parse(&cmd_compare, groups, argc, argv, false, &first, &e);

	if (rc > 0)
		return EXIT_DONE;
	if (!rc)
		rc = opts_check(&o, (size_t)(argc - first), condition, &e);
	if (rc)
		return complain(EXIT_USAGE, "%s", e.text);
	return compare_files(argv + first, (size_t)(argc - first), &o, condition);
}

const struct command cmd_compare = {
	.name = "compare",
	.usage = "[OPTION]... REPORT REPORT…",
	.summary = "set saved reports side by side",
	.run = run_compare,
	.details =
		"Reports are those that bench --output saved; the first one is what the others "
		"are\n"
		"compared with. Differences are claimed only beyond noise: of 50 comparisons of "
		"reports\n"
		"that do not differ, 49 claim none.\n"
		"\n"
		"EXPRESSION: [SCENARIO:]VALUE OPERATOR NUMBER, operators > >= < <= == !=, and as "
		"VALUE\n"
		"  SOURCE.FIELD.FIELD     a number of a source, as the JSON calls it: "
		"bpf.exec.lost,\n"
		"                         netlink.all.unexplained, bpf.lost_at.ring_full, "
		"bpf.foreign\n"
		"  rate(MONITOR)          launches/s with that monitor: none, bpf, bpf+netlink, …\n"
		"  slowdown(MONITOR)      per cent; NUMBER may end with % here and in the next "
		"two\n"
		"  delivered(SOURCE)      per cent of the events\n"
		"  identified(SOURCE)     per cent of the programs\n"
		"  cpu_us(SOURCE)         CPU time of the reader for a launch, in µs\n"
		"rate and slowdown hold only if their whole 95 % interval does. Examples:\n"
		"  proctrace compare --fail-if 'bpf.exec.lost>0' --fail-if 'slowdown(bpf)>2%' "
		"new.json\n"
		"  proctrace compare --fail-if 'serial:rate(none)<8000' --markdown old.json "
		"new.json\n"
		"\n"
		"Exit status: 0 done, 1 a file cannot be read or has no such figure, 2 usage,\n"
		"3 an expression of --fail-if holds.\n",
};
