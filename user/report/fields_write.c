// SPDX-License-Identifier: MIT
#include "report/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

void json_write_real(FILE *f, double v)
{
	char text[40];

	if (!isfinite(v)) {
		fputs("null", f);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	fputs(text, f);
}

void json_write_text(FILE *f, const char *s)
{
	char piece[ESCAPE_JSON_MAX(64)];
	size_t n = strlen(s);

	fputc('"', f);
	while (n) {
		size_t take = n < 64 ? n : 64;

		/* Not in the middle of a UTF-8 sequence. */
		while (take < n && take > 60 && ((unsigned char)s[take] & 0xc0) == 0x80)
			take--;
		escape_json(piece, sizeof(piece), s, take, NULL);
		fputs(piece, f);
		s += take;
		n -= take;
	}
	fputc('"', f);
}

static void indent(FILE *f, unsigned depth)
{
	fprintf(f, "\n%*s", (int)depth * 2, "");
}

static void write_list(FILE *f, const struct field *field, const void *base, unsigned depth)
{
	size_t n = field->list->count(base);

	fputc('[', f);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", f);
		indent(f, depth + 1);
		fields_write(f, field->sub, field->list->at(base, i), depth + 1);
	}
	if (n)
		indent(f, depth);
	fputc(']', f);
}

static void write_count(FILE *f, uint64_t v)
{
	if (v == UINT64_MAX)
		fputs("null", f);
	else
		fprintf(f, "%" PRIu64, v);
}

static void write_value(FILE *f, const struct field *field, const void *base, unsigned depth)
{
	const void *p = (const char *)base + field->offset;

	if (field->has && !field->has(base)) {
		fputs("null", f);
		return;
	}
	switch (field->type) {
	case FIELD_BOOL:
		fputs(*(const bool *)p ? "true" : "false", f);
		break;
	case FIELD_U32:
		fprintf(f, "%" PRIu32, *(const uint32_t *)p);
		break;
	case FIELD_U64:
		fprintf(f, "%" PRIu64, *(const uint64_t *)p);
		break;
	case FIELD_COUNT:
		write_count(f, *(const uint64_t *)p);
		break;
	case FIELD_I64:
		fprintf(f, "%" PRId64, *(const int64_t *)p);
		break;
	case FIELD_REAL:
		json_write_real(f, field->compute ? field->compute(base) : *(const double *)p);
		break;
	case FIELD_TEXT:
		json_write_text(f, p);
		break;
	case FIELD_OBJECT:
		fields_write(f, field->sub, p, depth);
		break;
	case FIELD_LIST:
		write_list(f, field, base, depth);
		break;
	case FIELD_CONST:
		json_write_text(f, field->text);
		break;
	case FIELD_NULL:
		fputs("null", f);
		break;
	}
}

static bool is_plain(const struct field *fields)
{
	for (const struct field *i = fields; i->key; i++)
		if (i->sub)
			return false;
	return true;
}

void fields_write(FILE *f, const struct field *fields, const void *base, unsigned depth)
{
	bool plain = is_plain(fields);

	fputc('{', f);
	for (const struct field *i = fields; i->key; i++) {
		if (i != fields)
			fputs(plain ? ", " : ",", f);
		if (!plain)
			indent(f, depth + 1);
		fprintf(f, "\"%s\": ", i->key);
		write_value(f, i, base, depth + 1);
	}
	if (!plain)
		indent(f, depth);
	fputc('}', f);
}
