// SPDX-License-Identifier: MIT
/* The ring's consumer against a ring made here, written to as the kernel would. */
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "source/ring.h"

#define SIZE 4096UL

struct fake {
	struct ring ring;
	char *data; /* writable view of the data pages */
	unsigned long *producer;
};

/* consumer page, producer page, data, and the data again behind itself: as the kernel maps it. */
static void fake_open(struct fake *f)
{
	int fd = memfd_create("ring", 0);
	char *p;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 2 * 4096 + SIZE), 0);
	p = mmap(NULL, 4096 + 4096 + 2 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	assert_ptr_not_equal(
		mmap(p, 4096 + 4096 + SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0),
		MAP_FAILED);
	assert_ptr_not_equal(mmap(p + 8192 + SIZE, SIZE, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_FIXED, fd, 8192),
			     MAP_FAILED);
	close(fd);
	f->producer = (unsigned long *)(void *)(p + 4096);
	f->data = p + 8192;
	f->ring = (struct ring){ .consumer_pos = (unsigned long *)(void *)p,
				 .producer_pos = f->producer,
				 .data = f->data,
				 .size = SIZE,
				 .page = 4096 };
}

static void header_put(struct fake *f, unsigned long pos, uint32_t header)
{
	memcpy(f->data + (pos & (SIZE - 1)), &header, sizeof(header));
}

/* Appends a record of @len bytes, all @fill; returns its position. */
static unsigned long put(struct fake *f, uint32_t len, uint32_t bits, char fill)
{
	unsigned long pos = *f->producer;

	header_put(f, pos, len | bits);
	for (uint32_t i = 0; i < len; i++)
		f->data[(pos + 8 + i) & (SIZE - 1)] = fill;
	*f->producer = pos + (len + 8 + 7) / 8 * 8;
	return pos;
}

struct got {
	unsigned n;
	size_t bytes;
	char last;
};

static void take(void *ctx, const void *data, size_t len)
{
	struct got *g = ctx;

	g->n++;
	g->bytes += len;
	for (size_t i = 0; i < len; i++)
		assert_int_equal(((const char *)data)[i], ((const char *)data)[0]);
	g->last = *(const char *)data;
}

static int drain(struct fake *f, struct got *g)
{
	ring_look(&f->ring);
	return ring_drain(&f->ring, take, g);
}

static void sizes_are_powers_of_two_pages(void **state)
{
	(void)state;
	assert_int_equal(ring_round_size(1), sysconf(_SC_PAGESIZE));
	assert_int_equal(ring_round_size(4096), sysconf(_SC_PAGESIZE));
	assert_int_equal(ring_round_size((1 << 20) + 1), 2 << 20);
}

static void records_wrap_around_the_end(void **state)
{
	struct fake f;
	struct got g = { 0 };

	(void)state;
	fake_open(&f);
	/* 53 + 8 → 64 bytes each, 64 to a ring; a prime number of them, some at a time. */
	for (int i = 0; i < 2003; i++) {
		put(&f, 53, 0, (char)i);
		if (i % 23 == 22)
			assert_int_equal(drain(&f, &g), 23);
	}
	drain(&f, &g);
	assert_int_equal(g.n, 2003);
	assert_int_equal(g.bytes, 2003 * 53);
	assert_int_equal(g.last, (char)2002);
	assert_int_equal(*f.ring.consumer_pos, *f.producer);
	assert_int_equal(f.ring.peak, 23 * 64);
}

static void a_busy_record_holds_up_what_follows(void **state)
{
	struct fake f;
	struct got g = { 0 };
	unsigned long busy;

	(void)state;
	fake_open(&f);
	put(&f, 64, 0, 1);
	busy = put(&f, 64, BPF_RINGBUF_BUSY_BIT, 2);
	put(&f, 64, 0, 3);
	assert_int_equal(drain(&f, &g), 1);
	assert_int_equal(*f.ring.consumer_pos, busy);
	header_put(&f, busy, 64);
	assert_int_equal(drain(&f, &g), 2);
	assert_int_equal(g.last, 3);
}

static void discarded_records_are_passed_over(void **state)
{
	struct fake f;
	struct got g = { 0 };

	(void)state;
	fake_open(&f);
	put(&f, 64, 0, 1);
	put(&f, 200, BPF_RINGBUF_DISCARD_BIT, 2);
	put(&f, 64, 0, 3);
	assert_int_equal(drain(&f, &g), 2);
	assert_int_equal(g.bytes, 128);
	assert_int_equal(*f.ring.consumer_pos, *f.producer);
}

/* An event that came after the reader looked at the clock must not be handed over in that batch. */
static void what_came_after_the_look_waits(void **state)
{
	struct fake f;
	struct got g = { 0 };

	(void)state;
	fake_open(&f);
	put(&f, 64, 0, 1);
	assert_int_equal(ring_look(&f.ring), 72);
	put(&f, 64, 0, 2);
	assert_int_equal(ring_drain(&f.ring, take, &g), 1);
	assert_int_equal(drain(&f, &g), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_powers_of_two_pages),
		cmocka_unit_test(records_wrap_around_the_end),
		cmocka_unit_test(a_busy_record_holds_up_what_follows),
		cmocka_unit_test(discarded_records_are_passed_over),
		cmocka_unit_test(what_came_after_the_look_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
