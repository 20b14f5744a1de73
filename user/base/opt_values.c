// SPDX-License-Identifier: MIT
#include "base/opt.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define DIGITS "0123456789"

int opt_flag(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	(void)opt, (void)value, (void)e;
	*(bool *)dst = true;
	return 0;
}

int opt_string(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	if (!*value)
		return err_set(e, -EINVAL, "is empty; give %s", opt->arg);
	*(const char **)dst = value;
	return 0;
}

/* Reads decimal digits at *@p and moves it behind them. -EINVAL: none there; -ERANGE: too large. */
static int read_u64(const char **p, uint64_t *out)
{
	uint64_t v = 0;

	if (!isdigit((unsigned char)**p))
		return -EINVAL;
	for (; isdigit((unsigned char)**p); (*p)++)
		if (__builtin_mul_overflow(v, 10U, &v) ||
		    __builtin_add_overflow(v, (unsigned)(**p - '0'), &v))
			return -ERANGE;
	*out = v;
	return 0;
}

static int bounds_check(const struct opt *opt, uint64_t v, struct err *e)
{
	const struct opt_bounds *b = opt->data;

	if (!b || (v >= b->min && v <= b->max))
		return 0;
	return err_set(e, -EINVAL, "is out of range; give %s", b->text);
}

static int parse_whole(const char *value, uint64_t max, uint64_t *out, struct err *e)
{
	const char *p = value;
	int r = read_u64(&p, out);

	if (r == -EINVAL || (!r && *p))
		return err_set(e, -EINVAL, "is not a whole number; give 0, 1, 2, …");
	if (r || *out > max)
		return err_set(e, -EINVAL, "is too large; at most %llu", (unsigned long long)max);
	return 0;
}

int opt_u32(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	uint64_t v;
	int r = parse_whole(value, UINT32_MAX, &v, e);

	if (!r)
		r = bounds_check(opt, v, e);
	if (!r)
		*(uint32_t *)dst = (uint32_t)v;
	return r;
}

int opt_u64(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	uint64_t v;
	int r = parse_whole(value, UINT64_MAX, &v, e);

	if (!r)
		r = bounds_check(opt, v, e);
	if (!r)
		*(uint64_t *)dst = v;
	return r;
}

/* Reads DIGITS[.DIGITS] (no sign, no exponent, no "inf") and moves *@p behind it. */
static bool read_decimal(const char **p, double *out)
{
	const char *q = *p;
	size_t whole = strspn(q, DIGITS), fraction = 0;

	q += whole;
	if (*q == '.') {
		fraction = strspn(q + 1, DIGITS);
		if (!fraction)
			return false;
		q += 1 + fraction;
	}
	if (!whole && !fraction)
		return false;
	/* strtod() would read on into an exponent or a hexadecimal prefix. */
	if (*q == 'e' || *q == 'E' || *q == 'x' || *q == 'X')
		return false;
	*out = strtod(*p, NULL);
	*p = q;
	return true;
}

int opt_double(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	const char *p = value;
	double v;

	(void)opt;
	if (!read_decimal(&p, &v) || *p)
		return err_set(e, -EINVAL, "is not a number; give one such as 1000 or 0.5");
	if (!(v > 0) || !isfinite(v))
		return err_set(e, -EINVAL, "is out of range; give a number above 0");
	*(double *)dst = v;
	return 0;
}

int opt_bytes(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	static const struct {
		const char *suffix;
		unsigned shift;
	} unit[] = { { "", 0 },	  { "K", 10 }, { "M", 20 },   { "G", 30 },   { "k", 10 },
		     { "m", 20 }, { "g", 30 }, { "KiB", 10 }, { "MiB", 20 }, { "GiB", 30 } };
	const char *p = value;
	uint64_t v;
	int r = read_u64(&p, &v);

	for (size_t i = 0; r != -EINVAL && i < sizeof(unit) / sizeof(unit[0]); i++) {
		/* After an overflow the rest of the digits is still there. */
		if (strcmp(p + strspn(p, DIGITS), unit[i].suffix) != 0)
			continue;
		if (r || v > (SIZE_MAX >> 1 >> unit[i].shift))
			return err_set(e, -EINVAL, "is too large for a size");
		r = bounds_check(opt, v << unit[i].shift, e);
		if (!r)
			*(size_t *)dst = (size_t)(v << unit[i].shift);
		return r;
	}
	return err_set(e, -EINVAL, "is not a size; give bytes, or 64K, 8M, 1G");
}

int opt_duration(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	static const struct {
		const char *suffix;
		double ns;
	} unit[] = { { "", 1e9 },   { "s", 1e9 },  { "ms", 1e6 }, { "us", 1e3 },  { "µs", 1e3 },
		     { "μs", 1e3 }, { "ns", 1.0 }, { "m", 60e9 }, { "h", 3600e9 } };
	const char *p = value;
	double v = 0;
	int r;

	if (read_decimal(&p, &v))
		for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++) {
			if (strcmp(p, unit[i].suffix) != 0)
				continue;
			v *= unit[i].ns;
			if (!(v < 9e18))
				return err_set(e, -EINVAL, "is too long for a duration");
			r = bounds_check(opt, (uint64_t)(v + 0.5), e);
			if (!r)
				*(uint64_t *)dst = (uint64_t)(v + 0.5);
			return r;
		}
	return err_set(e, -EINVAL,
		       "is not a duration; give seconds such as 2 or 1.5, or 3us, 10ms, 2m, 1h");
}

/* Appends to a text that is cut silently when full: these are error sentences. */
static void text_add(char *text, size_t size, const char *more)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s", more);
}

/* Index of @value (of @len bytes) among opt->data, or -EINVAL and a sentence that lists them. */
static int find_choice(const struct opt *opt, const char *value, size_t len, struct err *e)
{
	const char *const *choice = opt->data;
	char list[384] = "";
	int i;

	for (i = 0; choice[i]; i++) {
		if (strlen(choice[i]) == len && memcmp(choice[i], value, len) == 0)
			return i;
		if (i)
			text_add(list, sizeof(list), choice[i + 1] ? ", " : " or ");
		text_add(list, sizeof(list), choice[i]);
	}
	return err_set(e, -EINVAL, "is not known; give %s", list);
}

int opt_choice(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	int i = find_choice(opt, value, strlen(value), e);

	if (i < 0)
		return i;
	*(int *)dst = i;
	return 0;
}

int opt_range(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	const char *p = value;
	uint64_t from, to;
	int r = read_u64(&p, &from);

	(void)opt;
	to = from;
	if (!r && *p == '-') {
		p++;
		r = read_u64(&p, &to);
	}
	if (r == -ERANGE || (!r && (from > UINT32_MAX || to > UINT32_MAX)))
		return err_set(e, -EINVAL, "is too large; at most %u", UINT32_MAX);
	if (r || *p)
		return err_set(e, -EINVAL,
			       "is not a number or a range; give N, or A-B such as 3-10");
	if (!from || from > to)
		return err_set(e, -EINVAL,
			       "is no range that goes up from 1; give A-B such as 3-10");
	*(struct opt_range *)dst = (struct opt_range){ (uint32_t)from, (uint32_t)to };
	return 0;
}

/* Checks every item first: the text must be whole still when an error quotes it. */
static int list_check(const struct opt *opt, const char *value, unsigned room, struct err *e)
{
	for (const char *p = value;; p++) {
		size_t len = strcspn(p, ",");
		struct err why;

		if (!len)
			return err_set(e, -EINVAL, "has an empty item; give %s", opt->arg);
		if (!room--)
			return err_set(e, -EINVAL, "is one too many; at most %d", OPT_LIST_MAX);
		if (opt->data && find_choice(opt, p, len, &why) < 0)
			return err_set(e, -EINVAL, "has '%.*s', which %s",
				       (int)(len > 64 ? 64 : len), p, why.text);
		p += len;
		if (!*p)
			return 0;
	}
}

int opt_list(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	struct opt_list *list = dst;
	int r = list_check(opt, value, OPT_LIST_MAX - list->n, e);

	while (!r && value) {
		char *comma = strchr(value, ',');

		list->v[list->n++] = value;
		if (comma)
			*comma++ = '\0';
		value = comma;
	}
	return r;
}
