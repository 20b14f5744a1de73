// SPDX-License-Identifier: MIT
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>

#include "report/result.h"
#include "cmd/opt_colour.h"
#include "report/text.h"

struct report_opts {
	bool json;
	int colour;
};

static const struct opt report_options[] = {
	{ .name = "json",
	  .parse = opt_flag,
	  .offset = offsetof(struct report_opts, json),
	  .help = "write the report as JSON again, summaries computed anew" },
	OPT_COLOUR(struct report_opts, colour),
	{ .name = NULL },
};

static int print_report(const struct result *r, const struct report_opts *o)
{
	struct err e;

	if (o->json)
		return result_write(r, stdout, &e) ? complain(EXIT_FAILED, "%s", e.text)
						   : EXIT_DONE;
	text_report(r, stdout, text_colour(stdout, o->colour));
	if (fflush(stdout) || ferror(stdout))
		return complain(EXIT_FAILED, "cannot write the report: %s", strerror(errno));
	return EXIT_DONE;
}

static int run_report(int argc, char **argv)
{
	struct report_opts o = { 0 };
	const struct opt_group groups[] = { { "Output", report_options, &o }, { .opts = NULL } };
	struct result r;
	struct err e;
	int first, rc = opts_parse(&cmd_report, groups, argc, argv, false, &first, &e);

	if (rc < 0)
		return complain(EXIT_USAGE, "%s", e.text);
	if (rc)
		return EXIT_DONE;
	if (argc - first != 1)
		return complain(EXIT_USAGE,
				"report prints one saved report: proctrace report FILE");
	if (result_load(&r, argv[first], &e))
		return complain(EXIT_FAILED, "%s", e.text);
	rc = print_report(&r, &o);
	result_free(&r);
	return rc;
}

const struct command cmd_report = {
	.name = "report",
	.usage = "[OPTION]... FILE",
	.summary = "print a report that bench --output saved",
	.run = run_report,
	.details = "The text is the same that bench printed.\n"
		   "\n"
		   "Exit status: 0 done, 1 the file cannot be read, 2 usage.\n",
};
