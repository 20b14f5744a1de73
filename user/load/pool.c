// SPDX-License-Identifier: MIT
/* Making and ending the pool. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "load/ballast.h"
#include "load/limits.h"
#include "load/load_priv.h"
#include "load/target.h"

#define DEFAULT_LAUNCHES (8ULL << 20)
#define READY_TIMEOUT_MS 60000
#define CLOSE_TIMEOUT_MS 1000

static void *map_shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Never more than a quarter of what is free. */
static uint64_t choose_capacity(uint64_t asked)
{
	const uint64_t quarter = limits_memory() / 4 / sizeof(struct truth_launch);
	const uint64_t wanted = asked ? asked : DEFAULT_LAUNCHES;
	const uint64_t most = asked ? quarter : quarter / 2;

	return wanted < most ? wanted : most;
}

static int map_memory(struct load *l, const struct load_pool_cfg *cfg, struct err *e)
{
	struct pool *p;

	/* Each worker's share is whole even if the count does not divide. */
	l->capacity = choose_capacity(cfg->max_launches) + cfg->workers;
	l->truth_size = (l->capacity + POOL_HARNESS_LAUNCHES) * sizeof(*l->truth);
	l->pool_size = sizeof(*p) + (cfg->workers + 1) * sizeof(p->slot[0]);
	l->truth = map_shared(l->truth_size);
	l->pool = p = map_shared(l->pool_size);
	if (!l->truth || !p)
		return err_set(e, -ENOMEM, "no memory for the truth of %llu launches",
			       (unsigned long long)l->capacity);
	p->workers = cfg->workers;
	p->target = cfg->target;
	p->ballast_fds = cfg->ballast_fds;
	p->ballast_mib = cfg->ballast_mib;
	p->pid_launch = map_shared(POOL_PIDS * sizeof(*p->pid_launch));
	p->pid_errno = map_shared(POOL_PIDS * sizeof(*p->pid_errno));
	if (!p->pid_launch || !p->pid_errno)
		return err_set(e, -ENOMEM, "no memory for the table of pids");
	for (unsigned i = 0; i <= cfg->workers; i++) {
		p->slot[i].index = i;
		p->slot[i].name = target_name_of(p, i);
	}
	p->slot[cfg->workers].segment = l->truth + l->capacity;
	p->slot[cfg->workers].capacity = POOL_HARNESS_LAUNCHES;
	load_partition(l, cfg->workers);
	return 0;
}

static void unmap_memory(struct load *l)
{
	struct pool *p = l->pool;

	if (p && p->pid_launch)
		munmap(p->pid_launch, POOL_PIDS * sizeof(*p->pid_launch));
	if (p && p->pid_errno)
		munmap(p->pid_errno, POOL_PIDS * sizeof(*p->pid_errno));
	if (p)
		munmap(p, l->pool_size);
	if (l->truth)
		munmap(l->truth, l->truth_size);
}

static void process_run(struct load *l, unsigned i, pid_t command, int janitor_fd)
{
	struct pool *p = l->pool;

	setpgid(0, i ? l->pid[0] : 0);
	if (i == 0)
		janitor_main(p, janitor_fd);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != command)
		_exit(1);
	if (i <= p->workers)
		worker_main(p, &p->slot[i - 1]);
	prober_main(p, &p->slot[p->workers]);
}

/* Process @i: 0 the janitor, then the workers, last the prober. */
static int process_fork(struct load *l, unsigned i, int janitor_fd, struct err *e)
{
	const pid_t command = getpid();
	sigset_t all, before;
	pid_t pid;
	int r;

	/* Until the child has its own dispositions, a signal would run the command's handlers in it. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	r = -errno;
	if (pid == 0)
		process_run(l, i, command, janitor_fd);
	if (pid > 0) {
		l->pid[i] = pid;
		l->nprocs = i + 1;
		setpgid(pid, l->pid[0]);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		return err_set(e, r, "cannot fork process %u of the load generator: %s", i + 1,
			       strerror(-r));
	return 0;
}

static int janitor_fork(struct load *l, struct err *e)
{
	int fds[2], r;

	if (pipe2(fds, O_CLOEXEC)) {
		r = -errno;
		return err_set(e, r, "cannot make a pipe: %s", strerror(-r));
	}
	l->owner_fd = fds[1];
	r = process_fork(l, 0, fds[0], e);
	close(fds[0]);
	return r;
}

static int open_all(struct load *l, const struct load_pool_cfg *cfg, struct err *e)
{
	int r = map_memory(l, cfg, e);

	if (!r && cfg->target)
		r = target_check(l->pool, e);
	/* The janitor is there before the folder is, so that no moment is without it. */
	if (!r)
		r = janitor_fork(l, e);
	if (!r)
		r = target_prepare(l->pool, &l->lock_fd, e);
	atomic_store(&l->pool->running, cfg->workers + 1);
	for (unsigned i = 1; !r && i <= cfg->workers + 1; i++)
		r = process_fork(l, i, -1, e);
	if (r)
		return r;
	r = load_wait_idle(l, READY_TIMEOUT_MS, e);
	if (r == 0)
		return err_set(e, -ETIMEDOUT, "the load generator's processes did not get ready");
	if (r > 0 && atomic_load(&l->pool->ballast_err)) {
		r = -atomic_load(&l->pool->ballast_err);
		return err_set(e, r, "a worker cannot take its ballast: %s", strerror(-r));
	}
	/* All have their page tables; the first run may share the truth out anew. */
	l->partition = 0;
	return r < 0 ? r : 0;
}

int load_open(const struct load_pool_cfg *cfg, struct load **out, struct err *e)
{
	struct sigaction sa;
	struct load *l;
	int r;

	if (cfg->workers < 1 || cfg->workers > LOAD_MAX_WORKERS)
		return err_set(e, -EINVAL, "%u workers are not possible; give 1 to %d",
			       cfg->workers, LOAD_MAX_WORKERS);
	r = ballast_check(cfg, e);
	if (r)
		return r;
	l = calloc(1, sizeof(*l));
	if (!l)
		return err_set(e, -ENOMEM, "out of memory");
	l->owner_fd = l->lock_fd = -1;
	/* Where whoever started us left SIGCHLD ignored, the dead would vanish unseen. */
	if (sigaction(SIGCHLD, NULL, &sa) == 0 && sa.sa_handler == SIG_IGN)
		signal(SIGCHLD, SIG_DFL);
	r = open_all(l, cfg, e);
	if (r) {
		load_close(l);
		return r;
	}
	*out = l;
	return 0;
}

static void end_processes(struct load *l)
{
	for (unsigned i = 1; i < l->nprocs; i++)
		kill(l->pid[i], SIGKILL);
	for (unsigned i = 1; i < l->nprocs; i++)
		while (waitpid(l->pid[i], NULL, 0) < 0 && errno == EINTR)
			;
	if (l->pool)
		target_remove(l->pool->dir);
	if (l->lock_fd >= 0)
		close(l->lock_fd);
	/* The janitor sees the end of file, kills what is left of the group, and itself. */
	if (l->owner_fd >= 0)
		close(l->owner_fd);
	if (l->nprocs)
		kill(l->pid[0], SIGCONT); /* if someone stopped it */
	while (l->nprocs && waitpid(l->pid[0], NULL, 0) < 0 && errno == EINTR)
		;
}

void load_close(struct load *l)
{
	if (!l)
		return;
	if (l->active) {
		load_stop(l);
		load_wait_idle(l, CLOSE_TIMEOUT_MS, NULL);
	}
	end_processes(l);
	unmap_memory(l);
	free(l);
}
