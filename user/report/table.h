/* SPDX-License-Identifier: MIT */
/*
 * table: columns of text, as wide as they must be, 100 terminal columns at most.
 *
 * Cells are UTF-8 and already safe. The gap between columns is one blank, or two as far as there is room;
 * if even one is too many, the first column is cut. Memory that runs out shows as an empty cell.
 */
#ifndef PT_REPORT_TABLE_H
#define PT_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TABLE_COLUMNS_MAX 12
#define TABLE_WIDTH_MAX 100

struct table_column {
	const char *title, *unit; /* two lines of head; unit may be NULL */
	bool left;
};

struct table {
	const struct table_column *column; /* borrowed */
	size_t columns;
	char **cell; /* rows × columns; NULL: empty */
	size_t rows, row_cap;
};

void table_init(struct table *t, const struct table_column *column, size_t columns);
/* Begins a row; false: no memory. */
bool table_row(struct table *t);
/* Sets a cell of the last row. */
void table_set(struct table *t, size_t column, const char *text);
/* Prints head and rows, indented by @indent; @head and @tail (colour) go around the head. */
void table_print(const struct table *t, FILE *f, size_t indent, const char *head, const char *tail);
void table_free(struct table *t);

#endif
