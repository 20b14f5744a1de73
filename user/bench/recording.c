// SPDX-License-Identifier: MIT
#include "bench/recording.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

int recording_init(struct recording *r, size_t cap)
{
	void *mem;

	memset(r, 0, sizeof(*r));
	hist_init(&r->latency);
	if (!cap)
		return 0;
	if (cap > SIZE_MAX / sizeof(*r->rec))
		return -ENOMEM;
	/* Prefaulted: a page fault in the reader would look like the mechanism's latency. */
	mem = mmap(NULL, cap * sizeof(*r->rec), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (mem == MAP_FAILED)
		return -ENOMEM;
	r->rec = mem;
	r->cap = cap;
	return 0;
}

void recording_reset(struct recording *r)
{
	atomic_store_explicit(&r->n, 0, memory_order_release);
	r->full = 0;
	memset(r->full_by_kind, 0, sizeof(r->full_by_kind));
	r->gone = 0;
	r->threads = 0;
	hist_init(&r->latency);
}

void recording_free(struct recording *r)
{
	if (!r)
		return;
	if (r->rec)
		munmap(r->rec, r->cap * sizeof(*r->rec));
	memset(r, 0, sizeof(*r));
}
