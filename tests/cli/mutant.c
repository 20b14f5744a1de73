// SPDX-License-Identifier: MIT
/* The self-test in memory and nothing else, so that it can be built quickly, again and again. */
#include <stdio.h>

#include "bench/selftest.h"

int main(void)
{
	size_t missed = 0;

	for (int style = 0; style < SYNTHETIC_STYLES; style++) {
		struct selftest_column col;
		struct err e;

		if (selftest_column_init(&col, "replay") ||
		    selftest_replay(&col, (enum synthetic_style)style, &e))
			return 2;
		for (size_t i = 0; i < col.rows; i++)
			if (col.row[i].fault && !col.row[i].exact)
				printf("%s: %s\n", col.row[i].fault->name, col.row[i].why);
		missed += col.missed;
		selftest_column_free(&col);
	}
	return missed ? 1 : 0;
}
