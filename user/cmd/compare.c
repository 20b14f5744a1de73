// SPDX-License-Identifier: MIT
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opt_colour.h"
#include "report/compare.h"
#include "report/text.h"

struct compare_opts {
	bool json;
	int colour;
};

static const struct opt compare_options[] = {
	{ .name = "json",
	  .parse = opt_flag,
	  .offset = offsetof(struct compare_opts, json),
	  .help = "write one JSON object" },
	OPT_COLOUR(struct compare_opts, colour),
	{ .name = NULL },
};

static int print_comparison(const struct compare *c, const struct compare_opts *o)
{
	struct err e;

	if (o->json && compare_json(c, stdout, &e))
		return complain(EXIT_FAILED, "%s", e.text);
	if (!o->json)
		compare_text(c, stdout, text_colour(stdout, o->colour));
	if (fflush(stdout) || ferror(stdout))
		return complain(EXIT_FAILED, "cannot write the comparison: %s", strerror(errno));
	return EXIT_DONE;
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

static int compare_files(char **files, size_t n, const struct compare_opts *o)
{
	struct result *r = calloc(n, sizeof(*r));
	struct compare c = { .n = 0 };
	int rc;

	if (!r)
		return complain(EXIT_FAILED, "not enough memory for %zu reports", n);
	rc = load_reports(&c, r, files, n);
	if (rc == EXIT_DONE)
		rc = print_comparison(&c, o);
	for (size_t i = 0; i < c.n; i++)
		result_free(&r[i]);
	free(r);
	return rc;
}

static int run_compare(int argc, char **argv)
{
	struct compare_opts o = { 0 };
	const struct opt_group groups[] = { { "Output", compare_options, &o }, { .opts = NULL } };
	struct err e;
	int first, rc = opts_parse(&cmd_compare, groups, argc, argv, false, &first, &e);

	if (rc < 0)
		return complain(EXIT_USAGE, "%s", e.text);
	if (rc)
		return EXIT_DONE;
	if (argc - first < 2)
		return complain(EXIT_USAGE,
				"compare needs two reports: proctrace compare REPORT REPORT…");
	if (argc - first > COMPARE_MAX)
		return complain(EXIT_USAGE, "compare takes at most %d reports", COMPARE_MAX);
	return compare_files(argv + first, (size_t)(argc - first), &o);
}

const struct command cmd_compare = {
	.name = "compare",
	.usage = "[OPTION]... REPORT REPORT…",
	.summary = "set saved reports side by side",
	.run = run_compare,
	.details = "Reports are those that bench --output saved; the first one is what the others "
		   "are\n"
		   "compared with. Speeds differ when their 95 % intervals do not overlap.\n"
		   "\n"
		   "Exit status: 0 done, 1 a file cannot be read, 2 usage.\n",
};
