// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>

#include "base/commands.h"
#include "base/inherit.h"
#include "base/version.h"
#include "cmd/cmd.h"

static const struct command *const commands[] = { &cmd_bench,	&cmd_trace,  &cmd_load,
						  &cmd_compare, &cmd_report, &cmd_sources,
						  NULL };

static int print_help(FILE *to, int status)
{
	fputs("Usage: proctrace COMMAND [OPTION]...\n"
	      "Watches processes start and end, and measures what each way of watching loses.\n"
	      "\nCommands:\n",
	      to);
	commands_print(to, commands);
	fputs("\n'proctrace COMMAND --help' tells more of each; --version prints the version.\n",
	      to);
	return status;
}

static int run(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	const bool asks = strcmp(word, "help") == 0;
	const struct command *cmd;

	if (!*word)
		return print_help(stderr, EXIT_USAGE);
	if (strcmp(word, "--version") == 0)
		return printf("proctrace %s\n", PROCTRACE_VERSION) < 0;
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (asks && argc == 2))
		return print_help(stdout, EXIT_DONE);
	cmd = command_find(commands, asks ? argv[2] : word);
	if (!cmd)
		return EXIT_USAGE;
	return asks ? cmd->run(2, (char *[]){ argv[2], (char[]){ "--help" }, NULL })
		    : cmd->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int status;

	inherit_repair();
	status = run(argc, argv);
	/* A full disk must not look like success; a reader that has gone is no news. */
	if (fflush(stdout) && errno != EPIPE && !status)
		return complain(EXIT_FAILED, "cannot write the output: %s", strerror(errno));
	return status;
}
