// SPDX-License-Identifier: MIT
#include "report/fields.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Where in the file we are, for the sentence to the user: "runs[3].load.launches". */
struct place {
	const struct place *above;
	const char *key;
	size_t index;
	bool is_index;
};

static void place_text(const struct place *at, char *text, size_t len)
{
	size_t n;

	text[0] = '\0';
	if (!at)
		return;
	place_text(at->above, text, len);
	n = strlen(text);
	if (at->is_index)
		snprintf(text + n, len - n, "[%zu]", at->index);
	else
		snprintf(text + n, len - n, "%s%s", n ? "." : "", at->key);
}

static int refuse(const struct place *at, struct err *e, const char *what)
{
	char where[160];

	place_text(at, where, sizeof(where));
	return err_set(e, -EINVAL, "%s %s", where, what);
}

static int read_fields(const struct field *fields, void *base, const json_t *object,
		       const struct place *above, struct err *e);

static int read_bool(const struct field *field, void *p, const json_t *v, const struct place *at,
		     struct err *e)
{
	(void)field;
	if (!json_is_boolean(v))
		return refuse(at, e, "must be true or false");
	*(bool *)p = json_is_true(v);
	return 0;
}

static int read_u64(const struct field *field, void *p, const json_t *v, const struct place *at,
		    struct err *e)
{
	(void)field;
	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return refuse(at, e, "must be a whole number, 0 or more");
	*(uint64_t *)p = (uint64_t)json_integer_value(v);
	return 0;
}

static int read_u32(const struct field *field, void *p, const json_t *v, const struct place *at,
		    struct err *e)
{
	uint64_t wide = 0;
	int rc = read_u64(field, &wide, v, at, e);

	if (rc)
		return rc;
	if (wide > UINT32_MAX)
		return refuse(at, e, "is too large");
	*(uint32_t *)p = (uint32_t)wide;
	return 0;
}

static int read_count(const struct field *field, void *p, const json_t *v, const struct place *at,
		      struct err *e)
{
	if (json_is_null(v)) {
		*(uint64_t *)p = UINT64_MAX;
		return 0;
	}
	return read_u64(field, p, v, at, e);
}

static int read_i64(const struct field *field, void *p, const json_t *v, const struct place *at,
		    struct err *e)
{
	(void)field;
	if (!json_is_integer(v))
		return refuse(at, e, "must be a whole number");
	*(int64_t *)p = json_integer_value(v);
	return 0;
}

static int read_real(const struct field *field, void *p, const json_t *v, const struct place *at,
		     struct err *e)
{
	(void)field;
	if (json_is_null(v)) {
		*(double *)p = NAN;
		return 0;
	}
	if (!json_is_number(v) || json_number_value(v) < 0)
		return refuse(at, e, "must be a number, 0 or more");
	*(double *)p = json_number_value(v);
	return 0;
}

static int read_text(const struct field *field, void *p, const json_t *v, const struct place *at,
		     struct err *e)
{
	if (!json_is_string(v))
		return refuse(at, e, "must be a string");
	if (json_string_length(v) >= field->size)
		return refuse(at, e, "is too long a string");
	memcpy(p, json_string_value(v), json_string_length(v) + 1);
	return 0;
}

static int read_object(const struct field *field, void *p, const json_t *v, const struct place *at,
		       struct err *e)
{
	return read_fields(field->sub, p, v, at, e);
}

static int read_list(const struct field *field, void *base, const json_t *v, const struct place *at,
		     struct err *e)
{
	size_t i;
	json_t *item;

	if (!json_is_array(v))
		return refuse(at, e, "must be a list");
	json_array_foreach(v, i, item)
	{
		struct place here = { .above = at, .index = i, .is_index = true };
		void *element = field->list->add(base);
		int rc;

		if (!element) {
			char what[80];

			snprintf(what, sizeof(what), "is more than can be read (%s)",
				 field->list->limit);
			return refuse(&here, e, what);
		}
		rc = read_fields(field->sub, element, item, &here, e);
		if (rc)
			return rc;
	}
	return 0;
}

static int read_nothing(const struct field *field, void *p, const json_t *v, const struct place *at,
			struct err *e)
{
	(void)field, (void)p, (void)v, (void)at, (void)e;
	return 0;
}

typedef int (*read_fn)(const struct field *field, void *p, const json_t *v, const struct place *at,
		       struct err *e);

static const read_fn readers[] = {
	[FIELD_BOOL] = read_bool,     [FIELD_U32] = read_u32,	    [FIELD_U64] = read_u64,
	[FIELD_COUNT] = read_count,   [FIELD_I64] = read_i64,	    [FIELD_REAL] = read_real,
	[FIELD_TEXT] = read_text,     [FIELD_OBJECT] = read_object, [FIELD_LIST] = read_list,
	[FIELD_CONST] = read_nothing, [FIELD_NULL] = read_nothing,
};

static int read_field(const struct field *field, void *base, const json_t *object,
		      const struct place *above, struct err *e)
{
	struct place here = { .above = above, .key = field->key };
	const json_t *v = json_object_get(object, field->key);
	int rc;

	if (field->derived || (!v && field->optional))
		return 0;
	if (!v)
		return refuse(&here, e, "is missing");
	if (field->has && json_is_null(v))
		return 0;
	rc = readers[field->type](field, (char *)base + field->offset, v, &here, e);
	if (!rc && field->mark)
		field->mark(base);
	return rc;
}

static int read_fields(const struct field *fields, void *base, const json_t *object,
		       const struct place *above, struct err *e)
{
	if (!json_is_object(object))
		return refuse(above, e, "must be an object");
	for (const struct field *i = fields; i->key; i++) {
		int rc = read_field(i, base, object, above, e);

		if (rc)
			return rc;
	}
	return 0;
}

int fields_read(const struct field *fields, void *base, const json_t *object, struct err *e)
{
	return read_fields(fields, base, object, NULL, e);
}
