// SPDX-License-Identifier: MIT
/*
 * netlink, netlink-names: the proc connector as two kinds of monitor use it.
 *
 * `netlink` takes ids only, sleeps while events gather and drains in batches. `netlink-names` does what a
 * monitor that filters by name must do: it wakes for each event and looks into /proc at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/cn_proc.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "source/cnproc.h"
#include "source/cnsock.h"
#include "source/proc_walk.h"
#include "source/source.h"

#define RCVBUF_DEFAULT (64U << 20)
/* What a queued message is charged, measured: 76 bytes of data in an skb of their own. */
#define CHARGE 832
#define BATCH 256
#define DATAGRAM_MAX 128
/* One drain ends after so many batches even if more keeps coming, so that its caller gets to think. */
#define BATCHES_MAX 1024

struct netlink_source {
	struct cnsock sock;
	struct cnproc_books books;
	struct filter *filter;
	struct sink *sink;
	bool names; /* look into /proc for each EXEC */
	bool wide; /* the buffer is to stay wide */
	bool narrowed; /* some types never reach us: sequence gaps prove nothing */
	uint64_t rx_ns;
	uint64_t malformed, drops_told, peak;
	int handed; /* by the drain that runs */
	int procfd;
	char cmdline[4096];
	struct mmsghdr msg[BATCH];
	struct iovec iov[BATCH];
	struct sockaddr_nl from[BATCH];
	char buf[BATCH][DATAGRAM_MAX];
};

/* ---- names ------------------------------------------------------------------------------------ */

static ssize_t proc_read(int procfd, pid_t pid, const char *file, char *buf, size_t cap)
{
	char path[48];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%d/%s", pid, file);
	fd = openat(procfd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, cap);
	close(fd);
	return n;
}

/* The process may be gone, or be another by now: that is the race this source is here to show. */
static void name_look_up(struct netlink_source *n, struct event *ev)
{
	char comm[32];
	ssize_t len = proc_read(n->procfd, ev->pid, "comm", comm, sizeof(comm));

	ev->flags |= EVF_NAME_LATE;
	if (len <= 0) {
		ev->flags |= EVF_GONE;
		return;
	}
	if (comm[len - 1] == '\n')
		len--;
	memcpy(ev->comm, comm, (size_t)len < sizeof(ev->comm) ? (size_t)len : sizeof(ev->comm));
	len = proc_read(n->procfd, ev->pid, "cmdline", n->cmdline, sizeof(n->cmdline));
	if (len > 0) {
		ev->args = (struct str){ n->cmdline, (size_t)len };
		if ((size_t)len == sizeof(n->cmdline))
			ev->flags |= EVF_ARGS_TRUNCATED;
	}
}

/* ---- events ----------------------------------------------------------------------------------- */

static void event_hand(struct netlink_source *n, const struct cnproc_msg *m)
{
	struct event ev = event_empty(m->kind);

	ev.cpu = m->cpu;
	ev.ts_ns = m->ts_ns;
	ev.rx_ns = n->rx_ns;
	ev.pid = m->pid;
	ev.tid = m->tid;
	ev.ppid = m->ppid;
	ev.status = m->status;
	if (n->names && m->kind == EV_EXEC)
		name_look_up(n, &ev);
	if (!filter_match(n->filter, &ev))
		return;
	sink_event(n->sink, &ev);
	n->handed++;
}

static void message_take(void *ctx, const void *data, size_t len, uint32_t sender)
{
	struct netlink_source *n = ctx;
	struct cnproc_msg m;

	/* Root can forge messages; the kernel is port 0. */
	if (sender != 0 || cnproc_parse(data, len, &m) || cnproc_books_enter(&n->books, &m)) {
		n->malformed++;
		return;
	}
	if (m.is_event)
		event_hand(n, &m);
}

static int batch_take(struct netlink_source *n, unsigned vlen)
{
	int got;

	for (unsigned i = 0; i < vlen; i++)
		n->msg[i].msg_hdr.msg_namelen = sizeof(n->from[i]);
	got = recvmmsg(n->sock.fd, n->msg, vlen, MSG_DONTWAIT, NULL);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR || errno == ENOBUFS ? 0 : -errno;
	n->rx_ns = clock_now_ns();
	for (int i = 0; i < got; i++)
		message_take(n, n->buf[i], n->msg[i].msg_len, n->from[i].nl_pid);
	return got;
}

static void losses_tell(struct netlink_source *n)
{
	uint64_t drops, used;

	if (cnsock_meminfo(&n->sock, &drops, &used))
		return;
	if (used > n->peak)
		n->peak = used;
	if (n->sink->ops->lost && drops > n->drops_told) {
		n->sink->ops->lost(n->sink, EV_KINDS, drops - n->drops_told, "socket buffer full");
		n->drops_told = drops;
	}
}

/* After a stall every ms counts. */
static bool may_nap(const struct netlink_source *n)
{
	uint64_t drops, used;

	return cnsock_meminfo(&n->sock, &drops, &used) || used < n->sock.rcvbuf / 2;
}

static int netlink_fd(const struct source *s)
{
	return ((const struct netlink_source *)s->priv)->sock.fd;
}

static int netlink_drain(struct source *s, int timeout_ms)
{
	struct netlink_source *n = s->priv;
	struct pollfd fds[] = { { .fd = n->sock.fd, .events = POLLIN },
				{ .fd = s->cfg.wake_fd, .events = POLLIN } };
	/* As the known monitors with names do: one message, one look into /proc. */
	unsigned vlen = n->names ? 1 : BATCH;
	int got = 0;

	if (timeout_ms) {
		got = poll(fds, 2, timeout_ms);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0 && fds[0].revents && s->cfg.nap_ms && !n->names && may_nap(n))
			clock_sleep_ns(s->cfg.nap_ms * NSEC_PER_MSEC);
	}
	n->handed = 0;
	/* With names a look at the counters for each event would be no monitor's way: only if asked for. */
	if (!n->names || n->sink->ops->lost)
		losses_tell(n);
	for (int i = 0; i < BATCHES_MAX; i++) {
		got = batch_take(n, vlen);
		if (got < 0)
			return got;
		if ((unsigned)got < vlen)
			break;
	}
	return n->handed;
}

/* ---- open, start, stop ------------------------------------------------------------------------ */

static uint32_t proc_events_of(unsigned kinds)
{
	return (kinds & EV_MASK(EV_FORK) ? (uint32_t)PROC_EVENT_FORK : 0) |
	       (kinds & EV_MASK(EV_EXEC) ? (uint32_t)PROC_EVENT_EXEC : 0) |
	       (kinds & EV_MASK(EV_EXIT) ? (uint32_t)PROC_EVENT_EXIT : 0);
}

static void netlink_close(struct source *s)
{
	struct netlink_source *n = s->priv;

	if (!n)
		return;
	cnsock_close(&n->sock);
	cnproc_books_free(&n->books);
	if (n->procfd >= 0)
		close(n->procfd);
	free(n);
	s->priv = NULL;
}

/* What the proc connector cannot tell cannot be asked for. */
static int filter_refuse(const struct filter *f, bool names, struct err *e)
{
	const struct {
		bool asked;
		const char *what;
	} table[] = {
		{ f->id[FILTER_UID][0].n || f->id[FILTER_UID][1].n, "user" },
		{ f->id[FILTER_CGROUP][0].n || f->id[FILTER_CGROUP][1].n, "cgroup" },
		{ f->id[FILTER_PPID][0].n || f->id[FILTER_PPID][1].n, "parent" },
		{ f->text[FILTER_PATH][0].last || f->text[FILTER_PATH][1].last, "path" },
		{ f->pidns != EV_NO_PIDNS, "pid namespace" },
		{ f->min_duration_ns, "duration" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].asked)
			return err_set(
				e, -EINVAL,
				"the proc connector does not tell the %s of a process: filter by "
				"it with the bpf source",
				table[i].what);
	if (!names && (f->text[FILTER_NAME][0].last || f->text[FILTER_NAME][1].last ||
		       f->regex[0] || f->regex[1]))
		return err_set(e, -EINVAL,
			       "netlink carries no names: filter by name with the bpf or the "
			       "netlink-names source");
	return 0;
}

static bool process_seed(void *ctx, pid_t pid, pid_t ppid)
{
	return filter_seed(ctx, pid, ppid);
}

static int netlink_open_as(struct source *s, bool names, struct err *e)
{
	size_t rcvbuf = s->cfg.buffer_bytes ? s->cfg.buffer_bytes : RCVBUF_DEFAULT;
	struct netlink_source *n;
	int err;

	err = filter_refuse(s->cfg.filter, names, e);
	if (err)
		return err;
	n = calloc(1, sizeof(*n));
	if (!n)
		return err_set(e, -ENOMEM, "out of memory");
	s->priv = n;
	*n = (struct netlink_source){ .names = names,
				      .filter = s->cfg.filter,
				      .sink = s->cfg.sink,
				      .procfd = -1,
				      .sock = { .fd = -1, .guardian_fd = -1 } };
	for (int i = 0; i < BATCH; i++) {
		n->iov[i] = (struct iovec){ n->buf[i], DATAGRAM_MAX };
		n->msg[i].msg_hdr = (struct msghdr){
			.msg_iov = &n->iov[i],
			.msg_iovlen = 1,
			.msg_name = &n->from[i],
		};
	}
	n->procfd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (n->procfd < 0)
		err = err_set(e, -errno, "cannot open /proc: %s; is it mounted?", strerror(errno));
	else
		err = cnsock_open(&n->sock, rcvbuf, e);
	if (err)
		netlink_close(s);
	return err;
}

static int netlink_open(struct source *s, struct err *e)
{
	return netlink_open_as(s, false, e);
}

static int netlink_names_open(struct source *s, struct err *e)
{
	return netlink_open_as(s, true, e);
}

static int netlink_start(struct source *s, struct err *e)
{
	struct netlink_source *n = s->priv;
	unsigned kinds = n->filter->kinds;
	int err = cnsock_listen(&n->sock, message_take, n, e);

	if (err)
		return err;
	if (!n->wide)
		cnsock_resize(&n->sock, n->sock.rcvbuf);
	if (filter_follows(n->filter) && (err = proc_walk(process_seed, n->filter)))
		return err_set(e, err, "cannot read /proc: %s", strerror(-err));
	/* Following descendants needs the forks; all kinds are taken unfiltered, so that the sequence
	 * numbers can audit the drop counter. */
	if (filter_follows(n->filter))
		kinds |= EV_MASK(EV_FORK) | EV_MASK(EV_EXIT);
	if (kinds == EV_MASK_ALL)
		return 0;
	n->narrowed = true;
	err = cnsock_narrow(&n->sock, proc_events_of(kinds));
	return err ? err_set(e, err, "cannot narrow the subscription: %s", strerror(-err)) : 0;
}

static void netlink_widen(struct source *s, bool wide)
{
	struct netlink_source *n = s->priv;

	n->wide = wide;
	cnsock_resize(&n->sock, wide ? CNSOCK_RCVBUF_WIDE : n->sock.rcvbuf);
}

static void netlink_stop(struct source *s)
{
	struct netlink_source *n = s->priv;

	cnsock_ignore(&n->sock);
}

/* ---- counters --------------------------------------------------------------------------------- */

static void netlink_stats(struct source *s, struct source_stats *out)
{
	struct netlink_source *n = s->priv;
	uint64_t drops = 0, used = 0, gaps = cnproc_books_gaps(&n->books);
	struct source_account *a = &out->account[0];

	*out = (struct source_stats){
		.naccounts = 1,
		.generated_all_types = true,
		.books_audited = !n->narrowed,
		.seq_gaps = gaps,
		.malformed = n->malformed,
		.buffer_bytes = n->sock.rcvbuf,
		.bytes_per_event = CHARGE,
		.buffer_peak = n->peak,
	};
	if (!n->narrowed)
		out->loss_cpus = cnproc_books_gap_cpus(&n->books, &out->loss_cpu_most);
	if (cnsock_meminfo(&n->sock, &drops, &used))
		out->books_audited = false;
	*a = (struct source_account){
		.kinds = n->filter->kinds,
		.generated = cnproc_books_generated(&n->books),
		.delivered = n->books.received,
		.socket_dropped = drops,
	};
	/* What is missing without having been dropped: not allocated; or, narrowed, not meant for us. */
	if (gaps > drops)
		*(n->narrowed ? &a->filtered : &a->alloc_failed) = gaps - drops;
}

static int netlink_probe(struct err *why)
{
	static const struct sink_ops ignore_ops = { 0 };
	struct sink ignore = { .ops = &ignore_ops };
	struct filter nothing = filter_any();
	struct source s = { .cfg = source_cfg_default() };
	int err;

	nothing.kinds = 0;
	s.cfg.filter = &nothing;
	s.cfg.sink = &ignore;
	err = netlink_open(&s, why);
	if (!err)
		err = netlink_start(&s, why);
	netlink_close(&s);
	return err;
}

const struct source_ops source_netlink = {
	.name = "netlink",
	.title = "netlink",
	.summary = "proc connector, ids only, drained in batches",
	.kinds = EV_MASK_ALL,
	.names = false,
	.buffer = BUFFER_SOCKET,
	.bench_kinds = EV_MASK_ALL, /* taken unfiltered, sequence numbers audit the drop counter */
	.probe = netlink_probe,
	.open = netlink_open,
	.start = netlink_start,
	.drain = netlink_drain,
	.fd = netlink_fd,
	.widen = netlink_widen,
	.stop = netlink_stop,
	.stats = netlink_stats,
	.close = netlink_close,
};

const struct source_ops source_netlink_names = {
	.name = "netlink-names",
	.title = "netlink + names",
	.summary = "proc connector, wakes for each event and reads the name from /proc",
	.kinds = EV_MASK_ALL,
	.names = true,
	.buffer = BUFFER_SOCKET,
	.bench_kinds = EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT),
	.probe = netlink_probe,
	.open = netlink_names_open,
	.start = netlink_start,
	.drain = netlink_drain,
	.fd = netlink_fd,
	.widen = netlink_widen,
	.stop = netlink_stop,
	.stats = netlink_stats,
	.close = netlink_close,
};
