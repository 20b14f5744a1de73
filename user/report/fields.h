/* SPDX-License-Identifier: MIT */
/*
 * fields: structs described by tables, so that one walk writes them as JSON and another reads them back.
 *
 * Knows nothing of what the fields mean; the tables are in result_fields.c. Pure but for the streams.
 */
#ifndef PT_REPORT_FIELDS_H
#define PT_REPORT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/err.h"

enum field_type {
	FIELD_BOOL,
	FIELD_U32,
	FIELD_U64,
	FIELD_COUNT, /* uint64_t; UINT64_MAX (not known) is null */
	FIELD_I64,
	FIELD_REAL, /* double, never negative where it is read; not finite: null */
	FIELD_TEXT, /* char[size] */
	FIELD_OBJECT, /* a struct inside, or (offset 0) a part of the same one */
	FIELD_LIST,
	FIELD_CONST, /* the text @text, whatever the struct holds */
	FIELD_NULL, /* a key kept for what is not measured yet */
};

struct field_list {
	size_t (*count)(const void *base);
	const void *(*at)(const void *base, size_t i);
	/* One more, zeroed; NULL when there is no room. */
	void *(*add)(void *base);
	const char *limit; /* for the sentence about no room: "at most 2" */
};

struct field {
	const char *key; /* NULL ends a table */
	enum field_type type;
	size_t offset, size;
	bool derived; /* written for those who read the file; computed anew after loading */
	bool optional; /* a key of later reports: where it is missing, the member stays zero */
	const struct field *sub; /* OBJECT, LIST */
	const struct field_list *list;
	const char *text;
	double (*compute)(const void *base); /* REAL that is no member */
	/* Where set: the field is null while has() says no, and mark() notes that it was not null. */
	bool (*has)(const void *base);
	void (*mark)(void *base);
};

/* Writes { … } at @depth (two spaces each); objects of plain values take one line. */
void fields_write(FILE *f, const struct field *fields, const void *base, unsigned depth);
/* Writes the JSON of one double: the shortest text that reads back as the same value. */
void json_write_real(FILE *f, double v);
void json_write_text(FILE *f, const char *s);

/*
 * Fills @base, zeroed by the caller, from @object. Unknown keys are left alone, missing ones are an error unless
 * they are optional, as keys are only ever added. @e names the field: "runs[3].load.launches is a string, …". 0, -EINVAL, -ENOMEM.
 */
int fields_read(const struct field *fields, void *base, const json_t *object, struct err *e);

#endif
