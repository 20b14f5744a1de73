// SPDX-License-Identifier: MIT
#include "bench/explain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"

#define ROUNDS 9
#define SLICE_NS (60 * NSEC_PER_MSEC)
#define GAP_NS (30 * NSEC_PER_MSEC)
#define LAUNCHES_MOST 100000
#define BALLAST_FDS 10000U
#define BALLAST_MIB 256
#define WORKERS_MOST 10
#define SLEEPS 300
#define SLEEP_NS 3000 /* the article's pause */

/* Launchers that differ in what they are, not in what they are told to do. */
enum pool_kind { POOL_PLAIN, POOL_TRUE, POOL_GIVEN, POOL_FDS, POOL_MIB, POOLS };

/* What is measured of a variant: µs a launch (all workers together); p50 of the launch latency in µs. */
static const struct variant {
	const char *name;
	enum pool_kind pool;
	enum load_method method;
	enum load_mode mode;
	unsigned workers, inflight;
	uint64_t pause_ns;
} variants[] = {
	{ "target.testApp", POOL_PLAIN, LOAD_VFORK, LOAD_WAIT, 1, 0, 0 },
	{ "target.true", POOL_TRUE, LOAD_VFORK, LOAD_WAIT, 1, 0, 0 },
	{ "target.given", POOL_GIVEN, LOAD_VFORK, LOAD_WAIT, 1, 0, 0 },
	{ "method.fork", POOL_PLAIN, LOAD_FORK, LOAD_WAIT, 1, 0, 0 },
	{ "method.spawn", POOL_PLAIN, LOAD_SPAWN, LOAD_WAIT, 1, 0, 0 },
	{ "nowait.plain", POOL_PLAIN, LOAD_VFORK, LOAD_NOWAIT, 1, 0, 0 },
	{ "nowait.one", POOL_PLAIN, LOAD_VFORK, LOAD_NOWAIT, 1, 1, 0 },
	{ "nowait.pause", POOL_PLAIN, LOAD_VFORK, LOAD_NOWAIT, 1, 0, SLEEP_NS },
	{ "nowait.fds", POOL_FDS, LOAD_VFORK, LOAD_NOWAIT, 1, 0, 0 },
	{ "nowait.fork", POOL_PLAIN, LOAD_FORK, LOAD_NOWAIT, 1, 0, 0 },
	{ "nowait.mib_fork", POOL_MIB, LOAD_FORK, LOAD_NOWAIT, 1, 0, 0 },
	{ "nowait.mib", POOL_MIB, LOAD_VFORK, LOAD_NOWAIT, 1, 0, 0 },
	{ "workers.1", POOL_PLAIN, LOAD_VFORK, LOAD_WAIT, 1, 0, 0 },
	{ "workers.2", POOL_PLAIN, LOAD_VFORK, LOAD_WAIT, 2, 0, 0 },
	{ "workers.4", POOL_PLAIN, LOAD_VFORK, LOAD_WAIT, 4, 0, 0 },
	{ "workers.10", POOL_PLAIN, LOAD_VFORK, LOAD_WAIT, 10, 0, 0 },
};

#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

struct measuring {
	struct load *pool[POOLS]; /* NULL: not possible here */
	double us[VARIANTS][ROUNDS], latency[VARIANTS][ROUNDS];
	unsigned n[VARIANTS];
	struct load_result result;
};

/* As many descriptors as are wanted and allowed. */
static uint32_t fds_possible(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl))
		return 0;
	return rl.rlim_max / 2 < BALLAST_FDS ? (uint32_t)(rl.rlim_max / 2) : BALLAST_FDS;
}

static int pools_open(struct measuring *m, const char *target, struct err *e)
{
	const struct load_pool_cfg cfg[POOLS] = {
		[POOL_PLAIN] = { .workers = WORKERS_MOST },
		[POOL_TRUE] = { .workers = 1, .target = "/bin/true" },
		[POOL_GIVEN] = { .workers = 1, .target = target },
		[POOL_FDS] = { .workers = 1, .ballast_fds = fds_possible() },
		[POOL_MIB] = { .workers = 1, .ballast_mib = BALLAST_MIB },
	};

	for (unsigned i = 0; i < POOLS; i++) {
		struct load_pool_cfg c = cfg[i];
		int err;

		c.max_launches = LAUNCHES_MOST;
		if (i == POOL_GIVEN && !target)
			continue;
		err = load_open(&c, &m->pool[i], e);
		/* The others only say less than they might. */
		if (err && i == POOL_PLAIN)
			return err;
		if (err)
			m->pool[i] = NULL;
	}
	return 0;
}

static int slice_measure(struct measuring *m, unsigned variant, struct err *e)
{
	const struct variant *v = &variants[variant];
	struct load *l = m->pool[v->pool];
	const struct load_cfg cfg = {
		.method = v->method,
		.mode = v->mode,
		.workers = v->workers,
		.inflight = v->inflight,
		.pause_ns = v->pause_ns,
		.duration_ns = SLICE_NS,
	};
	unsigned at = m->n[variant];
	int done;

	load_reset(l);
	clock_sleep_ns(GAP_NS);
	done = load_start(l, &cfg, e);
	if (!done)
		done = load_wait(l, -1, &m->result, e);
	if (done < 0)
		return done;
	if (!(m->result.rate_per_s > 0))
		return 0;
	m->us[variant][at] = 1e6 / m->result.rate_per_s;
	m->latency[variant][at] = (double)hist_quantile(&m->result.latency, 0.5) / 1e3;
	m->n[variant]++;
	return 0;
}

static void figure_add(struct explain *x, const char *name, const double *v, size_t n, double of)
{
	struct explain_figure *f = &x->figure[x->n];

	if (!n || x->n == EXPLAIN_MAX)
		return;
	x->n++;
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->value = stats_median_ci(v, n);
	f->n = of;
}

/* How long a sleep of 3 µs really is, in µs: timer slack and waking up come on top. */
static void sleep_measure(struct explain *x)
{
	const struct timespec ts = { .tv_nsec = SLEEP_NS };
	double us[SLEEPS];

	for (unsigned i = 0; i < SLEEPS; i++) {
		const uint64_t from = clock_now_ns();

		nanosleep(&ts, NULL);
		us[i] = (double)(clock_now_ns() - from) / 1e3;
	}
	figure_add(x, "sleep.3us", us, SLEEPS, 0);
}

/* Each round begins with another variant, so that none always follows the same one. */
static int rounds_measure(struct measuring *m, void (*progress)(void *ctx, const char *what),
			  void *ctx, struct err *e)
{
	int err = 0;

	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; !err && i < VARIANTS && !stop_requested(); i++) {
			const unsigned v = (i * 5 + round) % VARIANTS; /* 5 and 16 have no factor */

			if (!m->pool[variants[v].pool])
				continue;
			if (progress)
				progress(ctx, variants[v].name);
			err = slice_measure(m, v, e);
		}
	return err;
}

static double figure_of(const struct variant *v)
{
	if (v->pool == POOL_FDS)
		return fds_possible();
	if (v->pool == POOL_MIB)
		return BALLAST_MIB;
	return strncmp(v->name, "workers.", 8) == 0 ? v->workers : 0;
}

int explain_measure(struct explain *x, const char *target,
		    void (*progress)(void *ctx, const char *what), void *ctx, struct err *e)
{
	static struct measuring m;
	int err;

	_Static_assert(VARIANTS % 5 && VARIANTS <= EXPLAIN_MAX - 8, "an order of all variants");
	memset(&m, 0, sizeof(m));
	*x = (struct explain){ 0 };
	err = pools_open(&m, target, e);
	if (!err)
		err = rounds_measure(&m, progress, ctx, e);
	for (unsigned i = 0; i < VARIANTS; i++)
		figure_add(x, variants[i].name, m.us[i], m.n[i], figure_of(&variants[i]));
	for (unsigned i = 0; i < VARIANTS; i++) {
		char name[48];

		if (strncmp(variants[i].name, "workers.", 8) != 0)
			continue;
		snprintf(name, sizeof(name), "latency.%s", variants[i].name);
		figure_add(x, name, m.latency[i], m.n[i], variants[i].workers);
	}
	sleep_measure(x);
	for (unsigned i = 0; i < POOLS; i++)
		load_close(m.pool[i]);
	return err;
}
