// SPDX-License-Identifier: MIT
#include "source/both.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sink/lineage.h"
#include "source/cross.h"

#define WAITING 65536
/* How long one may be later than the other. */
#define GRACE_NS NSEC_PER_SEC
/* How long the last ones are waited for at the end. */
#define LAST_MS 200
#define STEP_MS 5
/* The ring's own alarm is not heard during this nap. */
#define NAP_MOST_MS 10

enum side { BPF, NETLINK, SIDES };

/* What one of the two writes to. */
struct side_sink {
	struct sink sink;
	struct both *both;
	enum side side;
};

struct both {
	struct source source[SIDES];
	struct side_sink in[SIDES];
	struct sink *out;
	struct cross *cross;
	uint64_t from_ns; /* both tell of what happens from here on */
	uint64_t until_ns; /* and up to here */
};

static const char *side_title(unsigned side)
{
	return side == BPF ? "eBPF" : "netlink";
}

/* Threads and failed execs are bpf's alone; what happened while only one ran cannot be compared. */
static bool is_comparable(const struct both *b, const struct event *ev)
{
	return ev->pid != EV_NO_PID && !event_of_thread(ev) && !(ev->flags & EVF_EXEC_FAILED) &&
	       ev->ts_ns >= b->from_ns && ev->ts_ns <= b->until_ns;
}

static void side_event(struct sink *s, const struct event *ev)
{
	const struct side_sink *in = (struct side_sink *)s;
	struct cross_event x = {
		.kind = ev->kind, .side = in->side, .pid = ev->pid, .ts_ns = ev->ts_ns
	};

	if (is_comparable(in->both, ev)) {
		memcpy(x.comm, ev->comm, sizeof(x.comm));
		cross_take(in->both->cross, &x, clock_now_ns());
	}
	if (in->side == BPF)
		sink_event(in->both->out, ev);
}

static void side_lost(struct sink *s, enum event_kind kind, uint64_t count, const char *place)
{
	struct sink *out = ((struct side_sink *)s)->both->out;

	if (out->ops->lost)
		out->ops->lost(out, kind, count, place);
}

static const struct sink_ops side_ops = { .event = side_event, .lost = side_lost };

static void difference_tell(void *ctx, const struct cross_event *x)
{
	const struct both *b = ctx;
	struct event ev = event_empty(x->kind);

	ev.pid = ev.tid = x->pid;
	ev.ts_ns = x->ts_ns;
	memcpy(ev.comm, x->comm, sizeof(ev.comm));
	if (b->out->ops->mismatch)
		b->out->ops->mismatch(b->out, &ev, side_title(x->side));
}

/* ---- life ------------------------------------------------------------------------------------- */

static int both_probe(struct err *why)
{
	int err = source_find("bpf")->probe(why);

	return err ? err : source_find("netlink")->probe(why);
}

static void both_close(struct source *s)
{
	struct both *b = s->priv;

	if (!b)
		return;
	for (unsigned i = 0; i < SIDES; i++)
		b->source[i].ops->close(&b->source[i]);
	cross_free(b->cross);
	free(b);
	s->priv = NULL;
}

static int both_open(struct source *s, struct err *e)
{
	static const char *const names[SIDES] = { [BPF] = "bpf", [NETLINK] = "netlink" };
	struct both *b = calloc(1, sizeof(*b));
	int err = 0;

	s->priv = b;
	if (!b)
		return err_set(e, -ENOMEM, "out of memory");
	b->out = s->cfg.sink;
	b->from_ns = b->until_ns = UINT64_MAX;
	for (unsigned i = 0; i < SIDES; i++) {
		b->in[i] = (struct side_sink){ .sink = { .ops = &side_ops },
					       .both = b,
					       .side = (enum side)i };
		b->source[i] = (struct source){ .ops = source_find(names[i]), .cfg = s->cfg };
		b->source[i].cfg.sink = &b->in[i].sink;
	}
	/* The size that was asked for is the ring's. */
	b->source[NETLINK].cfg.buffer_bytes = 0;
	b->cross = cross_new(WAITING);
	if (!b->cross)
		err = err_set(e, -ENOMEM, "out of memory");
	for (unsigned i = 0; !err && i < SIDES; i++)
		err = b->source[i].ops->open(&b->source[i], e);
	if (err)
		both_close(s);
	return err;
}

static int both_start(struct source *s, struct err *e)
{
	struct both *b = s->priv;
	int err = 0;

	for (unsigned i = 0; !err && i < SIDES; i++)
		err = b->source[i].ops->start(&b->source[i], e);
	b->from_ns = clock_now_ns();
	return err;
}

static void both_stop(struct source *s)
{
	struct both *b = s->priv;

	b->until_ns = clock_now_ns();
	for (unsigned i = 0; i < SIDES; i++)
		if (b->source[i].ops->stop)
			b->source[i].ops->stop(&b->source[i]);
}

/* ---- events ----------------------------------------------------------------------------------- */

/* Takes all that is ready of both; the number of bpf's events, or -errno. */
static int drain_ready(struct both *b)
{
	int n = b->source[BPF].ops->drain(&b->source[BPF], 0);
	int m = n < 0 ? 0 : b->source[NETLINK].ops->drain(&b->source[NETLINK], 0);

	return m < 0 ? m : n;
}

/* What has no twin when nothing more is expected. */
static int drain_last(struct both *b)
{
	int n = drain_ready(b), more = 0;

	for (int ms = 0; n >= 0 && more >= 0 && cross_waiting(b->cross) && ms < LAST_MS;
	     ms += STEP_MS) {
		clock_sleep_ns(STEP_MS * NSEC_PER_MSEC);
		more = drain_ready(b);
		n += more;
	}
	if (n <= 0)
		cross_expire(b->cross, UINT64_MAX, difference_tell, b);
	return more < 0 ? more : n;
}

/* Waits for either of them, then lets more gather. */
static int both_wait(struct source *s, int timeout_ms)
{
	struct both *b = s->priv;
	struct pollfd fds[SIDES + 1];

	for (unsigned i = 0; i < SIDES; i++)
		fds[i] = (struct pollfd){ .fd = b->source[i].ops->fd(&b->source[i]),
					  .events = POLLIN };
	fds[SIDES] = (struct pollfd){ .fd = s->cfg.wake_fd, .events = POLLIN };
	if (cross_waiting(b->cross) && (timeout_ms < 0 || timeout_ms > 100))
		timeout_ms = 100; /* a difference is to be told before the next event comes */
	if (poll(fds, SIDES + 1, timeout_ms) < 0 && errno != EINTR)
		return -errno;
	if ((fds[BPF].revents || fds[NETLINK].revents) && s->cfg.nap_ms)
		poll(&fds[SIDES], 1,
		     (int)(s->cfg.nap_ms < NAP_MOST_MS ? s->cfg.nap_ms : NAP_MOST_MS));
	return 0;
}

/* drain(0) is how the end of a trace is drained: what is still on its way is waited for. */
static int both_drain(struct source *s, int timeout_ms)
{
	struct both *b = s->priv;
	int n;

	if (!timeout_ms)
		n = drain_last(b);
	else if ((n = both_wait(s, timeout_ms)) == 0)
		n = drain_ready(b);
	if (timeout_ms)
		cross_expire(b->cross, clock_now_ns() - GRACE_NS, difference_tell, b);
	for (unsigned i = 0; n < 0 && i < SIDES; i++)
		if (b->source[i].broken.text[0])
			s->broken = b->source[i].broken;
	return n;
}

/* The accounts of bpf, then that of netlink; and what the comparison found. */
static void both_stats(struct source *s, struct source_stats *out)
{
	struct both *b = s->priv;
	struct cross_counts counts = cross_counts(b->cross);
	struct source_stats netlink;

	b->source[BPF].ops->stats(&b->source[BPF], out);
	b->source[NETLINK].ops->stats(&b->source[NETLINK], &netlink);
	for (unsigned i = 0; i < netlink.naccounts && out->naccounts < SOURCE_ACCOUNTS_MAX; i++)
		out->account[out->naccounts++] = netlink.account[i];
	out->malformed += netlink.malformed;
	out->crossed = true;
	out->cross_both = counts.both;
	out->cross_only[BPF] = counts.only[BPF];
	out->cross_only[NETLINK] = counts.only[NETLINK];
	out->cross_unchecked = counts.unchecked;
}

const struct source_ops source_both = {
	.name = "both",
	.title = "eBPF and netlink",
	.summary = "the bpf source, each event checked against netlink",
	.kinds = EV_MASK_ALL,
	.names = true,
	.buffer = BUFFER_RING,
	.probe = both_probe,
	.open = both_open,
	.start = both_start,
	.drain = both_drain,
	.stop = both_stop,
	.stats = both_stats,
	.close = both_close,
};
