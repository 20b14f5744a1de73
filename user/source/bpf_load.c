// SPDX-License-Identifier: MIT
/* bpf_load: which programs and maps the settings need, and how they get into the kernel. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/bpf_priv.h"
#include "source/bpf_refusal.h"

/* bpftool's code is not ours to mend. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#include "proctrace.skel.h"
#pragma GCC diagnostic pop

/* Enough for each descendant that can be alive at once where pid_max has its usual 32768. */
#define FOLLOW_MAX 65536
/* Ends of a process that may be told twice lie microseconds apart; LRU, so it cannot fill up. */
#define ENDED_MAX 4096
/* So many threads of each CPU may be between two steps of one execve(); LRU. */
#define IN_EXEC_MAX 512

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

static void config_filter(struct pt_config *c, const struct filter *f)
{
	for (int k = 0; k < PT_KINDS; k++)
		if (f->kinds & EV_MASK(bpf_event_kind[k]))
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
}

static struct pt_config config_of(const struct source_cfg *cfg, size_t ring_bytes, int cpus)
{
	struct pt_config c = {
		.ours_pgid = cfg->ours_pgid == EV_NO_PID ? 0 : (__u32)cfg->ours_pgid,
		.cpus = (__u32)cpus,
		.has_group_dead = exit_has_group_dead(),
		.wake_bytes = ring_bytes / 2,
		.full = cfg->full,
	};

	config_filter(&c, cfg->filter);
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
		bool needed = (c->kinds & (1U << k)) || (c->follow && k != PT_EXEC);

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
		{ s->maps.followed, c->follow, FOLLOW_MAX },
		{ s->maps.ended, !c->has_group_dead, ENDED_MAX },
		{ s->maps.renamed, c->full, IN_EXEC_MAX * c->cpus },
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

static int skel_load(struct bpf_loaded *l, const struct source_cfg *cfg, size_t ring_bytes,
		     bool typed)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = cfg->btf);
	struct pt_config c = config_of(cfg, ring_bytes, l->cpus);
	int err;

	bpf_refusal_reset();
	l->skel = proctrace_bpf__open_opts(&opts);
	if (!l->skel)
		return -errno;
	l->skel->rodata->cfg = c;
	programs_choose(l, &c, typed);
	err = maps_size(l->skel, &c, ring_bytes);
	if (!err)
		err = proctrace_bpf__load(l->skel);
	if (!err)
		err = counters_map(l);
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
	if (!err && cfg->filter->follow != EV_NO_PID) {
		__u32 pid = (__u32)cfg->filter->follow;
		__u8 one = 1;

		err = bpf_map__update_elem(l->skel->maps.followed, &pid, sizeof(pid), &one,
					   sizeof(one), BPF_ANY);
	}
	return err;
}

int bpf_load_attach(struct bpf_loaded *l)
{
	return proctrace_bpf__attach(l->skel);
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
