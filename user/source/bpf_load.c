// SPDX-License-Identifier: MIT
/* bpf_load: which programs and maps the settings need, and how they get into the kernel. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/bpf_priv.h" /* brings the types that config.h wants */

#include "bpf/config.h"
#include "source/bpf_refusal.h"
#include "source/proc_walk.h"

/* bpftool's code is not ours to mend. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#include "proctrace.skel.h"
#pragma GCC diagnostic pop

/* Enough for each process that can be alive at once where pid_max has its usual 32768. */
#define TRACK_MAX 65536
/* A ring of at least so many bytes is asked how full it is at every so manyth record of a CPU and kind. */
#define WAKE_LOOK_RING (1U << 20)
#define WAKE_LOOK_EVERY 16
#define IDS_MAX (FILTER_IDS * FILTER_SENSES * FILTER_MAX)
/* Ends of a process that may be told twice lie microseconds apart; LRU, so it cannot fill up. */
#define ENDED_MAX 4096
/* So many threads of each CPU may be between two steps of one execve(); LRU. */
#define IN_EXEC_MAX 512

/* Whether the running kernel's exit tracepoint has the argument group_dead: by BTF, not by version.
 * Without BTF for the kernel itself the answer is no: then signal->live decides. */
static bool exit_has_group_dead(const char *file)
{
	struct btf *btf = file ? btf__parse(file, NULL) : btf__load_vmlinux_btf();
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

/* Both halves number these alike. */
_Static_assert((int)PT_ID_PID == FILTER_PID && (int)PT_ID_PPID == FILTER_PPID &&
		       (int)PT_ID_UID == FILTER_UID && (int)PT_ID_CGROUP == FILTER_CGROUP &&
		       (int)PT_IDS == FILTER_IDS,
	       "ids");
_Static_assert((int)PT_NAME == FILTER_NAME * FILTER_SENSES + FILTER_ONLY &&
		       (int)PT_NOT_PATH == FILTER_PATH * FILTER_SENSES + FILTER_EXCEPT,
	       "texts");

static __u8 track_bits(const struct filter *f)
{
	return (f->follow[FILTER_ONLY].n ? PT_FOLLOWED : 0) |
	       (f->follow[FILTER_EXCEPT].n ? PT_UNFOLLOWED : 0) |
	       (f->text[FILTER_PATH][FILTER_ONLY].last ? PT_PATH_FITS : 0) |
	       (f->text[FILTER_PATH][FILTER_EXCEPT].last ? PT_PATH_UNFIT : 0);
}

static void config_filter(struct pt_config *c, const struct filter *f)
{
	for (int k = 0; k < PT_KINDS; k++)
		if (f->kinds & EV_MASK(bpf_event_kind[k]))
			c->kinds |= 1U << k;
	for (int i = 0; i < PT_IDS; i++) {
		c->id_sets |= f->id[i][FILTER_ONLY].n ? 1U << i : 0;
		c->id_sets |= f->id[i][FILTER_EXCEPT].n ? 1U << (i + PT_IDS) : 0;
	}
	for (int i = 0; i < PT_TEXTS; i++) {
		const struct needles *n = &f->text[i / FILTER_SENSES][i % FILTER_SENSES];

		c->text[i] = (struct pt_needles){ n->first, n->last };
	}
	c->cgroup_depth = (__u32)f->cgroup_depth;
	c->pidns = f->pidns == EV_NO_PIDNS ? 0 : (__u32)f->pidns;
	c->track = track_bits(f);
	c->track_want = c->track & (PT_FOLLOWED | PT_PATH_FITS);
	c->min_duration_ns = f->min_duration_ns;
	c->by_status = f->by_status;
	memcpy(c->exit_codes, f->exit_codes, sizeof(c->exit_codes));
	memcpy(c->exit_signals, f->exit_signals, sizeof(c->exit_signals));
}

static bool is_filtered(const struct pt_config *c)
{
	return c->id_sets || c->pidns || c->track || c->min_duration_ns || c->by_status ||
	       c->text[PT_NAME].last || c->text[PT_NOT_NAME].last || c->text[PT_PATH].last ||
	       c->text[PT_NOT_PATH].last;
}

static struct pt_config config_of(const struct source_cfg *cfg, size_t ring_bytes, int cpus)
{
	struct pt_config c = {
		.ours_pgid = cfg->ours_pgid == EV_NO_PID ? 0 : (__u32)cfg->ours_pgid,
		.cpus = (__u32)cpus,
		.has_group_dead = exit_has_group_dead(cfg->btf),
		.wake_bytes = ring_bytes / 2,
		.wake_look = ring_bytes < WAKE_LOOK_RING ? 0 : WAKE_LOOK_EVERY - 1,
		.full = cfg->full,
	};

	config_filter(&c, cfg->filter);
	c.lean = !cfg->full && !is_filtered(&c);
	if (!cfg->full)
		return c;
	c.want_cwd = cfg->want_cwd;
	c.want_usage = cfg->want_usage;
	c.want_threads = cfg->want_threads;
	c.want_failed = cfg->want_failed;
	if (cfg->want_args)
		c.args_max = cfg->args_max > PT_ARGS_MAX ? PT_ARGS_MAX : cfg->args_max;
	return c;
}

/* Chooses typed or raw programs, and of those only the ones that this configuration needs. */
static void programs_choose(struct bpf_loaded *l, const struct pt_config *c, bool typed)
{
	struct proctrace_bpf *s = l->skel;
	struct bpf_program *const both[PT_KINDS][2] = {
		[PT_FORK] = { s->progs.fork_raw, s->progs.fork_btf },
		[PT_EXEC] = { s->progs.exec_raw, s->progs.exec_btf },
		[PT_EXIT] = { s->progs.exit_raw, s->progs.exit_btf },
	};
	struct bpf_program *const calls[] = { s->progs.execve_enter, s->progs.execveat_enter,
					      s->progs.execve_exit, s->progs.execveat_exit };
	bool exec = c->kinds & (1U << PT_EXEC);

	for (int k = 0; k < PT_KINDS; k++) {
		bool needed = (c->kinds & (1U << k)) ||
			      (k == PT_EXEC ? c->track & (PT_PATH_FITS | PT_PATH_UNFIT) : c->track);

		bpf_program__set_autoload(both[k][!typed], false);
		bpf_program__set_autoload(both[k][typed], needed);
		l->prog[k] = needed ? both[k][typed] : NULL;
	}
	bpf_program__set_autoload(s->progs.rename_btf, exec && c->full && typed);
	bpf_program__set_autoload(s->progs.rename_raw, exec && c->full && !typed);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		bpf_program__set_autoload(calls[i], exec && c->want_failed);
	l->failed[0] = exec && c->want_failed ? s->progs.execve_exit : NULL;
	l->failed[1] = exec && c->want_failed ? s->progs.execveat_exit : NULL;
}

/* Room for the longest exec that the settings allow. */
static __u32 scratch_bytes(const struct pt_config *c)
{
	__u32 bytes = sizeof(struct pt_full) + PT_PATH_MAX + PT_INTERP_MAX + c->args_max;

	if (c->want_cwd)
		bytes += PT_CWD_MAX;
	if (c->want_failed)
		bytes += PT_ARG_MAX; /* the last one is read whole, then cut */
	return (bytes + 7) / 8 * 8;
}

static int maps_size(struct proctrace_bpf *s, const struct pt_config *c, size_t ring_bytes)
{
	const struct {
		struct bpf_map *map;
		bool needed;
		__u32 entries;
	} table[] = {
		{ s->maps.ring, true, (__u32)ring_bytes },
		{ s->maps.counters, true, c->cpus },
		{ s->maps.tracked, c->track, TRACK_MAX },
		{ s->maps.ids, c->id_sets, IDS_MAX },
		{ s->maps.ended, !c->has_group_dead, ENDED_MAX },
		{ s->maps.renamed, c->full, PT_RENAMED_SLOTS },
		{ s->maps.attempts, c->want_failed, IN_EXEC_MAX * c->cpus },
		{ s->maps.scratch, c->full, c->cpus * (c->want_failed ? 2U : 1U) },
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].needed)
			err = bpf_map__set_max_entries(table[i].map, table[i].entries);
	if (!err && c->full)
		err = bpf_map__set_value_size(s->maps.scratch, scratch_bytes(c));
	return err;
}

static size_t counters_bytes(int cpus)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE),
	       bytes = sizeof(struct pt_counters) * (size_t)cpus;

	return (bytes + page - 1) / page * page;
}

static int counters_map(struct bpf_loaded *l)
{
	void *p = mmap(NULL, counters_bytes(l->cpus), PROT_READ, MAP_SHARED,
		       bpf_map__fd(l->skel->maps.counters), 0);

	if (p == MAP_FAILED)
		return -errno;
	l->counters = p;
	return 0;
}

static int ids_fill(struct bpf_map *map, const struct filter *f)
{
	int err = 0;

	for (unsigned set = 0; set < PT_IDS * FILTER_SENSES; set++) {
		const struct filter_values *values = &f->id[set % PT_IDS][set / PT_IDS];

		for (unsigned i = 0; !err && i < values->n; i++) {
			struct pt_id_key key = { .set = set, .id = values->v[i] };
			__u8 one = 1;

			err = bpf_map__update_elem(map, &key, sizeof(key), &one, sizeof(one),
						   BPF_ANY);
		}
	}
	return err;
}

static int track_add(struct bpf_loaded *l, pid_t pid, __u8 add)
{
	__u32 key = (__u32)pid;
	__u8 bits = 0;

	if (!bpf_map__lookup_elem(l->skel->maps.tracked, &key, sizeof(key), &bits, sizeof(bits),
				  0) &&
	    (bits & add) == add)
		return 0;
	bits |= add;
	return bpf_map__update_elem(l->skel->maps.tracked, &key, sizeof(key), &bits, sizeof(bits),
				    BPF_ANY);
}

static int roots_fill(struct bpf_loaded *l, const struct filter *f)
{
	static const __u8 bit[FILTER_SENSES] = {
		[FILTER_ONLY] = PT_FOLLOWED, [FILTER_EXCEPT] = PT_UNFOLLOWED
	};
	int err = 0;

	for (int sense = 0; sense < FILTER_SENSES; sense++)
		for (unsigned i = 0; !err && i < f->follow[sense].n; i++)
			err = track_add(l, (pid_t)f->follow[sense].v[i], bit[sense]);
	return err;
}

/* What the parent has and the child lacks: it was forked before the programs ran. */
static bool process_seed(void *ctx, pid_t pid, pid_t ppid)
{
	struct bpf_loaded *l = ctx;
	__u32 key = (__u32)ppid;
	__u8 of_parent = 0, of_child = 0, missing;

	if (bpf_map__lookup_elem(l->skel->maps.tracked, &key, sizeof(key), &of_parent,
				 sizeof(of_parent), 0))
		return false;
	key = (__u32)pid;
	bpf_map__lookup_elem(l->skel->maps.tracked, &key, sizeof(key), &of_child, sizeof(of_child),
			     0);
	missing = of_parent & ~of_child & (PT_FOLLOWED | PT_UNFOLLOWED);
	if (!missing || track_add(l, pid, missing))
		return false;
	if (kill(pid, 0) && errno == ESRCH) /* and nobody was there any more to take it out again */
		bpf_map__delete_elem(l->skel->maps.tracked, &key, sizeof(key), 0);
	return true;
}

static int skel_load(struct bpf_loaded *l, const struct source_cfg *cfg, size_t ring_bytes,
		     bool typed)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = cfg->btf);
	struct pt_config c;
	int err;

	bpf_refusal_reset();
	c = config_of(cfg, ring_bytes, l->cpus);
	l->skel = proctrace_bpf__open_opts(&opts);
	if (!l->skel)
		return -errno;
	l->skel->rodata->cfg = c;
	for (int i = 0; i < PT_TEXTS; i++)
		memcpy(l->skel->rodata->needle_mask[i],
		       cfg->filter->text[i / FILTER_SENSES][i % FILTER_SENSES].mask,
		       sizeof(l->skel->rodata->needle_mask[i]));
	programs_choose(l, &c, typed);
	err = maps_size(l->skel, &c, ring_bytes);
	if (!err)
		err = proctrace_bpf__load(l->skel);
	if (!err)
		err = counters_map(l);
	if (!err)
		err = ids_fill(l->skel->maps.ids, cfg->filter);
	if (!err)
		err = roots_fill(l, cfg->filter);
	if (err)
		bpf_unload(l);
	return err;
}

/* tp_btf where the kernel takes it, else raw_tp: found out by trying. */
int bpf_load(struct bpf_loaded *l, const struct source_cfg *cfg, size_t ring_bytes)
{
	int err = -EINVAL;

	*l = (struct bpf_loaded){ .cpus = libbpf_num_possible_cpus() };
	if (l->cpus < 0)
		return l->cpus;
	if (cfg->attach != ATTACH_RAW_TP)
		err = skel_load(l, cfg, ring_bytes, true);
	if (err && cfg->attach != ATTACH_TP_BTF && err != -EPERM && err != -ENOMEM)
		err = skel_load(l, cfg, ring_bytes, false);
	return err;
}

int bpf_load_attach(struct bpf_loaded *l, const struct filter *f)
{
	int err = proctrace_bpf__attach(l->skel);

	if (!err && (f->follow[FILTER_ONLY].n || f->follow[FILTER_EXCEPT].n))
		err = proc_walk(process_seed, l);
	return err;
}

void bpf_load_detach(struct bpf_loaded *l)
{
	proctrace_bpf__detach(l->skel);
}

void bpf_unload(struct bpf_loaded *l)
{
	if (l->counters)
		munmap((void *)(uintptr_t)l->counters, counters_bytes(l->cpus));
	l->counters = NULL;
	proctrace_bpf__destroy(l->skel);
	l->skel = NULL;
}

int bpf_load_ring_fd(const struct bpf_loaded *l)
{
	return bpf_map__fd(l->skel->maps.ring);
}

void bpf_load_counters(const struct bpf_loaded *l, struct pt_counters *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (int cpu = 0; cpu < l->cpus; cpu++) {
		const __u64 *from = (const __u64 *)&l->counters[cpu];
		__u64 *to = (__u64 *)sum;

		for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
			to[i] += __atomic_load_n(&from[i], __ATOMIC_RELAXED);
	}
}
