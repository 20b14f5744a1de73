/* SPDX-License-Identifier: MIT */
/* wrap: prints prose with a hanging indent. */
#ifndef PT_BASE_WRAP_H
#define PT_BASE_WRAP_H

#include <stdio.h>

#define WRAP_COLUMNS 100

/*
 * Prints @text to @to, broken at blanks so that no line exceeds WRAP_COLUMNS, and a newline. The first
 * line begins at column @column, where the caller's output stands; the others are indented by @indent.
 */
void wrap_print(FILE *to, const char *text, size_t column, size_t indent);

#endif
