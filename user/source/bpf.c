// SPDX-License-Identifier: MIT
/*
 * bpf: CO-RE programs on sched_process_{fork,exec,exit} → ring buffer → struct event.
 *
 * Order: load → map the ring → attach → … → detach → drain → read counters.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "source/bpf_priv.h"
#include "source/bpf_refusal.h"

#define RING_DEFAULT (4U << 20)
#define RING_MAX (1ULL << 30)
#define RING_HEADER 8 /* bytes that the ring adds to each record */

struct bpf_source {
	struct bpf_loaded loaded;
	struct ring ring;
	int epoll; /* edge-triggered: tells of wakeups during the nap */
	const struct source_cfg *cfg;
	uint64_t rx_ns; /* when this batch was taken out */
	uint64_t delivered[PT_KINDS], malformed;
	uint64_t lost_told[PT_KINDS];
	struct bpf_strings strings;
};

/* ---- open ------------------------------------------------------------------------------------- */

static int reader_open(struct bpf_source *b, size_t ring_bytes)
{
	int map_fd = bpf_load_ring_fd(&b->loaded);
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	int err = ring_open(&b->ring, map_fd, ring_bytes);

	if (err)
		return err;
	b->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (b->epoll < 0 || epoll_ctl(b->epoll, EPOLL_CTL_ADD, map_fd, &ev))
		return -errno;
	return 0;
}

static void bpf_close(struct source *s)
{
	struct bpf_source *b = s->priv;

	if (!b)
		return;
	ring_close(&b->ring);
	if (b->epoll >= 0)
		close(b->epoll);
	bpf_unload(&b->loaded);
	free(b);
	s->priv = NULL;
}

/* Failed execs come by tracepoints that are found through a file system for root. */
static int tracefs_check(struct err *e)
{
	static const char id[] = "/sys/kernel/tracing/events/syscalls/sys_exit_execve/id";

	if (!access(id, R_OK) ||
	    !access("/sys/kernel/debug/tracing/events/syscalls/sys_exit_execve/id", R_OK))
		return 0;
	if (geteuid() != 0)
		return err_set(
			e, -EACCES,
			"failed execs need root, who alone may read /sys/kernel/tracing: run it "
			"with sudo, or leave out --failed");
	return err_set(e, -ENOENT,
		       "failed execs need %s: mount -t tracefs none /sys/kernel/tracing, or leave "
		       "out --failed",
		       id);
}

static int bpf_open(struct source *s, struct err *e)
{
	size_t asked = s->cfg.buffer_bytes ? s->cfg.buffer_bytes : RING_DEFAULT;
	size_t ring_bytes;
	struct bpf_source *b;
	int err;

	if (asked > RING_MAX)
		return err_set(e, -EINVAL, "a ring of %zu bytes is too large: 1G is the most",
			       asked);
	if (s->cfg.btf && access(s->cfg.btf, R_OK))
		return err_set(e, -errno, "cannot read the BTF file '%s': %s", s->cfg.btf,
			       strerror(errno));
	err = s->cfg.want_failed ? tracefs_check(e) : 0;
	if (err)
		return err;
	ring_bytes = ring_round_size(asked);
	b = calloc(1, sizeof(*b));
	if (!b)
		return err_set(e, -ENOMEM, "out of memory");
	s->priv = b;
	b->epoll = -1;
	b->cfg = &s->cfg;
	err = bpf_load(&b->loaded, &s->cfg, ring_bytes);
	if (!err)
		err = reader_open(b, ring_bytes);
	if (err) {
		bpf_close(s);
		return bpf_refusal_explain(err, s->cfg.btf, ring_bytes, e);
	}
	return 0;
}

static int bpf_start(struct source *s, struct err *e)
{
	struct bpf_source *b = s->priv;
	int err = bpf_load_attach(&b->loaded, s->cfg.filter);

	if (err)
		return bpf_refusal_explain(err, s->cfg.btf, b->ring.size, e);
	return 0;
}

static void bpf_stop(struct source *s)
{
	struct bpf_source *b = s->priv;

	bpf_load_detach(&b->loaded);
}

/* ---- events ----------------------------------------------------------------------------------- */

static void record_take(void *ctx, const void *data, size_t len)
{
	struct bpf_source *b = ctx;
	struct event ev;

	if (!bpf_take(&ev, data, len, b->cfg, &b->strings)) {
		b->malformed++;
		return;
	}
	ev.rx_ns = b->rx_ns;
	b->delivered[((const struct pt_record *)data)->kind]++;
	if (filter_regex_match(b->cfg->filter, &ev))
		sink_event(b->cfg->sink, &ev);
}

/* Tells the sink of losses where they happened in the stream. */
static void losses_tell(struct bpf_source *b)
{
	struct sink *sink = b->cfg->sink;
	struct pt_counters c;

	if (!sink->ops->lost)
		return;
	bpf_load_counters(&b->loaded, &c);
	for (int k = 0; k < PT_KINDS; k++)
		if (c.ring_full[k] > b->lost_told[k]) {
			sink->ops->lost(sink, bpf_event_kind[k], c.ring_full[k] - b->lost_told[k],
					"ring full");
			b->lost_told[k] = c.ring_full[k];
		}
}

/* Lets more gather, but not past the watermark: a forced wakeup ends the nap. */
static void nap(struct bpf_source *b, unsigned nap_ms)
{
	struct epoll_event ev;

	if (!nap_ms)
		return;
	epoll_wait(b->epoll, &ev, 1, 0); /* the wakeup that brought us here */
	epoll_wait(b->epoll, &ev, 1, (int)nap_ms);
}

static int bpf_fd(const struct source *s)
{
	const struct bpf_source *b = s->priv;

	return bpf_load_ring_fd(&b->loaded);
}

static int bpf_drain(struct source *s, int timeout_ms)
{
	struct bpf_source *b = s->priv;
	struct pollfd fds[] = { { .fd = bpf_load_ring_fd(&b->loaded), .events = POLLIN },
				{ .fd = s->cfg.wake_fd, .events = POLLIN } };
	int n;

	if (timeout_ms) {
		n = poll(fds, 2, timeout_ms);
		if (n < 0 && errno != EINTR)
			return -errno;
		/* After a stall every ms counts: a full ring takes nothing, so no wakeup would end the nap. */
		if (n > 0 && fds[0].revents && ring_look(&b->ring) < b->ring.size / 2)
			nap(b, s->cfg.nap_ms);
	}
	ring_look(&b->ring);
	b->rx_ns = clock_now_ns(); /* after the look: no event may seem to come from the future */
	n = ring_drain(&b->ring, record_take, b);
	losses_tell(b);
	return n;
}

/* ---- counters --------------------------------------------------------------------------------- */

/* Fills what the kernel itself counts for one program: misses (5.12) and run statistics. */
static void program_stats(struct bpf_program *prog, enum event_kind kind, struct source_account *a,
			  struct source_stats *out)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	if (!prog || bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
		return;
	out->not_run_unknown = len < offsetof(struct bpf_prog_info, recursion_misses) +
					     sizeof(info.recursion_misses);
	if (!out->not_run_unknown) {
		a->not_run += info.recursion_misses;
		a->generated += info.recursion_misses;
	}
	out->bpf_run_ns[kind] += info.run_time_ns;
	out->bpf_run_cnt[kind] += info.run_cnt;
}

/* Where the ring was full: any CPU's events may be those that find no room. */
static void losses_by_cpu(const struct bpf_loaded *l, struct source_stats *out)
{
	for (int cpu = 0; cpu < l->cpus; cpu++) {
		uint64_t n = 0;

		for (int k = 0; k < PT_KINDS; k++)
			n += __atomic_load_n(&l->counters[cpu].ring_full[k], __ATOMIC_RELAXED);
		out->loss_cpus += n > 0;
		if (n > out->loss_cpu_most)
			out->loss_cpu_most = n;
	}
}

static void bpf_stats(struct source *s, struct source_stats *out)
{
	struct bpf_source *b = s->priv;
	struct pt_counters c;

	*out = (struct source_stats){
		.knows_ours = s->cfg.ours_pgid != EV_NO_PID,
		.books_audited = true,
		.malformed = b->malformed,
		.buffer_bytes = b->ring.size,
		.bytes_per_event =
			(s->cfg.full ? sizeof(struct pt_full) : sizeof(struct pt_record)) +
			RING_HEADER,
		.buffer_peak = b->ring.peak,
	};
	bpf_load_counters(&b->loaded, &c);
	losses_by_cpu(&b->loaded, out);
	for (int k = 0; k < PT_KINDS; k++) {
		struct source_account *a = &out->account[out->naccounts];
		enum event_kind kind = bpf_event_kind[k];

		if (!b->loaded.prog[k] || !(s->cfg.filter->kinds & EV_MASK(kind)))
			continue;
		out->naccounts++;
		*a = (struct source_account){
			.kinds = EV_MASK(kind),
			.generated = c.seen[k],
			.delivered = b->delivered[k],
			.filtered = c.filtered[k],
			.ring_full = c.ring_full[k],
			.ring_full_ours = c.ring_full_ours[k],
		};
		program_stats(b->loaded.prog[k], kind, a, out);
		for (int i = 0; k == PT_EXEC && i < 2; i++)
			program_stats(b->loaded.failed[i], kind, a, out);
	}
}

/* The real thing, for a moment: nothing else tells as truly whether it works. */
static int bpf_probe(struct err *why)
{
	static const struct sink_ops ignore_ops = { 0 };
	struct sink ignore = { .ops = &ignore_ops };
	struct filter filter = filter_any();
	struct source s = { .cfg = source_cfg_default() };
	int err;

	s.cfg.filter = &filter;
	s.cfg.sink = &ignore;
	s.cfg.buffer_bytes = 1;
	err = bpf_open(&s, why);
	if (!err)
		err = bpf_start(&s, why);
	bpf_close(&s);
	return err;
}

const struct source_ops source_bpf = {
	.name = "bpf",
	.title = "eBPF",
	.summary = "programs on the sched_process tracepoints, through a ring buffer",
	.kinds = EV_MASK_ALL,
	.names = true,
	.buffer = BUFFER_RING,
	.bench_kinds = EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT),
	.probe = bpf_probe,
	.open = bpf_open,
	.start = bpf_start,
	.drain = bpf_drain,
	.fd = bpf_fd,
	.stop = bpf_stop,
	.stats = bpf_stats,
	.close = bpf_close,
};
