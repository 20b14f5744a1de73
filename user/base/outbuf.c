// SPDX-License-Identifier: MIT
#include "base/outbuf.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define OUTBUF_BYTES (64U << 10)

int outbuf_init(struct outbuf *o, int fd)
{
	*o = (struct outbuf){ .fd = fd, .buf = malloc(OUTBUF_BYTES), .cap = OUTBUF_BYTES };
	if (!o->buf)
		o->cap = 0;
	return o->buf ? 0 : -ENOMEM;
}

/* write(2) that waits instead of failing where the descriptor does not block. */
static ssize_t write_some(int fd, const char *p, size_t n)
{
	for (;;) {
		struct pollfd pfd = { .fd = fd, .events = POLLOUT };
		ssize_t r = write(fd, p, n);

		if (r >= 0)
			return r;
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
		if (errno == EAGAIN && poll(&pfd, 1, -1) < 0 && errno != EINTR)
			return -errno;
	}
}

int outbuf_flush(struct outbuf *o)
{
	for (size_t done = 0; !o->err && done < o->n;) {
		ssize_t r = write_some(o->fd, o->buf + done, o->n - done);

		if (r < 0)
			o->err = (int)r;
		else
			done += (size_t)r;
		if (r > 0 && o->file)
			o->file->size += (size_t)r;
	}
	o->n = 0;
	return o->err;
}

void outbuf_rotate(struct outbuf *o)
{
	if (!outbuf_flush(o))
		o->err = outfile_rotate(o->file, o->fd);
}

char *outbuf_make_room(struct outbuf *o, size_t n)
{
	char *buf;

	outbuf_flush(o);
	if (n > o->cap) {
		buf = realloc(o->buf, n);
		if (!buf) {
			o->err = o->err ? o->err : -ENOMEM;
			return NULL;
		}
		o->buf = buf;
		o->cap = n;
	}
	return o->buf;
}

void outbuf_free(struct outbuf *o)
{
	free(o->buf);
	*o = (struct outbuf){ .fd = -1 };
}

unsigned decimal_format(char dst[DECIMAL_MAX], uint64_t v)
{
	/* Two digits a division: half the divisions of the plain loop. */
	static const char pairs[] = "0001020304050607080910111213141516171819"
				    "2021222324252627282930313233343536373839"
				    "4041424344454647484950515253545556575859"
				    "6061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	char text[DECIMAL_MAX];
	unsigned at = DECIMAL_MAX;

	while (v >= 100) {
		at -= 2;
		memcpy(text + at, pairs + 2 * (v % 100), 2);
		v /= 100;
	}
	if (v >= 10) {
		at -= 2;
		memcpy(text + at, pairs + 2 * v, 2);
	} else {
		text[--at] = (char)('0' + v);
	}
	memcpy(dst, text + at, DECIMAL_MAX - at);
	return DECIMAL_MAX - at;
}

void outbuf_u64(struct outbuf *o, uint64_t v)
{
	char *room = outbuf_room(o, DECIMAL_MAX);

	if (room)
		o->n += decimal_format(room, v);
}

void outbuf_i64(struct outbuf *o, int64_t v)
{
	if (v < 0)
		outbuf_putc(o, '-');
	outbuf_u64(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void outbuf_pad_u64(struct outbuf *o, uint64_t v, unsigned width)
{
	char *room = outbuf_room(o, DECIMAL_MAX + width);
	char digits[DECIMAL_MAX];
	unsigned n = decimal_format(digits, v), pad = n < width ? width - n : 0;

	if (!room)
		return;
	memset(room, ' ', pad);
	memcpy(room + pad, digits, n);
	o->n += pad + n;
}
