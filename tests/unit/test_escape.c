// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>

#include "base/escape.h"

static void text_is(const char *src, size_t n, const char *want)
{
	char buf[256];

	assert_int_equal(escape_text(buf, sizeof(buf), src, n), strlen(want));
	assert_string_equal(buf, want);
}

static void shell_is(const char *src, size_t n, const char *want)
{
	char buf[256];

	assert_int_equal(escape_shell(buf, sizeof(buf), src, n), strlen(want));
	assert_string_equal(buf, want);
}

static bool json_is(const char *src, size_t n, const char *want)
{
	char buf[256];
	bool replaced = false;

	assert_int_equal(escape_json(buf, sizeof(buf), src, n, &replaced), strlen(want));
	assert_string_equal(buf, want);
	return replaced;
}

#define LIT(s) s, sizeof(s) - 1

static void text_escapes_what_steers_a_terminal(void **state)
{
	(void)state;
	text_is(LIT("plain"), "plain");
	text_is(LIT(""), "");
	text_is(LIT("\033[31mred"), "\\x1b[31mred");
	text_is(LIT("a\nb\tc\rd\0e\x7f"), "a\\nb\\tc\\rd\\x00e\\x7f");
	text_is(LIT("back\\slash"), "back\\\\slash");
	text_is(LIT("it's"), "it's");
	text_is(LIT("caf\xc3\xa9 \xf0\x9f\x90\xa7"), "caf\xc3\xa9 \xf0\x9f\x90\xa7");
	text_is(LIT("\xc2\x9b"), "\\xc2\\x9b"); /* C1: the eight-bit CSI */
	text_is(LIT("\xe2\x80\xae"), "\\xe2\\x80\\xae"); /* right-to-left override */
	text_is(LIT("\xff\xfe"), "\\xff\\xfe");
	text_is(LIT("\xc3"), "\\xc3"); /* cut in the middle */
	text_is(LIT("\xc0\xaf"), "\\xc0\\xaf"); /* overlong */
	text_is(LIT("\xed\xa0\x80"), "\\xed\\xa0\\x80"); /* surrogate */
	text_is(LIT("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
}

static void message_keeps_backslashes(void **state)
{
	char buf[64];

	(void)state;
	escape_message(buf, sizeof(buf), LIT("a\\x1b \033"));
	assert_string_equal(buf, "a\\x1b \\x1b");
}

static void shell_words(void **state)
{
	(void)state;
	shell_is(LIT("-la"), "-la");
	shell_is(LIT("a=b,c:d/e@f%g+h"), "a=b,c:d/e@f%g+h");
	shell_is(LIT(""), "''");
	shell_is(LIT("a b"), "'a b'");
	shell_is(LIT("$(reboot)"), "'$(reboot)'");
	shell_is(LIT("a\\b"), "'a\\b'");
	shell_is(LIT("it's"), "$'it\\'s'");
	shell_is(LIT("a\nb"), "$'a\\nb'");
	shell_is(LIT("\\'\033"), "$'\\\\\\'\\x1b'");
	shell_is(LIT("caf\xc3\xa9"), "caf\xc3\xa9");
	shell_is(LIT("\xff"), "$'\\xff'");
}

static void json_is_always_valid(void **state)
{
	(void)state;
	assert_false(json_is(LIT("plain"), "plain"));
	assert_false(json_is(LIT("\"\\/"), "\\\"\\\\/"));
	assert_false(json_is(LIT("\n\r\t\b\0\033\x7f"), "\\n\\r\\t\\u0008\\u0000\\u001b\\u007f"));
	assert_false(json_is(LIT("\xc3\xa9"), "\xc3\xa9"));
	assert_false(json_is(LIT("\xc2\x9b\xe2\x80\xa8"), "\\u009b\\u2028"));
	assert_false(json_is(LIT("\xf3\xa0\x81\x81"), "\\udb40\\udc41"));
	assert_true(json_is(LIT("a\xff\xfe"
				"b"),
			    "a\xef\xbf\xbd\xef\xbf\xbd"
			    "b"));
	assert_true(json_is(LIT("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd"));
	/* U+FFFD itself is no replacement. */
	assert_false(json_is(LIT("\xef\xbf\xbd"), "\xef\xbf\xbd"));
}

static void small_buffers_hold_whole_pieces(void **state)
{
	char buf[8];

	(void)state;
	memset(buf, 'x', sizeof(buf));
	assert_int_equal(escape_text(buf, 0, LIT("abc")), 0);
	assert_int_equal(buf[0], 'x');
	assert_int_equal(escape_text(buf, 1, LIT("abc")), 0);
	assert_string_equal(buf, "");
	assert_int_equal(escape_text(buf, 4, LIT("abcdef")), 3);
	assert_string_equal(buf, "abc");
	assert_int_equal(escape_text(buf, 6, LIT("ab\033c")), 2);
	assert_string_equal(buf, "ab");
	assert_int_equal(escape_json(buf, 7, LIT("a\001b"), NULL), 1);
	assert_string_equal(buf, "a");
	assert_int_equal(escape_text(buf, 3, LIT("a\xc3\xa9")), 1);
	assert_string_equal(buf, "a");
}

/* No byte sequence may write beyond *_MAX, and all that text shows is printable. */
static void any_bytes_fit(void **state)
{
	char src[3], buf[ESCAPE_JSON_MAX(sizeof(src)) + ESCAPE_SHELL_MAX(sizeof(src))];
	size_t n;

	(void)state;
	for (unsigned v = 0; v < 1U << 24; v += 251) {
		memcpy(src, &v, sizeof(src));
		n = escape_text(buf, ESCAPE_TEXT_MAX(sizeof(src)), src, sizeof(src));
		for (size_t i = 0; i < n; i++)
			assert_true((unsigned char)buf[i] >= ' ' && buf[i] != 0x7f);
		n = escape_shell(buf, sizeof(buf), src, sizeof(src));
		assert_true(n < ESCAPE_SHELL_MAX(sizeof(src)));
		n = escape_json(buf, sizeof(buf), src, sizeof(src), NULL);
		assert_true(n < ESCAPE_JSON_MAX(sizeof(src)));
		for (size_t i = 0; i < n;) {
			uint32_t cp;
			unsigned len = utf8_decode(buf + i, n - i, &cp);

			assert_true(len && cp >= ' ');
			i += len;
		}
	}
}

static void columns_are_those_of_a_terminal(void **state)
{
	size_t fit;

	(void)state;
	assert_int_equal(escape_columns(LIT("abc"), 2, &fit), 3);
	assert_int_equal(fit, 2);
	assert_int_equal(escape_columns(LIT("\xe6\xbc\xa2\xe5\xad\x97"), 3, &fit), 4);
	assert_int_equal(fit, 3);
	assert_int_equal(escape_columns(LIT("e\xcc\x81x"), 1, &fit), 2);
	assert_int_equal(fit, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_escapes_what_steers_a_terminal),
		cmocka_unit_test(message_keeps_backslashes),
		cmocka_unit_test(shell_words),
		cmocka_unit_test(json_is_always_valid),
		cmocka_unit_test(small_buffers_hold_whole_pieces),
		cmocka_unit_test(any_bytes_fit),
		cmocka_unit_test(columns_are_those_of_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
