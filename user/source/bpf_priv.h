/* SPDX-License-Identifier: MIT */
/* bpf_priv: what the parts of the bpf source share; for them alone. */
#ifndef PT_SOURCE_BPF_PRIV_H
#define PT_SOURCE_BPF_PRIV_H

#include <linux/types.h>

#include "bpf/wire.h"
#include "source/ring.h"
#include "source/source.h"

struct proctrace_bpf;
struct bpf_program;

/* ---- bpf_load: from settings to programs in the kernel ------------------------------------------ */

struct bpf_loaded {
	struct proctrace_bpf *skel;
	struct bpf_program *prog[PT_KINDS]; /* the three that run: typed or raw */
	struct bpf_program *failed[2]; /* those that see execs fail, or NULL */
	int cpus; /* possible ones */
	const struct pt_counters *counters; /* mapped, a row for each CPU */
};

/* Loads what @cfg needs. 0 or -errno, with nothing left loaded. */
int bpf_load(struct bpf_loaded *l, const struct source_cfg *cfg, size_t ring_bytes);
/* Lets them run, and finds the descendants that @f asks for which live already. */
int bpf_load_attach(struct bpf_loaded *l, const struct filter *f);
void bpf_load_detach(struct bpf_loaded *l);
/* NULL-safe in all parts. */
void bpf_unload(struct bpf_loaded *l);
int bpf_load_ring_fd(const struct bpf_loaded *l);
void bpf_load_counters(const struct bpf_loaded *l, struct pt_counters *sum);

/* ---- bpf_take: from records to events ------------------------------------------------------------ */

/* Room for what is put together in user space. */
struct bpf_strings {
	char path[PT_PATH_MAX + 32]; /* /dev/fd/N/ before it */
	char cwd[PT_CWD_MAX + 1];
};

extern const enum event_kind bpf_event_kind[PT_KINDS];

/* Fills @ev from the record @data of @len bytes; false if it is malformed. Strings of @ev live as long as
 * the record and @room. */
bool bpf_take(struct event *ev, const void *data, size_t len, const struct source_cfg *cfg,
	      struct bpf_strings *room);

#endif
