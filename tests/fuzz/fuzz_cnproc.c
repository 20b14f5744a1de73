// SPDX-License-Identifier: MIT
/* Any bytes as a datagram of the proc connector: parsed or refused, and the books stay sane. */
#include <stdlib.h>

#include "source/cnproc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct cnproc_books b = { 0 };
	struct cnproc_msg m;

	/* A stream of datagrams, as they lie in a receive buffer. */
	for (size_t at = 0; at < len; at += 76) {
		size_t n = len - at < 76 ? len - at : 76;

		if (cnproc_parse(data + at, n, &m) == 0) {
			if (m.is_event && (unsigned)m.kind >= EV_KINDS)
				abort();
			if (cnproc_books_enter(&b, &m))
				abort();
		}
	}
	if (cnproc_books_gaps(&b) > cnproc_books_generated(&b))
		abort();
	cnproc_books_free(&b);
	return 0;
}
