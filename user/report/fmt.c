// SPDX-License-Identifier: MIT
#include "report/fmt.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "bench/reconcile.h"

/* "11332.5" → "11 332.5" */
static struct fmt group_digits(const char *plain)
{
	struct fmt out = { "" };
	size_t sign = *plain == '-', digits = strspn(plain + sign, "0123456789"), n = 0;

	if (digits < 4) {
		snprintf(out.s, sizeof(out.s), "%s", plain);
		return out;
	}
	for (size_t i = 0; plain[i] && n + sizeof(NBSP) + 1 < sizeof(out.s); i++) {
		if (i > sign && i < sign + digits && (sign + digits - i) % 3 == 0)
			n += (size_t)sprintf(out.s + n, NBSP);
		out.s[n++] = plain[i];
	}
	out.s[n] = '\0';
	return out;
}

struct fmt fmt_count(uint64_t n)
{
	char plain[24];

	if (n == LEDGER_UNKNOWN)
		return (struct fmt){ FMT_UNKNOWN };
	snprintf(plain, sizeof(plain), "%" PRIu64, n);
	return group_digits(plain);
}

struct fmt fmt_real(double v, int digits)
{
	char plain[48];
	int decimals;

	if (!isfinite(v))
		return (struct fmt){ FMT_NONE };
	if (v == 0)
		return (struct fmt){ "0" };
	if (fabs(v) >= 1e10) { /* no figure of a real run */
		snprintf(plain, sizeof(plain), "%.3g", v);
		return group_digits(plain);
	}
	/* The exponent after rounding: 0.9996 of three digits is 1.00. */
	snprintf(plain, sizeof(plain), "%.*e", digits - 1, v);
	decimals = digits - 1 - atoi(strchr(plain, 'e') + 1);
	if (decimals < 0)
		decimals = 0;
	if (decimals > 9)
		decimals = 9;
	snprintf(plain, sizeof(plain), "%.*f", decimals, v);
	return group_digits(plain);
}

struct fmt fmt_percent(uint64_t part, uint64_t whole)
{
	struct fmt out = { FMT_NONE };
	unsigned __int128 scale = 100, share = 0, missing;
	int decimals;

	if (part == LEDGER_UNKNOWN || whole == LEDGER_UNKNOWN)
		return (struct fmt){ FMT_UNKNOWN };
	if (!whole)
		return out;
	if (part == whole || !part)
		return (struct fmt){ .s = { part ? '1' : '0', part ? '0' : 0, part ? '0' : 0 } };
	if (part > whole) /* only in a report that contradicts itself */
		return (struct fmt){ "> 100" };
	for (decimals = 0; decimals < 12; decimals++, scale *= 10) {
		share = scale * part / whole;
		missing = scale * (whole - part) / whole;
		if (decimals && share && missing)
			break;
	}
	if (decimals == 12) {
		decimals = 11;
		scale /= 10;
	}
	scale /= 100;
	snprintf(out.s, sizeof(out.s), "%u.%0*" PRIu64, (unsigned)(share / scale), decimals,
		 (uint64_t)(share % scale));
	return out;
}

struct fmt fmt_bound(double v)
{
	double step = v > 0 ? pow(10, floor(log10(v))) : 1;

	return fmt_real(ceil(v / step - 1e-9) * step, 1);
}

struct fmt fmt_time(double ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "µs" }, { 1, "ns" } };
	struct fmt out = { "0" };

	if (!isfinite(ns))
		return (struct fmt){ FMT_NONE };
	for (size_t i = 0; ns > 0 && i < sizeof(units) / sizeof(*units); i++)
		/* From 0.9995 on, three digits would round to 1000 of the smaller unit. */
		if (ns >= 0.9995 * units[i].ns || units[i].ns == 1) {
			double v = ns / units[i].ns;
			struct fmt figure = fmt_real(v, v >= 100 ? 3 : 2);
			size_t n = strlen(figure.s);

			if (n > 2 && strcmp(figure.s + n - 2, ".0") == 0) /* 2 s, not 2.0 s */
				figure.s[n - 2] = '\0';

			snprintf(out.s, sizeof(out.s), "%.40s" NBSP "%s", figure.s, units[i].unit);
			break;
		}
	return out;
}

struct fmt fmt_bytes(uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	struct fmt out;
	size_t i = 0;

	while (bytes && bytes % 1024 == 0 && i + 1 < sizeof(units) / sizeof(*units)) {
		bytes /= 1024;
		i++;
	}
	snprintf(out.s, sizeof(out.s), "%.40s" NBSP "%s", fmt_count(bytes).s, units[i]);
	return out;
}

struct fmt fmt_date(int64_t unix_s)
{
	struct fmt out = { FMT_NONE };
	time_t t = (time_t)unix_s;
	struct tm tm;

	/* Years of four digits; others are no date of a report. */
	if (unix_s <= 0 || unix_s > 253402300799 || !gmtime_r(&t, &tm))
		return out;
	strftime(out.s, sizeof(out.s), "%Y-%m-%d" NBSP "%H:%M" NBSP "UTC", &tm);
	return out;
}

struct fmt_name fmt_name(const char *text)
{
	struct fmt_name out;

	escape_text(out.s, sizeof(out.s), text, strlen(text));
	return out;
}

void line_add(struct line *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->s + l->n, sizeof(l->s) - l->n, fmt, ap);
	va_end(ap);
	if (n > 0)
		l->n += (size_t)n;
	if (l->n >= sizeof(l->s))
		l->n = sizeof(l->s) - 1;
}

const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}
