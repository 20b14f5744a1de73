// SPDX-License-Identifier: MIT
/* Lines that monitors print, against launches that are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/ext_complaint.h"
#include "bench/ext_count.h"

/* Three launches: 101 and 102 of testApp1, 101 again of testApp2. */
static const struct truth_launch launches[] = {
	{ .start_ns = 1, .end_ns = 2, .pid = 101, .name = 1 },
	{ .start_ns = 3, .end_ns = 4, .pid = 102, .name = 1 },
	{ .start_ns = 5, .end_ns = 6, .pid = 103, .name = 2 },
};
static const struct truth truth = {
	.segment = { { launches, 3 } },
	.nsegments = 1,
	.name = { "testApp1", "testApp2" },
	.nnames = 2,
};

static struct ext_counts count(const char *match, int column, const char *text)
{
	struct ext_format f = { .name = { "testApp" }, .nnames = 1, .column = column };
	struct ext_counts out;
	regex_t re;

	if (match) {
		assert_int_equal(regcomp(&re, match, REG_EXTENDED), 0);
		f.match = &re;
	}
	assert_int_equal(ext_count(&f, text, strlen(text), &truth, &out), 0);
	if (match)
		regfree(&re);
	assert_int_equal(out.launches, 3);
	return out;
}

static void test_pid_column(void **state)
{
	struct ext_counts n = count(NULL, 3,
				    "02:08:19 101 testApp1 0\r\n"
				    "02:08:19 102 <unknown>\r\n"
				    "02:08:19 999 testApp1 101\r\n" /* of no launch */
				    "02:08:19 103 testApp2 0\r\n"
				    "02:08:19 103 testApp2"); /* not ended: not there yet */

	(void)state;
	assert_true(n.by_pid);
	assert_int_equal(n.lines, 3);
	assert_int_equal(n.identified, 2);
	assert_int_equal(n.foreign, 1);
	assert_int_equal(n.told, EXT_UNKNOWN);
	assert_int_equal(n.repeated, 0);
}

static void test_regex_tells_more(void **state)
{
	struct ext_counts n = count("exec +([0-9]+) ", -1,
				    "fork  101 testApp1\n"
				    "exec  101 <unknown>\n"
				    "exec  102 /dev/shm/x/testApp1 7\n"
				    "exec  103 testApp1\n" /* another one's name */
				    "exec  102 testApp1\n" /* again */
				    "exec  104 true\n");

	(void)state;
	assert_int_equal(n.lines, 5);
	assert_int_equal(n.told, 3);
	assert_int_equal(n.identified, 1);
	assert_int_equal(n.misnamed, 1);
	assert_int_equal(n.repeated, 1);
	assert_int_equal(n.foreign, 0);
}

static void test_names_are_whole_words(void **state)
{
	struct ext_counts n =
		count("([0-9]+):", -1, "101:testApp11\n102:xtestApp1\n103:\"testApp2\"\n");

	(void)state;
	assert_int_equal(n.told, 3);
	assert_int_equal(n.identified, 1);
	assert_int_equal(n.misnamed, 2);
}

static void test_no_pid(void **state)
{
	struct ext_counts n = count(NULL, -1, "testApp1\ntrue\ntestApp2\n");

	(void)state;
	assert_false(n.by_pid);
	assert_int_equal(n.lines, 2);
	assert_int_equal(n.identified, 2);
	n = count("^run", -1, "run testApp\nrun testApp\nrun testApp\nrun testApp\ntestApp\n");
	assert_int_equal(n.lines, 4);
	assert_int_equal(n.identified, 3); /* never more than there were */
}

static void test_hostile_numbers(void **state)
{
	struct ext_counts n =
		count("^([0-9a-z]+)", -1,
		      "99999999999999999999 testApp1\n101a testApp1\n-1 testApp1\n\n\r\n"
		      "4194304 testApp1\n0 testApp1\n");

	(void)state;
	assert_int_equal(n.identified, 0);
	assert_int_equal(n.told, 0);
	assert_int_equal(n.foreign, 4);
}

static void test_column_is_found(void **state)
{
	static const char *const lines[] = { "02:08:19 exec 101 testApp",
					     "testApp/101 sched(pid: 101)", "  101 testApp",
					     "{\"pid\":101,\"comm\":\"testApp\"}" };
	static const int columns[] = { 4, 1, 0, 1 };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(ext_column_find(lines[i], strlen(lines[i]), 101), columns[i]);
	assert_int_equal(ext_column_find("1010 101x x101 10", 17, 101), -1);
	assert_int_equal(ext_column_find("", 0, 101), -1);
}

static void test_names(void **state)
{
	static const struct truth mixed = {
		.name = { "testApp", "testApp1", "true", "testApp2", "true" },
		.nnames = 5,
	};
	struct ext_format f = { .column = -1 };

	(void)state;
	ext_names_take(&f, &mixed);
	assert_int_equal(f.nnames, 2);
	assert_string_equal(f.name[0], "testApp");
	assert_string_equal(f.name[1], "true");
	assert_true(ext_line_read(&f, "/bin/true", 9).named);
	assert_false(ext_line_read(&f, "/bin/false", 10).named);
	ext_names_take(&f, &truth);
	assert_int_equal(f.nnames, 2);
}

static void test_lines(void **state)
{
	static const char text[] = "a\r\n\nlast";
	size_t next;

	(void)state;
	assert_int_equal(ext_line_next(text, 0, sizeof(text) - 1, &next), 1);
	assert_int_equal(ext_line_next(text, next, sizeof(text) - 1, &next), 0);
	assert_int_equal(ext_line_next(text, next, sizeof(text) - 1, &next), -1);
	assert_int_equal(ext_line_next(text, 99, 3, &next), -1);
}

static void test_complaint(void **state)
{
	static const struct {
		const char *printed, *said;
	} cases[] = {
		{ "", "" },
		{ "\r\n\n", "" },
		{ "\nPCOMM PID\r\n1 2\n", "PCOMM PID" },
		{ "sh: modprobe: not found\nUnable to find headers\r\nTraceback\nError: x",
		  "Unable to find headers" },
		{ "no end of line", "no end of line" },
		{ "12345678901234567890123456789012", "1234567890123456789012345678901" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char said[32];

		ext_complaint(cases[i].printed, strlen(cases[i].printed), said, sizeof(said));
		assert_string_equal(said, cases[i].said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pid_column),
		cmocka_unit_test(test_regex_tells_more),
		cmocka_unit_test(test_names_are_whole_words),
		cmocka_unit_test(test_no_pid),
		cmocka_unit_test(test_hostile_numbers),
		cmocka_unit_test(test_column_is_found),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_complaint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
