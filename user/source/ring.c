// SPDX-License-Identifier: MIT
#include "source/ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

size_t ring_round_size(size_t bytes)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	while (size < bytes)
		size <<= 1;
	return size;
}

int ring_open(struct ring *r, int map_fd, size_t size)
{
	void *p;

	*r = (struct ring){ .size = size, .page = (size_t)sysconf(_SC_PAGESIZE) };
	p = mmap(NULL, r->page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	r->consumer_pos = p;
	/* The data pages appear twice, so that a record at the end reads on without wrapping. */
	p = mmap(NULL, r->page + 2 * size, PROT_READ, MAP_SHARED, map_fd, (off_t)r->page);
	if (p == MAP_FAILED) {
		int err = -errno;

		ring_close(r);
		return err;
	}
	r->producer_pos = p;
	r->data = (const char *)p + r->page;
	return 0;
}

static size_t record_size(uint32_t len)
{
	return (len + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
}

size_t ring_look(struct ring *r)
{
	size_t waiting;

	r->seen = __atomic_load_n(r->producer_pos, __ATOMIC_ACQUIRE);
	waiting = r->seen - *r->consumer_pos;
	if (waiting > r->peak)
		r->peak = waiting;
	return waiting;
}

int ring_drain(struct ring *r, ring_record_fn fn, void *ctx)
{
	unsigned long cons = *r->consumer_pos, begin = cons;
	int n = 0;

	while (cons != r->seen) {
		const char *rec = r->data + (cons & (r->size - 1));
		uint32_t len =
			__atomic_load_n((const uint32_t *)(const void *)rec, __ATOMIC_ACQUIRE);

		if (len & BPF_RINGBUF_BUSY_BIT)
			break; /* reserved, not yet filled: it and what follows come next time */
		if (!(len & BPF_RINGBUF_DISCARD_BIT)) {
			fn(ctx, rec + BPF_RINGBUF_HDR_SZ, len);
			n++;
		}
		cons += record_size(len & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT));
		/* Give room back early where the ring is small against what waits. */
		if (cons - begin >= r->size / 8) {
			__atomic_store_n(r->consumer_pos, cons, __ATOMIC_RELEASE);
			begin = cons;
		}
	}
	__atomic_store_n(r->consumer_pos, cons, __ATOMIC_SEQ_CST);
	return n;
}

void ring_close(struct ring *r)
{
	if (r->producer_pos)
		munmap(r->producer_pos, r->page + 2 * r->size);
	if (r->consumer_pos)
		munmap(r->consumer_pos, r->page);
	*r = (struct ring){ 0 };
}
