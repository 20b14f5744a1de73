/* SPDX-License-Identifier: MIT */
/*
 * escape: strings that processes chose, made safe to show. Pure functions; any thread.
 *
 * Source strings hold any bytes (NUL too) and need no terminator. Every function writes at most @cap
 * bytes, the final NUL included, stops before a piece that does not fit, and returns the number of
 * bytes written without that NUL. A buffer of the *_MAX(n) size always suffices.
 *
 * What is dangerous: control characters, DEL, C1 controls (U+0080…U+009F), bidirectional and invisible
 * format characters, line and paragraph separator, and bytes that are no valid UTF-8.
 */
#ifndef PT_BASE_ESCAPE_H
#define PT_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ESCAPE_TEXT_MAX(n) (4 * (n) + 1)
#define ESCAPE_SHELL_MAX(n) (4 * (n) + 4)
#define ESCAPE_JSON_MAX(n) (6 * (n) + 1)

/* Length of the valid UTF-8 sequence at @p (1…4) and its code point; 0: there is none. */
unsigned utf8_decode(const char *p, size_t n, uint32_t *cp);

/* For terminals: dangerous bytes become \n, \t, \r or \xNN, a backslash becomes \\, so that the
 * bytes can be told back. */
size_t escape_text(char *dst, size_t cap, const char *src, size_t n);

/* The same, but a backslash stays: for sentences that may hold escaped text already. */
size_t escape_message(char *dst, size_t cap, const char *src, size_t n);

/* One word of a command line that bash reads back as the same bytes: plain, 'quoted', or $'…' where
 * something dangerous had to be escaped. An empty word is ''. */
size_t escape_shell(char *dst, size_t cap, const char *src, size_t n);

/*
 * The inside of a JSON string, without its quotes; always valid UTF-8 and valid JSON. Dangerous
 * characters become \uXXXX. A byte that is no valid UTF-8 becomes U+FFFD, as JSON cannot hold it;
 * @replaced (may be NULL) is then set to true, else left alone.
 */
size_t escape_json(char *dst, size_t cap, const char *src, size_t n, bool *replaced);

/* Terminal columns of @n bytes of escaped text: wide East Asian characters and emoji take two, combining
 * marks none. If @fit is not NULL, it gets how many bytes fit in @max columns. */
size_t escape_columns(const char *s, size_t n, size_t max, size_t *fit);

#endif
