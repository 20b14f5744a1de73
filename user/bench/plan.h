/* SPDX-License-Identifier: MIT */
/*
 * plan: which cells a bench runs, and in which order.
 *
 * A round runs every scenario with every monitor once, in an order shuffled anew each time (recorded seed).
 * Where "none" is among them, nobody watches before and after each monitor's slice: none, A, none, B, none.
 * Each slice then has neighbours that drift of the machine hit alike, and a slice that warms up came first. Pure.
 */
#ifndef PT_BENCH_PLAN_H
#define PT_BENCH_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "bench/conditions.h"
#include "bench/external.h"
#include "load/load.h"
#include "source/source.h"

#define PLAN_MAX_SOURCES 2 /* watching together */
#define PLAN_MAX_MONITORS 16
#define PLAN_MAX_SCENARIOS 128

/* Who watches: nobody ("none"), one source, or two at once ("bpf+netlink"). */
struct monitor {
	char name[64];
	const struct source_ops *source[PLAN_MAX_SOURCES];
	unsigned nsources;
	const struct external_cfg *external; /* someone else's, without sources; borrowed */
	uint32_t rounds; /* takes part in the first ones only; 0: in all */
};

struct scenario {
	char name[32];
	char study[16]; /* what it is a part of; empty: stands for itself, in a table of its own */
	struct load_cfg load;
	struct conditions cond;
	uint32_t monitors; /* mask of indices into plan.monitor; 0: all */
	uint32_t rounds; /* 0: as many as the plan has */
};

enum purpose {
	SLICE_MEASURE,
	SLICE_WARM_UP, /* does not count */
	SLICE_KERNEL, /* the kernel times the programs: events count, rates do not */
};

struct plan_cell {
	unsigned scenario, monitor; /* indices */
	uint32_t round; /* 1… */
	enum purpose purpose;
};

struct plan {
	struct monitor monitor[PLAN_MAX_MONITORS];
	unsigned nmonitors;
	struct scenario scenario[PLAN_MAX_SCENARIOS];
	unsigned nscenarios;
	struct plan_cell *cell;
	size_t ncells;
};

/* The monitors that are compared by default, comma-separated. */
#define PLAN_DEFAULT_MONITORS "none,bpf,netlink,netlink-names,bpf+netlink"

/* Adds the monitor @name: "none", a source, or two joined by "+". 0 or -EINVAL with a sentence. */
int plan_add_monitor(struct plan *p, const char *name, struct err *e);
/* Adds someone else's monitor, for the first @rounds (0: all). 0 or -EINVAL with a sentence. */
int plan_add_external(struct plan *p, const struct external_cfg *x, uint32_t rounds, struct err *e);
/* Adds the named scenario (or, with NULL, all default ones) for a machine of @cpus CPUs on top of the
 * common settings @base. 0 or -EINVAL with a sentence that lists the names. */
int plan_add_scenario(struct plan *p, const char *name, unsigned cpus, const struct load_cfg *base,
		      struct err *e);
/* Adds one scenario that is exactly @load. 0 or -EINVAL. */
int plan_add_custom(struct plan *p, const char *name, const struct load_cfg *load, struct err *e);
/* Adds @s as it is. 0 or -EINVAL. */
int plan_add(struct plan *p, const struct scenario *s, struct err *e);
/* Leaves only the scenarios whose name or study is @name in @names. 0 or -EINVAL: nothing is called @names[i]. */
int plan_keep(struct plan *p, const char *const *names, unsigned n, struct err *e);
/* The mask of the monitors in @list (comma-separated) that the plan has. */
uint32_t plan_monitors(const struct plan *p, const char *list);
/* Fills cell[]. 0 or -ENOMEM. */
int plan_order(struct plan *p, uint32_t rounds, uint64_t seed);
/* Appends another @round of the scenarios that are set in @wanted[]. 0 or -ENOMEM. */
int plan_append(struct plan *p, uint32_t round, uint64_t seed, const bool *wanted);
void plan_free(struct plan *p);

#endif
