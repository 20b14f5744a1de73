// SPDX-License-Identifier: MIT
/*
 * bpf: CO-RE programs on sched_process_{fork,exec,exit} → ring buffer → struct event.
 *
 * Order: load → map the ring → attach → … → detach → drain → read counters.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <linux/types.h>

#include "base/clock.h"
#include "bpf/wire.h"
#include "source/bpf_refusal.h"
#include "source/ring.h"
#include "source/source.h"

/* bpftool's code is not ours to mend. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#include "proctrace.skel.h"
#pragma GCC diagnostic pop

#define RING_DEFAULT (4U << 20)
#define RING_MAX (1ULL << 30)
#define RING_HEADER 8 /* bytes that the ring adds to each record */

/* Enough for each descendant that can be alive at once where pid_max has its usual 32768. */
#define FOLLOW_MAX 65536
/* Ends of a process that may be told twice lie microseconds apart; LRU, so it cannot fill up. */
#define ENDED_MAX 4096

struct bpf_source {
	struct proctrace_bpf *skel;
	struct bpf_program *prog[PT_KINDS]; /* the three that run: typed or raw */
	struct ring ring;
	int epoll; /* edge-triggered: tells of wakeups during the nap */
	struct sink *sink;
	bool want_args;
	uint64_t rx_ns; /* when this batch was taken out */
	uint64_t delivered[PT_KINDS], malformed;
	uint64_t lost_told[PT_KINDS];
	int possible_cpus;
	struct pt_counters *percpu; /* room for reading the counters of all CPUs */
};

static const enum event_kind event_of[PT_KINDS] = {
	[PT_FORK] = EV_FORK, [PT_EXEC] = EV_EXEC, [PT_EXIT] = EV_EXIT
};

/* ---- open ------------------------------------------------------------------------------------- */

/* Whether the running kernel's exit tracepoint has the argument group_dead: by BTF, not by version.
 * Without BTF for the kernel itself the answer is no: then signal->live decides. */
static bool exit_has_group_dead(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *t;
	bool has = false;
	int id;

	if (libbpf_get_error(btf))
		return false;
	id = btf__find_by_name_kind(btf, "btf_trace_sched_process_exit", BTF_KIND_TYPEDEF);
	t = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	t = t ? btf__type_by_id(btf, t->type) : NULL; /* pointer to … */
	t = t ? btf__type_by_id(btf, t->type) : NULL; /* … function: context, task, group_dead */
	if (t && btf_is_func_proto(t))
		has = btf_vlen(t) >= 3;
	btf__free(btf);
	return has;
}

static void config_fill(struct pt_config *c, const struct source_cfg *cfg, size_t ring_bytes)
{
	const struct filter *f = cfg->filter;

	for (int k = 0; k < PT_KINDS; k++)
		if (f->kinds & EV_MASK(event_of[k]))
			c->kinds |= 1U << k;
	c->pid = f->pid == EV_NO_PID ? 0 : (__u32)f->pid;
	c->has_uid = f->uid != EV_NO_UID;
	c->uid = f->uid;
	c->name_len = (__u32)strnlen(f->name, sizeof(f->name));
	memcpy(c->name, f->name, c->name_len);
	if (f->cgroup_id != EV_NO_CGROUP && f->cgroup_level > 0) {
		c->cgroup_id = f->cgroup_id;
		c->cgroup_level = f->cgroup_level;
	}
	c->follow = f->follow != EV_NO_PID;
	c->ours_pgid = cfg->ours_pgid == EV_NO_PID ? 0 : (__u32)cfg->ours_pgid;
	c->want_path = cfg->want_path;
	c->want_args = cfg->want_args;
	c->args_max = cfg->args_max > PT_ARGS_MAX ? PT_ARGS_MAX : cfg->args_max;
	c->has_group_dead = exit_has_group_dead();
	c->wake_bytes = ring_bytes / 2;
}

/* Chooses typed or raw programs, and of those only the ones that this configuration needs. */
static void programs_choose(struct bpf_source *b, const struct pt_config *c, bool typed)
{
	struct proctrace_bpf *s = b->skel;
	struct bpf_program *const both[PT_KINDS][2] = {
		[PT_FORK] = { s->progs.fork_raw, s->progs.fork_btf },
		[PT_EXEC] = { s->progs.exec_raw, s->progs.exec_btf },
		[PT_EXIT] = { s->progs.exit_raw, s->progs.exit_btf },
	};

	for (int k = 0; k < PT_KINDS; k++) {
		bool needed = (c->kinds & (1U << k)) || (c->follow && k != PT_EXEC);

		bpf_program__set_autoload(both[k][!typed], false);
		bpf_program__set_autoload(both[k][typed], needed);
		b->prog[k] = needed ? both[k][typed] : NULL;
	}
}

static int maps_size(struct proctrace_bpf *s, const struct pt_config *c, size_t ring_bytes)
{
	int err = bpf_map__set_max_entries(s->maps.ring, (__u32)ring_bytes);

	if (!err && c->follow)
		err = bpf_map__set_max_entries(s->maps.followed, FOLLOW_MAX);
	if (!err && !c->has_group_dead)
		err = bpf_map__set_max_entries(s->maps.ended, ENDED_MAX);
	return err;
}

static int skel_load(struct bpf_source *b, const struct source_cfg *cfg, size_t ring_bytes,
		     bool typed)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = cfg->btf);
	struct pt_config c = { 0 };
	int err;

	bpf_refusal_reset();
	b->skel = proctrace_bpf__open_opts(&opts);
	if (!b->skel)
		return -errno;
	config_fill(&c, cfg, ring_bytes);
	b->skel->rodata->cfg = c;
	programs_choose(b, &c, typed);
	err = maps_size(b->skel, &c, ring_bytes);
	if (!err)
		err = proctrace_bpf__load(b->skel);
	if (err) {
		proctrace_bpf__destroy(b->skel);
		b->skel = NULL;
	}
	return err;
}

/* tp_btf where the kernel takes it, else raw_tp: found out by trying. */
static int skel_open(struct bpf_source *b, const struct source_cfg *cfg, size_t ring_bytes)
{
	int err = -EINVAL;

	if (cfg->attach != ATTACH_RAW_TP)
		err = skel_load(b, cfg, ring_bytes, true);
	if (err && cfg->attach != ATTACH_TP_BTF && err != -EPERM && err != -ENOMEM)
		err = skel_load(b, cfg, ring_bytes, false);
	return err;
}

static int follow_root(struct bpf_source *b, pid_t root)
{
	__u32 pid = (__u32)root;
	__u8 one = 1;

	return bpf_map__update_elem(b->skel->maps.followed, &pid, sizeof(pid), &one, sizeof(one),
				    BPF_ANY);
}

static int reader_open(struct bpf_source *b, size_t ring_bytes)
{
	int map_fd = bpf_map__fd(b->skel->maps.ring);
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	int err = ring_open(&b->ring, map_fd, ring_bytes);

	if (err)
		return err;
	b->possible_cpus = libbpf_num_possible_cpus();
	if (b->possible_cpus < 0)
		return b->possible_cpus;
	b->percpu = calloc((size_t)b->possible_cpus, sizeof(*b->percpu));
	if (!b->percpu)
		return -ENOMEM;
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
	proctrace_bpf__destroy(b->skel);
	free(b->percpu);
	free(b);
	s->priv = NULL;
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
	ring_bytes = ring_round_size(asked);
	b = calloc(1, sizeof(*b));
	if (!b)
		return err_set(e, -ENOMEM, "out of memory");
	s->priv = b;
	b->epoll = -1;
	b->sink = s->cfg.sink;
	b->want_args = s->cfg.want_args;
	err = skel_open(b, &s->cfg, ring_bytes);
	if (!err)
		err = reader_open(b, ring_bytes);
	if (!err && s->cfg.filter->follow != EV_NO_PID)
		err = follow_root(b, s->cfg.filter->follow);
	if (err) {
		bpf_close(s);
		return bpf_refusal_explain(err, s->cfg.btf, ring_bytes, e);
	}
	return 0;
}

static int bpf_start(struct source *s, struct err *e)
{
	struct bpf_source *b = s->priv;
	int err = proctrace_bpf__attach(b->skel);

	if (err)
		return bpf_refusal_explain(err, s->cfg.btf, b->ring.size, e);
	return 0;
}

static void bpf_stop(struct source *s)
{
	struct bpf_source *b = s->priv;

	proctrace_bpf__detach(b->skel);
}

/* ---- events ----------------------------------------------------------------------------------- */

static void strings_take(struct event *ev, const struct pt_exec *x, size_t len, bool want_args)
{
	size_t room = len - offsetof(struct pt_exec, data);

	if (x->path_len > room || x->args_len > room - x->path_len)
		return;
	if (x->path_len)
		ev->path = (struct str){ x->data, x->path_len - 1 };
	if (want_args && !(x->rec.flags & PT_ARGS_UNREADABLE))
		ev->args = (struct str){ x->data + x->path_len, x->args_len };
}

static uint32_t flags_take(uint8_t wire)
{
	static const struct {
		uint8_t wire;
		uint32_t flag;
	} table[] = {
		{ PT_ARGS_TRUNCATED, EVF_ARGS_TRUNCATED },
		{ PT_PATH_TRUNCATED, EVF_PATH_TRUNCATED },
		{ PT_ARGS_UNREADABLE, EVF_ARGS_UNREADABLE },
		{ PT_NONLEADER_EXEC, EVF_NONLEADER_EXEC },
	};
	uint32_t flags = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (wire & table[i].wire)
			flags |= table[i].flag;
	return flags;
}

static void record_take(void *ctx, const void *data, size_t len)
{
	struct bpf_source *b = ctx;
	const struct pt_record *r = data;
	struct event ev;

	if (len < sizeof(*r) || r->kind >= PT_KINDS) {
		b->malformed++;
		return;
	}
	ev = event_empty(event_of[r->kind]);
	ev.cpu = r->cpu;
	ev.flags = r->flags ? flags_take(r->flags) : 0;
	ev.ts_ns = r->ts_ns;
	ev.rx_ns = b->rx_ns;
	ev.pid = (pid_t)r->pid;
	ev.tid = (pid_t)r->tid;
	ev.ppid = (pid_t)r->ppid;
	ev.uid = r->uid;
	ev.cgroup_id = r->cgroup_id;
	/* Older kernels leave bytes of an earlier name behind the NUL. */
	memcpy(ev.comm, r->comm, strnlen(r->comm, sizeof(ev.comm)));
	if (r->kind == PT_EXIT) {
		ev.status = r->status;
		ev.duration_ns = r->duration_ns;
		ev.tid = ev.pid; /* the end of the process, whichever thread was the last */
	} else if (r->kind == PT_EXEC && len > sizeof(*r)) {
		strings_take(&ev, data, len, b->want_args);
	}
	b->delivered[r->kind]++;
	sink_event(b->sink, &ev);
}

static int counters_read(struct bpf_source *b, struct pt_counters *sum)
{
	__u32 zero = 0;
	int err = bpf_map__lookup_elem(b->skel->maps.counters, &zero, sizeof(zero), b->percpu,
				       sizeof(*b->percpu) * (size_t)b->possible_cpus, 0);

	memset(sum, 0, sizeof(*sum));
	if (err)
		return err;
	for (int cpu = 0; cpu < b->possible_cpus; cpu++) {
		const __u64 *from = (const __u64 *)&b->percpu[cpu];
		__u64 *to = (__u64 *)sum;

		for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
			to[i] += from[i];
	}
	return 0;
}

/* Tells the sink of losses where they happened in the stream. */
static void losses_tell(struct bpf_source *b)
{
	struct pt_counters c;

	if (!b->sink->ops->lost || counters_read(b, &c))
		return;
	for (int k = 0; k < PT_KINDS; k++)
		if (c.ring_full[k] > b->lost_told[k]) {
			b->sink->ops->lost(b->sink, event_of[k], c.ring_full[k] - b->lost_told[k],
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

static int bpf_drain(struct source *s, int timeout_ms)
{
	struct bpf_source *b = s->priv;
	struct pollfd fds[] = { { .fd = bpf_map__fd(b->skel->maps.ring), .events = POLLIN },
				{ .fd = s->cfg.wake_fd, .events = POLLIN } };
	int n;

	if (timeout_ms) {
		n = poll(fds, 2, timeout_ms);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && fds[0].revents)
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
static void program_stats(struct bpf_program *prog, int kind, struct source_account *a,
			  struct source_stats *out)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
		return;
	out->not_run_known = len >= offsetof(struct bpf_prog_info, recursion_misses) +
					    sizeof(info.recursion_misses);
	if (out->not_run_known) {
		a->not_run = info.recursion_misses;
		a->generated += info.recursion_misses;
	}
	out->bpf_run_ns[event_of[kind]] = info.run_time_ns;
	out->bpf_run_cnt[event_of[kind]] = info.run_cnt;
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
		.bytes_per_event = sizeof(struct pt_record) + RING_HEADER,
		.buffer_peak = b->ring.peak,
	};
	if (counters_read(b, &c))
		out->books_audited = false;
	for (int k = 0; k < PT_KINDS; k++) {
		struct source_account *a = &out->account[out->naccounts];

		if (!b->prog[k] || !(s->cfg.filter->kinds & EV_MASK(event_of[k])))
			continue;
		out->naccounts++;
		*a = (struct source_account){
			.kinds = EV_MASK(event_of[k]),
			.generated = c.seen[k],
			.delivered = b->delivered[k],
			.filtered = c.filtered[k],
			.ring_full = c.ring_full[k],
			.ring_full_ours = c.ring_full_ours[k],
		};
		program_stats(b->prog[k], k, a, out);
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
	.stop = bpf_stop,
	.stats = bpf_stats,
	.close = bpf_close,
};
