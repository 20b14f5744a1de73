// SPDX-License-Identifier: MIT
/* The laws of loss: what a monitor loses under which circumstances, one study after the other. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "bench/suite.h"

struct study {
	struct plan *plan;
	const char *name;
	unsigned cpus;
	const struct load_cfg *base;
	struct err *e;
};

/* One scenario of the study, for those of @monitors that the plan has; none: nothing to run. */
static int study_add(const struct study *st, const char *name, const char *monitors,
		     const struct load_cfg *load, const struct conditions *cond)
{
	struct scenario s = { .load = *load, .cond = *cond };

	s.monitors = plan_monitors(st->plan, monitors);
	if (!s.monitors)
		return 0;
	snprintf(s.name, sizeof(s.name), "%s", name);
	snprintf(s.study, sizeof(s.study), "%s", st->name);
	return plan_add(st->plan, &s, st->e);
}

/* ---- stall ------------------------------------------------------------------------------------ */

/* Buffers that hold a reader's stall about equally long, since netlink charges 17 times as much. */
static const struct {
	const char *monitor;
	uint64_t bytes[3];
	uint64_t charge; /* bytes a launch: only to choose how long to stall */
	bool socket;
} stall_buffers[] = {
	{ "bpf", { 64 << 10, 256 << 10, 1 << 20 }, 2 * 72, false },
	{ "netlink", { 1 << 20, 4 << 20, 16 << 20 }, 3 * 832, true },
};

static const double stall_rates[] = { 2000, 5000 };

#define STALL_AFTER (100 * NSEC_PER_MSEC) /* then everything is warm and the buffer empty */
#define STALL_MARGIN 1.4 /* longer than the buffer lasts */
#define STALL_TAIL (200 * NSEC_PER_MSEC) /* in which it delivers again */

static int stall_add_one(const struct study *st, size_t row, unsigned size, double rate)
{
	const uint64_t bytes = stall_buffers[row].bytes[size];
	const double holds = (double)bytes / (rate * (double)stall_buffers[row].charge);
	struct load_cfg load = *st->base;
	struct conditions cond = { .stall_after_ns = STALL_AFTER };
	char name[32];

	load.workers = 1;
	load.mode = LOAD_WAIT;
	load.rate = rate;
	cond.stall_ns = (uint64_t)(holds * STALL_MARGIN * NSEC_PER_SEC);
	load.duration_ns = STALL_AFTER + cond.stall_ns + STALL_TAIL;
	*(stall_buffers[row].socket ? &cond.rcvbuf_bytes : &cond.ring_bytes) = bytes;
	snprintf(name, sizeof(name), "stall-%s-%lluK-%.0f", stall_buffers[row].monitor,
		 (unsigned long long)bytes >> 10, rate);
	return study_add(st, name, stall_buffers[row].monitor, &load, &cond);
}

static int stall_add(const struct study *st)
{
	int err = 0;

	for (size_t row = 0; row < sizeof(stall_buffers) / sizeof(*stall_buffers); row++)
		for (unsigned size = 0; size < 3; size++)
			for (unsigned r = 0; !err && r < 2; r++)
				err = stall_add_one(st, row, size, stall_rates[r]);
	return err;
}

/* ---- knee ------------------------------------------------------------------------------------- */

/* Launches a second; 0: as many as the machine starts. */
static const double knee_rates[] = { 100, 300, 1000, 2000, 4000, 6000, 8000, 12000, 0 };

#define ALL_MONITORS "none,bpf,netlink,netlink-names"

static int knee_add(const struct study *st)
{
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(knee_rates) / sizeof(*knee_rates); i++) {
		struct load_cfg load = *st->base;
		const struct conditions cond = { 0 };
		char name[32] = "knee-max";

		load.workers = st->cpus < LOAD_MAX_WORKERS ? st->cpus : LOAD_MAX_WORKERS;
		load.mode = LOAD_WAIT;
		load.rate = knee_rates[i];
		if (load.rate > 0)
			snprintf(name, sizeof(name), "knee-%.0f", load.rate);
		err = study_add(st, name, ALL_MONITORS, &load, &cond);
	}
	return err;
}

/* ---- lifetime --------------------------------------------------------------------------------- */

static const unsigned lifetimes_us[] = { 0, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000 };

/* Few enough a second that the reader waits for the next process, not the other way round. */
#define LIFETIME_RATE 500

/* Long lives leave time for few launches: so much longer, up to three times. */
static uint64_t lifetime_duration(uint64_t ns, uint64_t lifetime_ns)
{
	return ns + ns * (lifetime_ns < 10 * NSEC_PER_MSEC ? lifetime_ns : 10 * NSEC_PER_MSEC) /
			    (5 * NSEC_PER_MSEC);
}

static int lifetime_add(const struct study *st)
{
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(lifetimes_us) / sizeof(*lifetimes_us); i++) {
		struct load_cfg load = *st->base;
		struct conditions cond = { .lifetime_ns = lifetimes_us[i] * NSEC_PER_USEC };
		char name[32];

		load.workers = 1;
		load.mode = LOAD_WAIT;
		load.rate = LIFETIME_RATE;
		load.lifetime_ns = cond.lifetime_ns;
		load.duration_ns = lifetime_duration(st->base->duration_ns, cond.lifetime_ns);
		snprintf(name, sizeof(name), "lifetime-%u", lifetimes_us[i]);
		err = study_add(st, name, "bpf,netlink-names", &load, &cond);
	}
	return err;
}

/* ---- bursts, starved readers, victims, targets ------------------------------------------------ */

static const unsigned bursts[] = { 100, 1000, 10000, 30000 };

static int burst_add(const struct study *st)
{
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(bursts) / sizeof(*bursts); i++) {
		struct load_cfg load = *st->base;
		const struct conditions cond = { .twice = true, .pause_ns = 300 * NSEC_PER_MSEC };
		char name[32];

		load.workers = 1;
		load.mode = LOAD_NOWAIT;
		load.duration_ns = 0;
		load.count = bursts[i];
		snprintf(name, sizeof(name), "burst-%u", bursts[i]);
		err = study_add(st, name, "bpf,netlink,netlink-names", &load, &cond);
	}
	return err;
}

#define STARVED_CPU_PCT 5

static const struct {
	const char *name;
	enum reader_place place;
} places[] = {
	{ "starved-free", READER_FREE },
	{ "starved-nice", READER_STARVED },
	{ "starved-pinned", READER_PINNED },
	{ "starved-limited", READER_LIMITED },
};

static int starved_add(const struct study *st)
{
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(places) / sizeof(*places); i++) {
		struct load_cfg load = *st->base;
		const struct conditions cond = { .place = places[i].place,
						 .cpu_limit_pct = STARVED_CPU_PCT };

		load.workers = 1;
		load.mode = LOAD_WAIT;
		err = study_add(st, places[i].name, "bpf,netlink,netlink-names", &load, &cond);
	}
	return err;
}

static int victim_add(const struct study *st)
{
	struct load_cfg load = *st->base;
	const struct conditions listener = { 0 }, unwatched = { .unwatched = true };
	int err = 0;

	load.workers = 1;
	load.mode = LOAD_WAIT;
	if (plan_monitors(st->plan, "netlink") && plan_monitors(st->plan, "netlink-names"))
		err = plan_add_monitor(st->plan, "netlink+netlink-names", st->e);
	if (!err)
		err = study_add(st, "victim-alone", "netlink", &load, &listener);
	if (!err)
		err = study_add(st, "victim-beside", "netlink+netlink-names,bpf+netlink", &load,
				&listener);
	return err ? err : study_add(st, "victim-unwatched", ALL_MONITORS, &load, &unwatched);
}

static int target_add(const struct study *st)
{
	int err = 0;

	for (unsigned t = 0; !err && load_target_names[t]; t++) {
		struct load_cfg load = *st->base;
		const struct conditions cond = { 0 };
		char name[32];

		load.workers = 1;
		load.mode = LOAD_WAIT;
		load.target = (enum load_target)t;
		snprintf(name, sizeof(name), "target-%s", load_target_names[t]);
		err = study_add(st, name, ALL_MONITORS, &load, &cond);
	}
	return err;
}

/* ---- the suite -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	int (*add)(const struct study *st);
} studies[] = {
	{ "stall", stall_add },	  { "knee", knee_add },	      { "lifetime", lifetime_add },
	{ "burst", burst_add },	  { "starved", starved_add }, { "victim", victim_add },
	{ "target", target_add },
};

int suite_full_add(struct plan *p, unsigned cpus, const struct load_cfg *base, struct err *e)
{
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(studies) / sizeof(*studies); i++) {
		const struct study st = { p, studies[i].name, cpus, base, e };

		err = studies[i].add(&st);
	}
	if (!err && !p->nscenarios)
		err = err_set(e, -EINVAL, "--suite full has nothing to run for these monitors");
	return err;
}
