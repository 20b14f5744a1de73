// SPDX-License-Identifier: MIT
#include <string.h>
#include <unistd.h>

#include "base/json_out.h"
#include "base/wrap.h"
#include "cmd/cmd.h"
#include "source/source.h"

struct sources_opts {
	bool json;
};

static const struct opt sources_options[] = {
	{ .name = "json",
	  .parse = opt_flag,
	  .offset = offsetof(struct sources_opts, json),
	  .help = "print one JSON object" },
	{ 0 },
};

#define NAME_COLUMNS 15
#define WORKS_COLUMNS 8

static void print_source(const struct source_ops *ops)
{
	const size_t indent = NAME_COLUMNS + WORKS_COLUMNS;
	struct err why = { "" };
	const int r = ops->probe(&why);

	printf("%-*s%-*s", NAME_COLUMNS, ops->name, WORKS_COLUMNS, r ? "no" : "yes");
	wrap_print(stdout, ops->summary, indent, indent);
	if (r)
		wrap_print(stdout, why.text[0] ? why.text : strerror(-r), 0, indent);
}

static void print_table(void)
{
	printf("%-*s%-*s%s\n", NAME_COLUMNS, "SOURCE", WORKS_COLUMNS, "WORKS", "WHAT IT IS");
	for (const struct source_ops *const *s = sources; *s; s++)
		print_source(*s);
}

static void json_text(struct json_out *j, const char *key, const char *text)
{
	jout_key(j, key);
	jout_string(j, text, strlen(text));
}

static void json_source(struct json_out *j, const struct source_ops *ops)
{
	struct err why = { "" };
	const int r = ops->probe(&why);

	jout_open(j, '{');
	json_text(j, "name", ops->name);
	json_text(j, "title", ops->title);
	json_text(j, "summary", ops->summary);
	jout_key(j, "works");
	jout_bool(j, !r);
	if (r)
		json_text(j, "why", why.text[0] ? why.text : strerror(-r));
	jout_key(j, "events");
	jout_open(j, '[');
	for (unsigned k = 0; k < EV_KINDS; k++)
		if (ops->kinds & EV_MASK(k))
			jout_string(j, event_kind_name(k), strlen(event_kind_name(k)));
	jout_close(j, ']');
	jout_key(j, "names");
	jout_bool(j, ops->names);
	jout_key(j, "needs_file");
	jout_bool(j, ops->needs_file);
	jout_close(j, '}');
}

static int print_json(void)
{
	struct outbuf out;
	struct json_out j = { .out = &out };
	int r = outbuf_init(&out, STDOUT_FILENO);

	if (r)
		return r;
	jout_open(&j, '{');
	json_text(&j, "schema", "proctrace.sources/1");
	jout_key(&j, "sources");
	jout_open(&j, '[');
	for (const struct source_ops *const *s = sources; *s; s++)
		json_source(&j, *s);
	jout_close(&j, ']');
	jout_close(&j, '}');
	jout_newline(&j);
	r = outbuf_flush(&out);
	outbuf_free(&out);
	return r;
}

static int sources_run(int argc, char **argv)
{
	struct sources_opts opts = { 0 };
	const struct opt_group groups[] = { { "Output", sources_options, &opts }, { 0 } };
	struct err e;
	int r = opts_parse(&cmd_sources, groups, argc, argv, false, NULL, &e);

	if (r)
		return r < 0 ? complain(EXIT_USAGE, "%s", e.text) : EXIT_DONE;
	if (!opts.json) {
		print_table();
		return EXIT_DONE;
	}
	r = print_json();
	return r ? complain(EXIT_FAILED, "cannot write the output: %s", strerror(-r)) : EXIT_DONE;
}

const struct command cmd_sources = {
	.name = "sources",
	.usage = "[--json]",
	.summary = "say which ways of watching work here, and if not, why",
	.run = sources_run,
	.details = "Whoever may not use a mechanism is told what is missing and how to get it. The "
		   "exit status is 0\n"
		   "whatever was found.\n",
};
