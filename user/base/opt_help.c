// SPDX-License-Identifier: MIT
#include "base/opt_help.h"

#include <ctype.h>
#include <string.h>

#include "base/escape.h"
#include "base/wrap.h"

#define HELP_COLUMN_MAX 32

static const struct opt opt_help_row = { .name = "help", .help = "print this text and exit" };

/* "  -x, --name ARG", or "--name[=ARG]" where it may be left out; the short part only where any option of the
 * command has one. */
static size_t format_option(char *buf, size_t size, const struct opt *o, bool shorts)
{
	char head[8] = "";

	if (o->short_name)
		snprintf(head, sizeof(head), "-%c, ", o->short_name);
	snprintf(buf, size, "  %*s--%s%s%s%s", shorts ? 4 : 0, head, o->name,
		 !o->arg      ? ""
		 : o->implied ? "[="
			      : " ",
		 o->arg ? o->arg : "", o->implied ? "]" : "");
	return escape_columns(buf, strlen(buf), SIZE_MAX, NULL);
}

static void print_option(FILE *to, const struct opt *o, bool shorts, size_t indent)
{
	char head[128];
	size_t columns = format_option(head, sizeof(head), o, shorts);

	fputs(head, to);
	if (columns + 2 > indent) {
		fputc('\n', to);
		columns = 0;
	}
	wrap_print(to, o->help, columns, indent);
}

/* Where the help texts begin: behind the longest option that is not overlong. */
static size_t help_column(const struct opt_group *groups, bool shorts)
{
	char head[128];
	size_t column = 0;

	for (const struct opt_group *g = groups; g->opts; g++)
		for (const struct opt *o = g->opts; o->name; o++) {
			size_t columns = format_option(head, sizeof(head), o, shorts) + 2;

			if (columns > column && columns <= HELP_COLUMN_MAX)
				column = columns;
		}
	return column ? column : 12;
}

static bool any_short(const struct opt_group *groups)
{
	for (const struct opt_group *g = groups; g->opts; g++)
		for (const struct opt *o = g->opts; o->name; o++)
			if (o->short_name)
				return true;
	return false;
}

/* The summary is written as for a list of commands: here it becomes a sentence. */
static void print_summary(FILE *to, const char *summary)
{
	char sentence[256];

	snprintf(sentence, sizeof(sentence), "%s.", summary);
	sentence[0] = (char)toupper((unsigned char)sentence[0]);
	wrap_print(to, sentence, 0, 0);
}

void opts_print_help(FILE *to, const struct command *cmd, const struct opt_group *groups)
{
	const bool shorts = any_short(groups);
	const size_t column = help_column(groups, shorts);
	const size_t indent = strlen("Usage: proctrace  ") + strlen(cmd->name);

	fprintf(to, "Usage: proctrace %s ", cmd->name);
	wrap_print(to, cmd->usage, indent, indent);
	print_summary(to, cmd->summary);
	for (const struct opt_group *g = groups; g->opts; g++) {
		fprintf(to, "\n%s:\n", g->title);
		for (const struct opt *o = g->opts; o->name; o++)
			print_option(to, o, shorts, column);
	}
	fputc('\n', to);
	print_option(to, &opt_help_row, shorts, column);
	if (cmd->details)
		fprintf(to, "\n%s%s", cmd->details,
			cmd->details[strlen(cmd->details) - 1] == '\n' ? "" : "\n");
}
