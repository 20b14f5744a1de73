// SPDX-License-Identifier: MIT
#include "report/table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

void table_init(struct table *t, const struct table_column *column, size_t columns)
{
	*t = (struct table){ .column = column, .columns = columns };
}

bool table_row(struct table *t)
{
	if (t->rows == t->row_cap) {
		size_t cap = t->row_cap ? 2 * t->row_cap : 8;
		char **cell = reallocarray(t->cell, cap * t->columns, sizeof(*cell));

		if (!cell)
			return false;
		t->cell = cell;
		t->row_cap = cap;
	}
	memset(t->cell + t->rows * t->columns, 0, t->columns * sizeof(*t->cell));
	t->rows++;
	return true;
}

void table_set(struct table *t, size_t column, const char *text)
{
	char **cell;

	if (!t->rows)
		return;
	cell = &t->cell[(t->rows - 1) * t->columns + column];
	free(*cell);
	*cell = strdup(text);
}

static size_t width_of(const char *s)
{
	return s ? escape_columns(s, strlen(s), SIZE_MAX, NULL) : 0;
}

static size_t column_width(const struct table *t, size_t c)
{
	size_t width = width_of(t->column[c].title), unit = width_of(t->column[c].unit);

	if (unit > width)
		width = unit;
	for (size_t r = 0; r < t->rows; r++) {
		size_t cell = width_of(t->cell[r * t->columns + c]);

		if (cell > width)
			width = cell;
	}
	return width;
}

struct layout {
	size_t width[TABLE_COLUMNS_MAX], gap[TABLE_COLUMNS_MAX];
};

/* Whether a cell, not only the head, is as wide as its column: it would stand close to the one before. */
static bool is_tight(const struct table *t, size_t c, size_t width)
{
	for (size_t r = 0; r < t->rows; r++)
		if (width_of(t->cell[r * t->columns + c]) == width)
			return true;
	return false;
}

/* Widens gaps to two blanks as far as there is room, first those that need it most. */
static void widen_gaps(const struct table *t, size_t room, struct layout *l)
{
	for (int tight = 1; tight >= 0; tight--)
		for (size_t c = 1; c < t->columns && room; c++)
			if (l->gap[c] == 1 && (!tight || is_tight(t, c, l->width[c]))) {
				l->gap[c]++;
				room--;
			}
}

static void lay_out(const struct table *t, size_t indent, struct layout *l)
{
	size_t total = indent;

	for (size_t c = 0; c < t->columns; c++) {
		l->width[c] = column_width(t, c);
		l->gap[c] = c ? 1 : indent;
		total += l->width[c] + (c ? 1 : 0);
	}
	if (total > TABLE_WIDTH_MAX) {
		size_t over = total - TABLE_WIDTH_MAX, least = 4;

		l->width[0] = l->width[0] > over + least ? l->width[0] - over : least;
	} else {
		widen_gaps(t, TABLE_WIDTH_MAX - total, l);
	}
}

static void pad(FILE *f, size_t n)
{
	fprintf(f, "%*s", (int)n, "");
}

/* Prints @text in @width columns, cut with "…" if it is wider; returns the columns left over. */
static size_t print_cut(FILE *f, const char *text, size_t width)
{
	size_t fit = strlen(text), wide = escape_columns(text, fit, width - 1, &fit);

	if (wide <= width) {
		fputs(text, f);
		return width - wide;
	}
	fwrite(text, 1, fit, f);
	fputs("…", f);
	return width - 1 - escape_columns(text, fit, SIZE_MAX, NULL);
}

/* One line; nothing is padded after the last cell that holds something. */
static void print_line(FILE *f, const struct table *t, const struct layout *l,
		       const char *(*text)(const struct table *t, size_t row, size_t c), size_t row)
{
	size_t owed = 0;

	for (size_t c = 0; c < t->columns; c++) {
		const char *s = text(t, row, c);
		size_t width = width_of(s);

		owed += l->gap[c];
		if (!s || !*s) {
			owed += l->width[c];
			continue;
		}
		if (!t->column[c].left && width < l->width[c])
			owed += l->width[c] - width;
		pad(f, owed);
		owed = print_cut(f, s, l->width[c]);
		if (!t->column[c].left)
			owed = 0;
	}
	fputc('\n', f);
}

static const char *title_text(const struct table *t, size_t row, size_t c)
{
	return row ? t->column[c].unit : t->column[c].title;
}

static const char *cell_text(const struct table *t, size_t row, size_t c)
{
	return t->cell[row * t->columns + c];
}

void table_print(const struct table *t, FILE *f, size_t indent, const char *head, const char *tail)
{
	struct layout l;
	bool units = false;

	lay_out(t, indent, &l);
	for (size_t c = 0; c < t->columns; c++)
		units = units || t->column[c].unit;
	for (size_t i = 0; i < (units ? 2U : 1U); i++) {
		fputs(head, f);
		print_line(f, t, &l, title_text, i);
	}
	fputs(tail, f);
	for (size_t r = 0; r < t->rows; r++)
		print_line(f, t, &l, cell_text, r);
}

void table_free(struct table *t)
{
	for (size_t i = 0; i < t->rows * t->columns; i++)
		free(t->cell[i]);
	free(t->cell);
	*t = (struct table){ 0 };
}
