// SPDX-License-Identifier: MIT
#include "source/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/recformat.h"

/* A record always fits, and one drain() hands over so much at most, so that it stays interruptible. */
#define REPLAY_BYTES (2U * RECFORMAT_MAX)

struct replay {
	int fd;
	bool at_end;
	uint8_t *buf;
	size_t from, to; /* what is read and not yet handed over */
	uint64_t offset; /* in the file, of buf[from] */
	struct recformat_head head;
	/* Counted by the reader thread, read by another one. */
	_Atomic uint64_t delivered, lost, malformed;
};

static int replay_probe(struct err *why)
{
	(void)why;
	return 0;
}

/* Appends what one read(2) gives. 0 or -errno. */
static int replay_fill(struct replay *r)
{
	ssize_t n;

	memmove(r->buf, r->buf + r->from, r->to - r->from);
	r->to -= r->from;
	r->from = 0;
	do
		n = read(r->fd, r->buf + r->to, REPLAY_BYTES - r->to);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	r->at_end = n == 0;
	r->to += (size_t)n;
	return 0;
}

static int replay_read_header(struct replay *r, const char *file, struct err *e)
{
	struct err why;
	int rc = 0;

	while (!rc && !r->at_end && r->to < RECFORMAT_HEADER)
		rc = replay_fill(r);
	if (rc)
		return err_set(e, rc, "cannot read '%s': %s", file, strerror(-rc));
	rc = recformat_get_header(r->buf, r->to, &r->head, &why);
	if (rc)
		return err_set(e, rc, "'%s' %s", file, why.text);
	r->from = r->offset = RECFORMAT_HEADER;
	return 0;
}

static void replay_close(struct source *s)
{
	struct replay *r = s->priv;

	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	free(r->buf);
	free(r);
	s->priv = NULL;
}

static int replay_open(struct source *s, struct err *e)
{
	const char *file = s->cfg.file;
	struct replay *r;
	int rc;

	if (!file)
		return err_set(e, -EINVAL, "the replay source needs a file: --source replay:FILE");
	s->priv = r = calloc(1, sizeof(*r));
	if (!r)
		return err_set(e, -ENOMEM, "out of memory");
	r->fd = open(file, O_RDONLY | O_CLOEXEC);
	r->buf = malloc(REPLAY_BYTES);
	if (r->fd < 0)
		rc = err_set(e, -errno, "cannot open '%s': %s", file, strerror(errno));
	else if (!r->buf)
		rc = err_set(e, -ENOMEM, "out of memory");
	else
		rc = replay_read_header(r, file, e);
	if (rc)
		replay_close(s);
	return rc;
}

static int replay_start(struct source *s, struct err *e)
{
	(void)s, (void)e;
	return 0;
}

/* Leaves out of @ev what the user did not ask for. */
static void replay_limit(const struct source_cfg *cfg, struct event *ev)
{
	if (!cfg->want_path)
		ev->path = (struct str){ 0 };
	if (!cfg->want_args)
		ev->args = (struct str){ 0 };
	if (cfg->args_max && ev->args.len > cfg->args_max) {
		ev->args.len = cfg->args_max;
		ev->flags |= EVF_ARGS_TRUNCATED;
	}
}

/* Returns 1 if the sink got an event. */
static int replay_deliver(struct source *s, struct recformat_item *item)
{
	struct replay *r = s->priv;
	struct sink *sink = s->cfg.sink;

	if (item->type == REC_TYPE_LOST) {
		r->lost += item->lost_count;
		if (sink && sink->ops->lost)
			sink->ops->lost(sink, item->lost_kind, item->lost_count,
					item->lost_place[0] ? item->lost_place : NULL);
		return 0;
	}
	r->delivered++;
	if (s->cfg.filter && !filter_match(s->cfg.filter, &item->ev))
		return 0;
	replay_limit(&s->cfg, &item->ev);
	if (sink)
		sink_event(sink, &item->ev);
	return 1;
}

/* The first thing that is wrong is what the user will read. */
static void replay_malformed(struct source *s, const char *what, const char *end)
{
	struct replay *r = s->priv;

	if (!r->malformed++)
		err_set(&s->broken, 0, "the record at offset %llu of '%.256s' is malformed: %s%s",
			(unsigned long long)r->offset, s->cfg.file, what, end);
}

/* Hands over all whole records in the buffer; returns how many events, or -EBADMSG. */
static int replay_hand_over(struct source *s)
{
	struct replay *r = s->priv;
	struct recformat_item item;
	int n = 0, got;
	struct err why;
	size_t size;

	for (;;) {
		got = recformat_get(r->buf + r->from, r->to - r->from, r->head.version, &item,
				    &size, &why);
		if (got == 0)
			return n;
		if (got == 1)
			n += replay_deliver(s, &item);
		else
			replay_malformed(s, why.text,
					 got == -EBADMSG ? "; what follows is lost" : "");
		if (got == -EBADMSG)
			return got;
		r->from += size;
		r->offset += size;
	}
}

/* True: the file can be read; false: it was woken or the time is over. */
static bool replay_wait(struct source *s, int timeout_ms)
{
	struct replay *r = s->priv;
	struct pollfd fds[2] = { { .fd = r->fd, .events = POLLIN },
				 { .fd = s->cfg.wake_fd, .events = POLLIN } };

	return poll(fds, 2, timeout_ms) > 0 && !fds[1].revents;
}

static int replay_drain(struct source *s, int timeout_ms)
{
	struct replay *r = s->priv;
	int n;

	if (!r->at_end && !replay_wait(s, timeout_ms))
		return 0;
	if (!r->at_end) {
		n = replay_fill(r);
		if (n) {
			err_set(&s->broken, 0, "cannot read '%.256s': %s", s->cfg.file,
				strerror(-n));
			return n;
		}
	}
	n = replay_hand_over(s);
	if (n || !r->at_end)
		return n;
	if (r->from == r->to)
		return -ENODATA;
	replay_malformed(s, "the file ends in the middle of it", "");
	return -EBADMSG;
}

static void replay_stats(struct source *s, struct source_stats *out)
{
	const struct replay *r = s->priv;

	/* Where the events of a loss had gone is in the recording as words: one counter takes them all. */
	*out = (struct source_stats){
		.naccounts = 1,
		.account[0] = { .kinds = EV_MASK_ALL,
				.generated = r->delivered + r->lost,
				.delivered = r->delivered,
				.ring_full = r->lost },
		.malformed = r->malformed,
	};
}

int64_t replay_wall_offset(const struct source *s)
{
	return ((const struct replay *)s->priv)->head.wall_offset_ns;
}

const struct source_ops source_replay = {
	.name = "replay",
	.title = "replay",
	.summary = "a file that 'proctrace trace --record' wrote",
	.kinds = EV_MASK_ALL,
	.names = true,
	.needs_file = true,
	.probe = replay_probe,
	.open = replay_open,
	.start = replay_start,
	.drain = replay_drain,
	.stats = replay_stats,
	.close = replay_close,
};
