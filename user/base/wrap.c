// SPDX-License-Identifier: MIT
#include "base/wrap.h"

#include <string.h>

#include "base/escape.h"

void wrap_print(FILE *to, const char *text, size_t column, size_t indent)
{
	bool first_of_line = true;

	if (column < indent)
		column += (size_t)fprintf(to, "%*s", (int)(indent - column), "");
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t len = strcspn(text, " ");
		size_t width = escape_columns(text, len, SIZE_MAX, NULL);

		if (!first_of_line && column + 1 + width > WRAP_COLUMNS) {
			fprintf(to, "\n%*s", (int)indent, "");
			column = indent;
			first_of_line = true;
		}
		fprintf(to, "%s%.*s", first_of_line ? "" : " ", (int)len, text);
		column += width + !first_of_line;
		first_of_line = false;
		text += len;
	}
	fputc('\n', to);
}
