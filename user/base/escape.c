// SPDX-License-Identifier: MIT
#include "base/escape.h"

#include <string.h>

static const char hex_digits[] = "0123456789abcdef";

/* What a byte needs: 0 stands for itself everywhere. */
enum {
	SHELL_QUOTE = 1, /* must be quoted in a shell word */
	JSON_SPECIAL = 2, /* " or backslash */
	BACKSLASH = 4,
	CONTROL = 8,
	HIGH = 16, /* part of a UTF-8 sequence, or invalid */
};

#define SQ SHELL_QUOTE

static const uint8_t byte_class[256] = {
	[0 ... 0x1f] = CONTROL | SQ,
	[0x7f] = CONTROL | SQ,
	[0x80 ... 0xff] = HIGH,
	['\\'] = SQ | JSON_SPECIAL | BACKSLASH,
	['"'] = SQ | JSON_SPECIAL,
	[' '] = SQ,
	['!'] = SQ,
	['#'] = SQ,
	['$'] = SQ,
	['&'] = SQ,
	['\''] = SQ,
	['('] = SQ,
	[')'] = SQ,
	['*'] = SQ,
	[';'] = SQ,
	['<'] = SQ,
	['>'] = SQ,
	['?'] = SQ,
	['['] = SQ,
	[']'] = SQ,
	['^'] = SQ,
	['`'] = SQ,
	['{'] = SQ,
	['|'] = SQ,
	['}'] = SQ,
	['~'] = SQ,
};

struct range {
	uint32_t from, to;
};

static bool range_has(const struct range *r, size_t n, uint32_t cp)
{
	for (size_t i = 0; i < n; i++)
		if (cp >= r[i].from && cp <= r[i].to)
			return true;
	return false;
}

#define RANGE_HAS(table, cp) range_has(table, sizeof(table) / sizeof(table[0]), cp)

/* Characters that steer a terminal, reorder what is around them, or hide. */
static bool is_dangerous(uint32_t cp)
{
	static const struct range dangerous[] = {
		{ 0x80, 0x9f },	    { 0xad, 0xad },	{ 0x61c, 0x61c },     { 0x180e, 0x180e },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },   { 0xfeff, 0xfeff },
		{ 0xfff0, 0xfffb }, { 0xfffe, 0xffff }, { 0xe0000, 0xe0fff },
	};

	return RANGE_HAS(dangerous, cp);
}

unsigned utf8_decode(const char *p, size_t n, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint8_t lead;
	unsigned len;
	uint32_t c;

	if (!n)
		return 0;
	lead = (uint8_t)*p;
	if (lead < 0x80) {
		*cp = lead;
		return 1;
	}
	len = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
	if (lead < 0xc2 || lead > 0xf4 || len > n)
		return 0;
	c = lead & (0x7fU >> len);
	for (unsigned i = 1; i < len; i++) {
		if (((uint8_t)p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | ((uint8_t)p[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*cp = c;
	return len;
}

/* Where escaped text is being built. */
struct out {
	char *p;
	size_t n, cap; /* cap without the final NUL */
	bool full;
};

static struct out out_init(char *dst, size_t cap)
{
	return (struct out){ .p = dst, .cap = cap ? cap - 1 : 0, .full = !cap };
}

static size_t out_end(struct out *o, size_t cap)
{
	if (cap)
		o->p[o->n] = '\0';
	return o->n;
}

static void out_piece(struct out *o, const char *s, size_t n)
{
	if (o->full || n > o->cap - o->n) {
		o->full = true;
		return;
	}
	memcpy(o->p + o->n, s, n);
	o->n += n;
}

/* Copies the run of bytes at @src that need nothing of @mask; returns its length. */
static size_t out_run(struct out *o, const char *src, size_t n, unsigned mask)
{
	size_t run = 0;

	if (o->full)
		return 0;
	if (n > o->cap - o->n)
		n = o->cap - o->n;
	while (run < n && !(byte_class[(uint8_t)src[run]] & mask)) {
		o->p[o->n + run] = src[run];
		run++;
	}
	o->n += run;
	return run;
}

/* Whether a UTF-8 sequence that may be shown as it is stands at @src; @len: its length, 0 if invalid. */
static bool is_printable(const char *src, size_t n, unsigned *len, uint32_t *cp)
{
	*len = utf8_decode(src, n, cp);
	return *len && !is_dangerous(*cp);
}

/* Escapes one byte as \n, \\, \xNN. */
static void out_c_escape(struct out *o, uint8_t c)
{
	static const char named[256] = {
		['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't', ['\\'] = '\\', ['\''] = '\'',
	};
	char s[4] = { '\\', 'x', hex_digits[c >> 4], hex_digits[c & 15] };

	if (named[c]) {
		s[1] = named[c];
		out_piece(o, s, 2);
	} else {
		out_piece(o, s, 4);
	}
}

/* Copies text with dangerous bytes, and those whose class is in @mask, as C escapes. */
static void out_text(struct out *o, const char *src, size_t n, unsigned mask)
{
	size_t i = 0;

	while (i < n && !o->full) {
		unsigned len;
		uint32_t cp;
		size_t run = out_run(o, src + i, n - i, mask | CONTROL | HIGH);

		i += run;
		if (i == n)
			break;
		if ((byte_class[(uint8_t)src[i]] & HIGH) &&
		    is_printable(src + i, n - i, &len, &cp)) {
			out_piece(o, src + i, len);
			i += len;
			continue;
		}
		out_c_escape(o, (uint8_t)src[i++]);
	}
}

size_t escape_text(char *dst, size_t cap, const char *src, size_t n)
{
	struct out o = out_init(dst, cap);

	out_text(&o, src, n, BACKSLASH);
	return out_end(&o, cap);
}

size_t escape_message(char *dst, size_t cap, const char *src, size_t n)
{
	struct out o = out_init(dst, cap);

	out_text(&o, src, n, 0);
	return out_end(&o, cap);
}

enum shell_form { SHELL_PLAIN, SHELL_QUOTED, SHELL_ESCAPED };

/* The simplest form that bash reads back as the same bytes. */
static enum shell_form shell_form(const char *src, size_t n)
{
	enum shell_form form = n ? SHELL_PLAIN : SHELL_QUOTED;
	unsigned len;
	uint32_t cp;

	for (size_t i = 0; i < n; i++) {
		unsigned class = byte_class[(uint8_t)src[i]];

		if (!class)
			continue;
		if ((class & CONTROL) || src[i] == '\'')
			return SHELL_ESCAPED;
		if (class & HIGH) {
			if (!is_printable(src + i, n - i, &len, &cp))
				return SHELL_ESCAPED;
			i += len - 1;
		} else {
			form = SHELL_QUOTED;
		}
	}
	return form;
}

/* The inside of $'…': a quote must be escaped beside what out_text() escapes. */
static void out_shell_escaped(struct out *o, const char *src, size_t n)
{
	while (n && !o->full) {
		const char *quote = memchr(src, '\'', n);
		size_t run = quote ? (size_t)(quote - src) : n;

		out_text(o, src, run, BACKSLASH);
		if (quote) {
			out_piece(o, "\\'", 2);
			run++;
		}
		src += run;
		n -= run;
	}
}

size_t escape_shell(char *dst, size_t cap, const char *src, size_t n)
{
	struct out o = out_init(dst, cap);

	switch (shell_form(src, n)) {
	case SHELL_PLAIN:
		out_piece(&o, src, n);
		break;
	case SHELL_QUOTED:
		out_piece(&o, "'", 1);
		out_piece(&o, src, n);
		out_piece(&o, "'", 1);
		break;
	case SHELL_ESCAPED:
		out_piece(&o, "$'", 2);
		out_shell_escaped(&o, src, n);
		out_piece(&o, "'", 1);
		break;
	}
	return out_end(&o, cap);
}

/* \uXXXX, as a surrogate pair above the basic plane. */
static void out_json_unicode(struct out *o, uint32_t cp)
{
	uint16_t unit[2] = { (uint16_t)cp, 0 };
	unsigned n = 1;
	char s[12];

	if (cp > 0xffff) {
		unit[0] = (uint16_t)(0xd800 + ((cp - 0x10000) >> 10));
		unit[1] = (uint16_t)(0xdc00 + ((cp - 0x10000) & 0x3ff));
		n = 2;
	}
	for (unsigned i = 0; i < n; i++) {
		memcpy(s + 6 * i, "\\u", 2);
		for (unsigned d = 0; d < 4; d++)
			s[6 * i + 2 + d] = hex_digits[unit[i] >> (12 - 4 * d) & 15];
	}
	out_piece(o, s, 6 * n);
}

static void out_json_ascii(struct out *o, uint8_t c)
{
	static const char named[256] = {
		['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't', ['"'] = '"', ['\\'] = '\\'
	};
	const char s[2] = { '\\', named[c] };

	if (named[c])
		out_piece(o, s, 2);
	else
		out_json_unicode(o, c);
}

size_t escape_json(char *dst, size_t cap, const char *src, size_t n, bool *replaced)
{
	struct out o = out_init(dst, cap);
	size_t i = 0;

	while (i < n && !o.full) {
		unsigned len;
		uint32_t cp;

		i += out_run(&o, src + i, n - i, JSON_SPECIAL | CONTROL | HIGH);
		if (i == n || o.full)
			break;
		if (!(byte_class[(uint8_t)src[i]] & HIGH)) {
			out_json_ascii(&o, (uint8_t)src[i++]);
			continue;
		}
		if (is_printable(src + i, n - i, &len, &cp)) {
			out_piece(&o, src + i, len);
		} else if (len) {
			out_json_unicode(&o, cp);
		} else {
			out_piece(&o, "\xef\xbf\xbd", 3);
			len = 1;
			if (replaced)
				*replaced = true;
		}
		i += len;
	}
	return out_end(&o, cap);
}

static unsigned columns_of(uint32_t cp)
{
	static const struct range none[] = { { 0x300, 0x36f },	 { 0x483, 0x489 },
					     { 0x591, 0x5bd },	 { 0x64b, 0x65f },
					     { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
					     { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f },
					     { 0xfe20, 0xfe2f } };
	static const struct range two[] = { { 0x1100, 0x115f },	  { 0x2e80, 0x303e },
					    { 0x3041, 0xa4cf },	  { 0xac00, 0xd7a3 },
					    { 0xf900, 0xfaff },	  { 0xfe30, 0xfe6f },
					    { 0xff00, 0xff60 },	  { 0xffe0, 0xffe6 },
					    { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff },
					    { 0x1f900, 0x1faff }, { 0x20000, 0x3fffd } };

	if (cp < 0x300)
		return 1;
	return RANGE_HAS(none, cp) ? 0 : RANGE_HAS(two, cp) ? 2 : 1;
}

size_t escape_columns(const char *s, size_t n, size_t max, size_t *fit)
{
	size_t columns = 0, i = 0, fits = 0;

	while (i < n) {
		uint32_t cp = '?';
		unsigned len = utf8_decode(s + i, n - i, &cp);

		columns += columns_of(cp);
		i += len ? len : 1;
		if (columns <= max)
			fits = i;
	}
	if (fit)
		*fit = fits;
	return columns;
}
