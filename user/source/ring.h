/* SPDX-License-Identifier: MIT */
/*
 * ring: the consumer's side of a BPF ring buffer.
 *
 * libbpf has one; this one publishes the consumer position once a batch instead of once a record (the
 * producers' cache line is left alone) and can tell how full the ring was. Layout and protocol:
 * kernel/bpf/ringbuf.c. One reader thread.
 */
#ifndef PT_SOURCE_RING_H
#define PT_SOURCE_RING_H

#include <stddef.h>
#include <stdint.h>

struct ring {
	unsigned long *consumer_pos; /* own page, written by us */
	unsigned long
		*producer_pos; /* read-only page, followed by the data, mapped twice in a row */
	const char *data;
	size_t size, page;
	unsigned long seen; /* producer's position at the last look */
	uint64_t peak; /* most bytes that a drain found waiting */
};

/* A record; lives until the function returns. */
typedef void (*ring_record_fn)(void *ctx, const void *data, size_t len);

/* What the kernel takes for @bytes: the next power of two that is a multiple of the page size. */
size_t ring_round_size(size_t bytes);
/* Maps the ring @map_fd of @size bytes. 0 or -errno. */
int ring_open(struct ring *r, int map_fd, size_t size);
/* Looks how far the producers have come: what ring_drain() may hand over. All of it was stamped before
 * this returns. Returns the bytes that wait. */
size_t ring_look(struct ring *r);
/* Hands over every record that is committed, up to the last ring_look(); returns how many. */
int ring_drain(struct ring *r, ring_record_fn fn, void *ctx);
/* NULL-safe parts. */
void ring_close(struct ring *r);

#endif
