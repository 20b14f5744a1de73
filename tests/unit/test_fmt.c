// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "bench/reconcile.h"
#include "report/fmt.h"

/* Formats are shown with plain blanks. */
static const char *plain(const char *s)
{
	static char out[128];
	size_t n = 0;

	for (; *s; s++) {
		if (strncmp(s, NBSP, strlen(NBSP)) == 0) {
			out[n++] = ' ';
			s++;
		} else {
			out[n++] = *s;
		}
	}
	out[n] = '\0';
	return out;
}

static void percentages_never_lie_about_all_or_none(void **state)
{
	static const struct {
		uint64_t part, whole;
		const char *text;
	} table[] = {
		{ 0, 10, "0" },
		{ 10, 10, "100" },
		{ 0, 0, "–" },
		{ 1, 2, "50.0" },
		{ 2, 3, "66.6" },
		{ 978, 1000, "97.8" },
		{ 999, 1000, "99.9" },
		{ 9999, 10000, "99.99" },
		{ 99998, 100000, "99.998" },
		{ 740169, 740170, "99.9998" },
		{ 1, 740170, "0.0001" },
		{ 1, 1000, "0.1" },
		{ 9999999999, 10000000000, "99.99999999" },
		{ 11, 10, "> 100" },
		{ LEDGER_UNKNOWN, 10, "?" },
		{ 1, LEDGER_UNKNOWN, "?" },
		{ UINT64_MAX - 2, UINT64_MAX - 1, "99.99999999999" },
		{ 1, UINT64_MAX - 1, "0.00000000000" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		assert_string_equal(fmt_percent(table[i].part, table[i].whole).s, table[i].text);
}

static void times_have_two_or_three_digits(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} table[] = {
		{ 0, "0" },	      { 1, "1 ns" },	  { 85, "85 ns" },
		{ 850, "850 ns" },    { 1210, "1.2 µs" }, { 80300, "80 µs" },
		{ 999400, "999 µs" }, { 999600, "1 ms" }, { 2100000, "2.1 ms" },
		{ 1.5e9, "1.5 s" },   { 2e9, "2 s" },	  { 7.2e12, "7 200 s" },
		{ NAN, "–" },	      { INFINITY, "–" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		assert_string_equal(plain(fmt_time(table[i].ns).s), table[i].text);
}

static void numbers_are_grouped(void **state)
{
	(void)state;
	assert_string_equal(plain(fmt_count(0).s), "0");
	assert_string_equal(plain(fmt_count(999).s), "999");
	assert_string_equal(plain(fmt_count(11332).s), "11 332");
	assert_string_equal(plain(fmt_count(1234567).s), "1 234 567");
	assert_string_equal(plain(fmt_count(UINT64_MAX - 1).s), "18 446 744 073 709 551 614");
	assert_string_equal(fmt_count(LEDGER_UNKNOWN).s, "?");
	assert_string_equal(plain(fmt_real(11331.7, 3).s), "11 332");
	assert_string_equal(plain(fmt_real(-11331.7, 3).s), "-11 332");
	assert_string_equal(plain(fmt_real(0.0123, 2).s), "0.012");
	assert_string_equal(plain(fmt_real(NAN, 2).s), "–");
	assert_string_equal(plain(fmt_real(1e300, 2).s), "1e+300");
	assert_string_equal(plain(fmt_bytes(8 << 20).s), "8 MiB");
	assert_string_equal(plain(fmt_bytes(212992).s), "208 KiB");
	assert_string_equal(plain(fmt_bytes(1000).s), "1 000 B");
	assert_string_equal(plain(fmt_bytes(0).s), "0 B");
	assert_string_equal(plain(fmt_date(1796086872).s), "2026-12-01 01:01 UTC");
	assert_string_equal(plain(fmt_date(INT64_MAX).s), "–");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentages_never_lie_about_all_or_none),
		cmocka_unit_test(times_have_two_or_three_digits),
		cmocka_unit_test(numbers_are_grouped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
