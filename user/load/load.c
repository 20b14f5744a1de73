// SPDX-License-Identifier: MIT
/* Runs and their results; the pool itself is made and ended in pool.c. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "load/futex.h"
#include "load/limits.h"
#include "load/load_priv.h"
#include "load/target.h"

/* A run that was told to end may take so long; then children that still live are killed. */
#define GRACE_NS (2 * NSEC_PER_SEC)
#define TICK_NS (50 * NSEC_PER_MSEC)
#define PROBE_TIMEOUT_NS (10 * NSEC_PER_SEC)

const char *const load_method_names[] = {
	[LOAD_VFORK] = "vfork", [LOAD_FORK] = "fork", [LOAD_SPAWN] = "spawn", NULL
};
const char *const load_mode_names[] = { [LOAD_WAIT] = "wait", [LOAD_NOWAIT] = "nowait", NULL };

pid_t load_pgid(const struct load *l)
{
	return l->pid[0];
}

unsigned load_pids(const struct load *l, pid_t *pids, unsigned max)
{
	const unsigned n = l->nprocs < max ? l->nprocs : max;

	memcpy(pids, l->pid, n * sizeof(*pids));
	return n;
}

int load_check_alive(const struct load *l, struct err *e)
{
	siginfo_t si = { .si_pid = 0 };
	const char *what = "a worker", *how = "died: signal";

	/* One that is stopped would be waited for without end. */
	if (waitid(P_PGID, (id_t)l->pid[0], &si, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) ||
	    !si.si_pid)
		return 0;
	if (si.si_pid == l->pid[0])
		what = "the janitor";
	else if (si.si_pid == l->pid[l->pool->workers + 1])
		what = "the prober";
	if (si.si_code == CLD_EXITED)
		how = "died: status";
	else if (si.si_code == CLD_STOPPED)
		how = "was stopped by someone: signal";
	return err_set(e, -ECHILD, "%s of the load generator (pid %d) %s %d", what, (int)si.si_pid,
		       how, si.si_status);
}

void load_partition(struct load *l, unsigned workers)
{
	const uint64_t each = l->capacity / workers;

	for (unsigned i = 0; i < l->pool->workers; i++) {
		l->pool->slot[i].segment = l->truth + (i < workers ? i * each : 0);
		l->pool->slot[i].capacity = i < workers ? each : 0;
	}
	l->partition = workers;
}

int load_prepare(struct load *l, const struct load_cfg *cfg, struct err *e)
{
	struct pool *p = l->pool;

	p->run = *cfg;
	return stock_path(p, cfg->target, p->run_target, sizeof(p->run_target), e);
}

void load_reset(struct load *l)
{
	for (unsigned i = 0; i <= l->pool->workers; i++)
		atomic_store(&l->pool->slot[i].n, 0);
	l->partition = 0;
}

static int check_cfg(const struct load *l, const struct load_cfg *cfg, struct err *e)
{
	if (l->active)
		return err_set(e, -EBUSY, "a run of the load generator is under way");
	if (cfg->workers < 1 || cfg->workers > l->pool->workers)
		return err_set(e, -EINVAL, "%u workers asked for, of a pool of %u", cfg->workers,
			       l->pool->workers);
	if (!cfg->count && !cfg->duration_ns)
		return err_set(e, -EINVAL, "neither a duration nor a count bounds the run");
	if (!isfinite(cfg->rate) || cfg->rate < 0 || (unsigned)cfg->method > LOAD_SPAWN ||
	    (unsigned)cfg->mode > LOAD_NOWAIT)
		return err_set(e, -EINVAL, "impossible rate, method or mode");
	if (l->partition && cfg->workers > l->partition)
		return err_set(e, -EINVAL, "more workers than in the run before, without a reset");
	return load_check_alive(l, e);
}

static unsigned inflight_of(const struct load_cfg *cfg)
{
	unsigned n = cfg->inflight ? cfg->inflight : limits_children();

	return n / cfg->workers > 1 ? n / cfg->workers : 1;
}

int load_start(struct load *l, const struct load_cfg *cfg, struct err *e)
{
	struct pool *p = l->pool;
	int r = check_cfg(l, cfg, e);

	if (!r)
		r = load_prepare(l, cfg, e);
	if (r)
		return r;
	if (!l->partition)
		load_partition(l, cfg->workers);
	p->inflight = inflight_of(cfg);
	p->start_ns = 0;
	atomic_store(&p->ready, 0);
	atomic_store(&p->started, 0);
	atomic_store(&p->stop, 0);
	atomic_store(&p->kill, 0);
	atomic_store(&p->running, cfg->workers);
	l->active = true;
	l->grace_until_ns = 0;
	for (unsigned i = 0; i < cfg->workers; i++) {
		struct pool_slot *s = &p->slot[i];

		s->n_before = atomic_load(&s->n);
		s->quota = cfg->count ? cfg->count / cfg->workers + (i < cfg->count % cfg->workers)
				      : UINT64_MAX;
		atomic_fetch_add(&s->go, 1);
		futex_wake(&s->go);
	}
	return 0;
}

uint64_t load_progress(const struct load *l)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < l->pool->run.workers; i++)
		sum += atomic_load_explicit(&l->pool->slot[i].n, memory_order_relaxed) -
		       l->pool->slot[i].n_before;
	return sum;
}

void load_stop(struct load *l)
{
	const int saved = errno;

	atomic_store(&l->pool->stop, 1);
	futex_wake(&l->pool->stop);
	errno = saved;
}

/* Children that outlive the run by more than the grace are killed by their workers, who alone may: to
 * anyone else their pids may have passed to other processes. */
static void hurry(struct load *l, uint64_t now)
{
	struct pool *p = l->pool;
	const bool late =
		p->start_ns && p->run.duration_ns && now > p->start_ns + p->run.duration_ns;

	if (!atomic_load(&p->stop) && !late)
		return;
	if (!l->grace_until_ns)
		l->grace_until_ns = now + GRACE_NS;
	if (now < l->grace_until_ns)
		return;
	atomic_store(&p->kill, 1);
	for (unsigned i = 0; i < p->run.workers; i++)
		kill(l->pid[1 + i], SIGUSR2);
}

int load_wait_idle(struct load *l, int timeout_ms, struct err *e)
{
	struct pool *p = l->pool;
	const uint64_t until =
		timeout_ms < 0 ? UINT64_MAX : clock_now_ns() + (uint64_t)timeout_ms * NSEC_PER_MSEC;

	for (;;) {
		const uint32_t running = atomic_load(&p->running);
		const uint64_t now = clock_now_ns();
		int r;

		if (!running)
			return 1;
		r = load_check_alive(l, e);
		if (r)
			return r;
		if (l->active)
			hurry(l, now);
		if (now >= until)
			return 0;
		futex_wait(&p->running, running, now + TICK_NS < until ? now + TICK_NS : until);
	}
}

int load_wait(struct load *l, int timeout_ms, struct load_result *res, struct err *e)
{
	int r;

	if (!l->active)
		return err_set(e, -EINVAL, "no run of the load generator to wait for");
	r = load_wait_idle(l, timeout_ms, e);
	if (r <= 0)
		return r;
	l->active = false;
	load_collect(l->pool, res);
	return 1;
}

int load_probe(struct load *l, int cpu, pid_t *pid, struct err *e)
{
	struct pool *p = l->pool;
	struct pool_slot *s = &p->slot[p->workers];
	const uint64_t until = clock_now_ns() + PROBE_TIMEOUT_NS;
	uint32_t done;

	p->probe_cpu = cpu;
	const uint32_t want = atomic_fetch_add(&s->go, 1) + 1;
	futex_wake(&s->go);
	while ((done = atomic_load(&p->probed)) != want) {
		const uint64_t now = clock_now_ns();
		const int r = load_check_alive(l, e);

		if (r)
			return r;
		if (now > until)
			return err_set(e, -ETIMEDOUT, "a single launch of testApp did not end");
		futex_wait(&p->probed, done, now + TICK_NS);
	}
	if (p->probe_err)
		return err_set(e, p->probe_err, "cannot launch testApp on CPU %d: %s", cpu,
			       strerror(-p->probe_err));
	if (pid)
		*pid = p->probe_pid;
	return 0;
}

void load_truth(const struct load *l, struct truth *t)
{
	const struct pool *p = l->pool;

	t->nsegments = p->workers + 1;
	for (unsigned i = 0; i <= p->workers; i++) {
		t->segment[i].launch = p->slot[i].segment;
		t->segment[i].n = atomic_load_explicit(&p->slot[i].n, memory_order_acquire);
	}
	t->nnames = target_names(p, t->name);
}
