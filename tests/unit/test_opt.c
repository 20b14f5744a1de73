// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/nearest.h"
#include "base/opt.h"
#include "base/opt_help.h"

struct load_opts {
	uint32_t workers;
	uint64_t count, duration;
	double rate;
	size_t ring;
	int method, check;
	struct opt_range range;
	struct opt_list monitors, scenarios;
	const char *target;
	bool json, verbose;
};

static const char *const methods[] = { "vfork", "fork", "spawn", NULL };

#define AT(field) offsetof(struct load_opts, field)

static const struct opt options[] = {
	{ "workers", "N", opt_u32, AT(workers), "how many start processes (default: 1)", NULL, 'w',
	  NULL },
	{ "count", "N", opt_u64, AT(count), "launches", NULL, 0, NULL },
	{ "duration", "TIME", opt_duration, AT(duration), "how long", NULL, 0, NULL },
	{ "rate", "N", opt_double, AT(rate), "launches a second", NULL, 0, NULL },
	{ "ring", "BYTES", opt_bytes, AT(ring), "size of the ring", NULL, 0, NULL },
	{ "method", "vfork|fork|spawn", opt_choice, AT(method), "how", methods, 0, NULL },
	{ "range", "A-B", opt_range, AT(range), "from, to", NULL, 0, NULL },
	{ "monitor", "LIST", opt_list, AT(monitors), "which", NULL, 0, NULL },
	{ "scenario", "LIST", opt_list, AT(scenarios), "of choices", methods, 0, NULL },
	{ "target", "PATH", opt_string, AT(target), "what", NULL, 't', NULL },
	{ "json", NULL, opt_flag, AT(json), "as JSON", NULL, 0, NULL },
	{ "check", "WHAT", opt_choice, AT(check), "itself", methods, 'c', "fork" },
	{ "verbose", NULL, opt_flag, AT(verbose), "say more", NULL, 'v', NULL },
	{ 0 },
};

static int run_nothing(int argc, char **argv)
{
	(void)argc, (void)argv;
	return 0;
}

static const struct command command = {
	.name = "load", .usage = "[OPTION]...", .summary = "Starts processes.", .run = run_nothing
};

static struct load_opts got;
static struct err err;
static int first;

/* Splits @line at blanks and parses it; texts live until the next call. */
static char text[512], *words[32];
static int nwords;

static int parse_with(const char *line, bool stop, int *operand)
{
	const struct opt_group groups[] = { { "Load", options, &got }, { 0 } };

	got = (struct load_opts){ 0 };
	err.text[0] = '\0';
	snprintf(text, sizeof(text), "load %s", line);
	nwords = 0;
	for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
		words[nwords++] = w;
	words[nwords] = NULL;
	return opts_parse(&command, groups, nwords, words, stop, operand, &err);
}

static int parse(const char *line)
{
	return parse_with(line, false, &first);
}

static void refused(const char *line, const char *sentence)
{
	assert_int_equal(parse(line), -EINVAL);
	assert_string_equal(err.text, sentence);
}

static void value_may_be_left_out(void **state)
{
	static const struct {
		const char *line;
		int method, operands;
	} good[] = { { "--check", 1, 0 },	  { "--check --json", 1, 0 },
		     { "--check=spawn", 2, 0 },	  { "--check spawn", 2, 0 },
		     { "-c --json", 1, 0 },	  { "-cspawn --json", 2, 0 },
		     { "x --check spawn", 2, 1 }, { "--check -- x", 1, 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(parse(good[i].line), 0);
		assert_int_equal(got.check, good[i].method);
		assert_int_equal(nwords - first, good[i].operands);
	}
	refused("--check x", "--check 'x' is not known; give vfork, fork or spawn");
	refused("--check=", "--check '' is not known; give vfork, fork or spawn");
}

static void takes_all_forms(void **state)
{
	(void)state;
	assert_int_equal(parse("--workers 3 --json"), 0);
	assert_int_equal(got.workers, 3);
	assert_true(got.json);
	assert_int_equal(first, nwords);
	assert_int_equal(parse("--workers=4"), 0);
	assert_int_equal(got.workers, 4);
	assert_int_equal(parse("-w 5"), 0);
	assert_int_equal(got.workers, 5);
	assert_int_equal(parse("-vw6"), 0);
	assert_int_equal(got.workers, 6);
	assert_true(got.verbose);
	assert_int_equal(parse("--target=a=b"), 0);
	assert_string_equal(got.target, "a=b");
}

static void operands_go_to_the_end(void **state)
{
	(void)state;
	assert_int_equal(parse("one -w 7 two - --json"), 0);
	assert_int_equal(got.workers, 7);
	assert_true(got.json);
	assert_int_equal(nwords - first, 3);
	assert_string_equal(words[first], "one");
	assert_string_equal(words[first + 1], "two");
	assert_string_equal(words[first + 2], "-");
	assert_int_equal(parse("one -v -- --json -w"), 0);
	assert_false(got.json);
	assert_true(got.verbose);
	assert_string_equal(words[first], "one");
	assert_string_equal(words[first + 1], "--json");
	assert_string_equal(words[first + 2], "-w");
}

static void a_command_keeps_its_own_options(void **state)
{
	(void)state;
	assert_int_equal(parse_with("-v make --json", true, &first), 0);
	assert_false(got.json);
	assert_string_equal(words[first], "make");
	assert_string_equal(words[first + 1], "--json");
	assert_int_equal(parse_with("-v -- make", true, &first), 0);
	assert_string_equal(words[first], "make");
}

static void no_operands_where_none_are_taken(void **state)
{
	(void)state;
	assert_int_equal(parse_with("-v", false, NULL), 0);
	assert_int_equal(parse_with("-v junk", false, NULL), -EINVAL);
	assert_string_equal(err.text, "unexpected argument 'junk'; see 'proctrace load --help'");
}

static void unknown_options_are_named(void **state)
{
	(void)state;
	refused("--wrokers 3", "unknown option '--wrokers': did you mean '--workers'? See "
			       "'proctrace load --help'");
	refused("--work=3",
		"unknown option '--work': did you mean '--workers'? See 'proctrace load --help'");
	refused("--zzzzzz", "unknown option '--zzzzzz'; see 'proctrace load --help'");
	refused("-x", "unknown option '-x'; see 'proctrace load --help'");
	refused("--workers", "option '--workers' needs a value: --workers N");
	refused("-w", "option '--workers' needs a value: --workers N");
	refused("--json=yes", "option '--json' takes no value: 'yes' is in vain");
}

static void whole_numbers_are_strict(void **state)
{
	(void)state;
	assert_int_equal(parse("--workers 4294967295 --count 18446744073709551615"), 0);
	assert_int_equal(got.workers, UINT32_MAX);
	assert_int_equal(got.count, UINT64_MAX);
	refused("--workers 4294967296", "--workers '4294967296' is too large; at most 4294967295");
	refused("--count 18446744073709551616",
		"--count '18446744073709551616' is too large; at most 18446744073709551615");
	for (const char *const *bad =
		     (const char *const[]){ "-1", "+1", "1x", "0x10", "1e3", "x", "1.0", NULL };
	     *bad; bad++) {
		char line[32];

		snprintf(line, sizeof(line), "--count=%s", *bad);
		assert_int_equal(parse(line), -EINVAL);
		assert_non_null(strstr(err.text, "is not a whole number"));
	}
	refused("--count=", "--count '' is not a whole number; give 0, 1, 2, …");
}

static void doubles_are_positive_and_finite(void **state)
{
	(void)state;
	assert_int_equal(parse("--rate 0.5"), 0);
	assert_true(got.rate == 0.5);
	for (const char *const *bad = (const char *const[]){ "0", "-1", "nan", "inf", "1e3", "0x1",
							     "1.", ".", "1,5", "", NULL };
	     *bad; bad++) {
		char line[32];

		snprintf(line, sizeof(line), "--rate=%s", *bad);
		assert_int_equal(parse(line), -EINVAL);
	}
}

static void sizes(void **state)
{
	static const struct {
		const char *line;
		size_t want;
	} good[] = { { "--ring 4096", 4096 },	{ "--ring 64K", 65536 },
		     { "--ring 8M", 8U << 20 }, { "--ring 1G", 1U << 30 },
		     { "--ring 2k", 2048 },	{ "--ring 1MiB", 1U << 20 },
		     { "--ring 0", 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(parse(good[i].line), 0);
		assert_int_equal(got.ring, good[i].want);
	}
	refused("--ring 8X", "--ring '8X' is not a size; give bytes, or 64K, 8M, 1G");
	refused("--ring -8", "--ring '-8' is not a size; give bytes, or 64K, 8M, 1G");
	refused("--ring 8MM", "--ring '8MM' is not a size; give bytes, or 64K, 8M, 1G");
	refused("--ring K", "--ring 'K' is not a size; give bytes, or 64K, 8M, 1G");
	refused("--ring 99999999999G", "--ring '99999999999G' is too large for a size");
	refused("--ring 99999999999999999999",
		"--ring '99999999999999999999' is too large for a size");
}

static void durations(void **state)
{
	static const struct {
		const char *line;
		uint64_t want;
	} good[] = { { "--duration 2", 2000000000 },	 { "--duration 1.5s", 1500000000 },
		     { "--duration 3us", 3000 },	 { "--duration 3µs", 3000 },
		     { "--duration 10ms", 10000000 },	 { "--duration 2m", 120000000000 },
		     { "--duration 1h", 3600000000000 }, { "--duration 7ns", 7 },
		     { "--duration .5", 500000000 },	 { "--duration 0", 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(parse(good[i].line), 0);
		assert_int_equal(got.duration, good[i].want);
	}
	for (const char *const *bad = (const char *const[]){ "-1", "1e3", "2 s", "s", "2sec", "inf",
							     "nan", "0x2", "1.", NULL };
	     *bad; bad++) {
		char line[32];

		snprintf(line, sizeof(line), "--duration=%s", *bad);
		if (strchr(*bad, ' '))
			continue;
		assert_int_equal(parse(line), -EINVAL);
		assert_non_null(strstr(err.text, "is not a duration"));
	}
	refused("--duration 99999999999h", "--duration '99999999999h' is too long for a duration");
}

static void choices_are_listed(void **state)
{
	(void)state;
	assert_int_equal(parse("--method spawn"), 0);
	assert_int_equal(got.method, 2);
	refused("--method clone", "--method 'clone' is not known; give vfork, fork or spawn");
	refused("--method for", "--method 'for' is not known; give vfork, fork or spawn");
}

static void ranges(void **state)
{
	(void)state;
	assert_int_equal(parse("--range 3"), 0);
	assert_int_equal(got.range.from, 3);
	assert_int_equal(got.range.to, 3);
	assert_int_equal(parse("--range 3-10"), 0);
	assert_int_equal(got.range.from, 3);
	assert_int_equal(got.range.to, 10);
	for (const char *const *bad = (const char *const[]){ "0", "10-3", "3-", "-3", "3-x", "a",
							     "1-4294967296", NULL };
	     *bad; bad++) {
		char line[32];

		snprintf(line, sizeof(line), "--range=%s", *bad);
		assert_int_equal(parse(line), -EINVAL);
	}
}

static void lists_add_up(void **state)
{
	(void)state;
	assert_int_equal(parse("--monitor bpf,netlink --monitor none"), 0);
	assert_int_equal(got.monitors.n, 3);
	assert_string_equal(got.monitors.v[0], "bpf");
	assert_string_equal(got.monitors.v[1], "netlink");
	assert_string_equal(got.monitors.v[2], "none");
	refused("--monitor a,,b", "--monitor 'a,,b' has an empty item; give LIST");
	refused("--monitor a,", "--monitor 'a,' has an empty item; give LIST");
	assert_int_equal(parse("--scenario fork,vfork"), 0);
	refused("--scenario fork,junk",
		"--scenario 'fork,junk' has 'junk', which is not known; give vfork, fork or spawn");
}

static void lists_are_bounded(void **state)
{
	char line[4 * OPT_LIST_MAX + 64] = "--monitor a";

	(void)state;
	for (int i = 1; i < OPT_LIST_MAX; i++)
		strcat(line, ",a");
	assert_int_equal(parse(line), 0);
	assert_int_equal(got.monitors.n, OPT_LIST_MAX);
	strcat(line, " --monitor a");
	assert_int_equal(parse(line), -EINVAL);
}

static void help_fits_and_is_complete(void **state)
{
	const struct opt_group groups[] = { { "Load", options, &got }, { 0 } };
	char *help, *line, *rest;
	size_t size;
	FILE *f = open_memstream(&help, &size);

	(void)state;
	opts_print_help(f, &command, groups);
	fclose(f);
	assert_non_null(strstr(help, "Usage: proctrace load [OPTION]...\n"));
	assert_non_null(strstr(help, "\nLoad:\n"));
	assert_non_null(strstr(help, "  -w, --workers N"));
	assert_non_null(strstr(help, "      --help "));
	for (rest = help; (line = strsep(&rest, "\n"));)
		assert_true(strlen(line) <= 100);
	free(help);
}

static void nearest_is_modest(void **state)
{
	struct nearest n = nearest_init("trcae", 5);

	(void)state;
	nearest_offer(&n, "bench");
	assert_null(n.best);
	nearest_offer(&n, "trace");
	assert_string_equal(n.best, "trace");
	n = nearest_init("x", 1);
	nearest_offer(&n, "load");
	assert_null(n.best);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_all_forms),
		cmocka_unit_test(value_may_be_left_out),
		cmocka_unit_test(operands_go_to_the_end),
		cmocka_unit_test(a_command_keeps_its_own_options),
		cmocka_unit_test(no_operands_where_none_are_taken),
		cmocka_unit_test(unknown_options_are_named),
		cmocka_unit_test(whole_numbers_are_strict),
		cmocka_unit_test(doubles_are_positive_and_finite),
		cmocka_unit_test(sizes),
		cmocka_unit_test(durations),
		cmocka_unit_test(choices_are_listed),
		cmocka_unit_test(ranges),
		cmocka_unit_test(lists_add_up),
		cmocka_unit_test(lists_are_bounded),
		cmocka_unit_test(help_fits_and_is_complete),
		cmocka_unit_test(nearest_is_modest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
