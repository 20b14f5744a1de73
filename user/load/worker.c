// SPDX-License-Identifier: MIT
/* The hot loop: starts, waits, stamps. Nothing is allocated and nothing printed in it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "load/ballast.h"
#include "load/futex.h"
#include "load/method.h"
#include "load/pool.h"
#include "load/target.h"

#define REAP_EVERY 16 /* nowait: starts between two looks for the dead */
#define FAILURES_MAX 100 /* in a row; then the run ends */
#define BACKOFF_MIN_NS (1 * NSEC_PER_MSEC)
#define BACKOFF_MAX_NS (50 * NSEC_PER_MSEC)
/* A pause up to this long is a plain nanosleep; a longer one must be able to end early. */
#define PAUSE_PLAIN_NS (20 * NSEC_PER_MSEC)

struct worker {
	struct pool *pool;
	struct pool_slot *slot;
	const struct method *method;
	struct launch launch;
	char path[TARGET_PATH_MAX], target[PATH_MAX];
	const char *path_own; /* our copy of testApp, or the pool's target */
	char *argv[5];
	char status_text[POOL_STATUSES][4], lifetime_text[TARGET_LIFETIME_MAX];
	bool has_stdio; /* descriptors 0, 1 and 2 are open for what is launched */
	/* This run. */
	bool foreign; /* not testApp: it has no status of ours */
	uint32_t name; /* as in truth_launch */
	bool over, nowait;
	uint64_t deadline_ns; /* UINT64_MAX: none */
	double interval_ns; /* rate: between two starts of this worker; 0: closed loop */
	uint64_t first_ns; /* rate: intended time of the first start */
	uint64_t attempts; /* starts tried */
	uint64_t voids; /* records of starts that turned out to have failed */
	uint64_t start_ns; /* of the start at hand: stamped, and intended */
	uint64_t intended_ns;
	uint32_t failures; /* in a row */
	uint32_t alive, starts_since_reap;
	struct truth_launch *segment_populated;
	uint64_t capacity_populated;
};

static bool stopped(const struct worker *w)
{
	return atomic_load_explicit(&w->pool->stop, memory_order_relaxed);
}

static void sleep_unless_stopped(struct worker *w, uint64_t until_ns)
{
	while (!stopped(w) && clock_now_ns() < until_ns)
		futex_wait(&w->pool->stop, 0, until_ns);
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t recorded(const struct worker *w)
{
	return atomic_load_explicit(&w->slot->n, memory_order_relaxed);
}

static bool quota_used(const struct worker *w)
{
	return recorded(w) - w->slot->n_before - w->voids >= w->slot->quota;
}

/* Looks whether there is to be another start, waits for its time if it has one, stamps it. */
static bool next_start(struct worker *w)
{
	const struct pool_slot *s = w->slot;
	const uint64_t n = recorded(w);

	if (w->over || stopped(w) || quota_used(w))
		return false;
	if (n == s->capacity) {
		w->slot->truth_full = w->over = true;
		return false;
	}
	if (w->interval_ns > 0) {
		w->intended_ns = w->first_ns + (uint64_t)((double)w->attempts * w->interval_ns);
		sleep_unless_stopped(w, min_u64(w->intended_ns, w->deadline_ns));
		if (stopped(w))
			return false;
	}
	w->attempts++;
	w->start_ns = clock_now_ns();
	if (w->interval_ns == 0)
		w->intended_ns = w->start_ns;
	w->over = w->start_ns >= w->deadline_ns;
	return !w->over;
}

static void count_errno(struct pool_slot *s, int err)
{
	s->failed++;
	for (int i = 0; i < LOAD_MAX_ERRNOS; i++) {
		if (s->failed_by[i].n && s->failed_by[i].err != err)
			continue;
		s->failed_by[i].err = err;
		s->failed_by[i].n++;
		return;
	}
}

/* A failed start must not be tried again at once: it would spin, and most causes need time to go. */
static void fail(struct worker *w, int err)
{
	const uint64_t backoff = BACKOFF_MIN_NS << min_u64(w->failures, 16);

	count_errno(w->slot, err);
	if (++w->failures >= FAILURES_MAX)
		w->over = w->slot->gave_up = true;
	sleep_unless_stopped(
		w, min_u64(clock_now_ns() + min_u64(backoff, BACKOFF_MAX_NS), w->deadline_ns));
}

static bool start_one(struct worker *w)
{
	struct pool_slot *s = w->slot;
	const uint64_t n = recorded(w);
	struct truth_launch *l = &s->segment[n];
	pid_t pid;
	int r;

	*l = (struct truth_launch){ .start_ns = w->start_ns, .worker = s->index, .name = w->name };
	if (!w->foreign)
		w->argv[1] = w->status_text[n % POOL_STATUSES];
	r = w->method->start(&w->launch, &pid);
	if (r) {
		fail(w, -r);
		return false;
	}
	l->pid = pid;
	atomic_store_explicit(&s->n, n + 1, memory_order_release);
	if (w->nowait) {
		w->pool->pid_launch[pid] = (uint32_t)n;
		s->last_ns = clock_now_ns();
		hist_add(&s->latency, s->last_ns - w->intended_ns);
		w->alive++;
	}
	return true;
}

/* The child of launch @n is dead: stamp, reap (which frees its pid), look at its status. */
static void settle(struct worker *w, uint64_t n)
{
	struct truth_launch *l = &w->slot->segment[n];
	const uint64_t now = clock_now_ns();
	int status = 0, late = 0;

	if (w->method->late) {
		late = w->launch.late_errno[l->pid];
		w->launch.late_errno[l->pid] = 0;
	}
	l->end_ns = now;
	while (wait4(l->pid, &status, 0, NULL) < 0 && errno == EINTR)
		;
	l->status = (uint32_t)status;
	if (late) {
		l->pid = 0;
		w->voids++;
		fail(w, late);
		return;
	}
	w->failures = 0;
	if (!w->foreign && (uint32_t)status != (uint32_t)(n % POOL_STATUSES) << 8)
		w->slot->bad_status++;
}

/* After an interrupted wait: kills what still lives, if that is what the interruption says. */
static void kill_if_told(const struct worker *w)
{
	const struct pool_slot *s = w->slot;

	if (!atomic_load(&w->pool->kill))
		return;
	for (uint64_t i = s->n_before; i < recorded(w); i++)
		if (!s->segment[i].end_ns)
			kill(s->segment[i].pid, SIGKILL);
}

static void wait_for_last(struct worker *w)
{
	const uint64_t n = recorded(w) - 1;
	const uint64_t intended_ns = w->intended_ns;
	struct pool_slot *s = w->slot;

	while (waitid(P_PID, (id_t)s->segment[n].pid, NULL, WEXITED | WNOWAIT) < 0 &&
	       errno == EINTR)
		kill_if_told(w);
	settle(w, n);
	s->last_ns = s->segment[n].end_ns;
	if (s->segment[n].pid)
		hist_add(&s->latency, s->last_ns - intended_ns);
}

/* Settles one dead child, waiting for it unless @flags has WNOHANG. False: none. */
static bool reap_one(struct worker *w, int flags)
{
	siginfo_t si;

	si.si_pid = 0;
	while (waitid(P_ALL, 0, &si, WEXITED | WNOWAIT | flags) < 0) {
		if (errno != EINTR)
			return false;
		kill_if_told(w);
	}
	if (!si.si_pid)
		return false;
	settle(w, w->pool->pid_launch[si.si_pid]);
	w->alive--;
	return true;
}

static void reap_some(struct worker *w)
{
	if (++w->starts_since_reap < REAP_EVERY && w->alive < w->pool->inflight)
		return;
	w->starts_since_reap = 0;
	while (reap_one(w, WNOHANG))
		;
	while (w->alive >= w->pool->inflight && reap_one(w, 0))
		;
}

/* Between two starts: not past the end of the run, nor after the last one. */
static void pause_for(struct worker *w, uint64_t ns)
{
	const struct timespec ts = { .tv_nsec = (long)ns };

	if (ns <= PAUSE_PLAIN_NS)
		nanosleep(&ts, NULL);
	else if (!quota_used(w))
		sleep_unless_stopped(w, min_u64(clock_now_ns() + ns, w->deadline_ns));
}

static void launch_all(struct worker *w)
{
	const uint64_t pause_ns = w->pool->run.pause_ns;

	while (next_start(w)) {
		if (!start_one(w)) {
			/* What was reaped may be what the failed start lacked. */
			while (w->nowait && reap_one(w, WNOHANG))
				;
			continue;
		}
		if (w->nowait)
			reap_some(w);
		else
			wait_for_last(w);
		if (pause_ns)
			pause_for(w, pause_ns);
	}
	while (w->alive && reap_one(w, 0))
		;
}

/* Takes the records of failed starts out; false if there are none. */
static bool drop_voids(struct worker *w)
{
	struct truth_launch *l = w->slot->segment;
	uint64_t to = w->slot->n_before;

	if (!w->voids)
		return false;
	for (uint64_t i = to; i < recorded(w); i++)
		if (l[i].pid)
			l[to++] = l[i];
	atomic_store(&w->slot->n, to);
	w->voids = 0;
	return true;
}

/* Fills our page tables for the segment; the pages exist already. */
static void populate(struct worker *w)
{
	const struct pool_slot *s = w->slot;
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t from = (uintptr_t)s->segment & ~(page - 1);
	const uintptr_t to = (uintptr_t)(s->segment + s->capacity);

	if (s->segment == w->segment_populated && s->capacity <= w->capacity_populated)
		return;
	/* Neighbours write to the pages at both ends, and older kernels (before 5.14) have no
	 * MADV_POPULATE_WRITE: then add nothing to a word of each page. */
	if (madvise((void *)from, to - from, MADV_POPULATE_WRITE))
		for (uintptr_t p = from; p < to; p += page)
			__atomic_fetch_add((uint32_t *)p, 0, __ATOMIC_RELAXED);
	w->segment_populated = s->segment;
	w->capacity_populated = s->capacity;
}

static void usage_stamp(struct pool_slot *s, int i)
{
	getrusage(RUSAGE_SELF, &s->self[i]);
	getrusage(RUSAGE_CHILDREN, &s->children[i]);
}

/* Programs of the machine expect descriptors 0, 1 and 2; testApp does without, for each costs time. */
static void stdio_prepare(struct worker *w, bool needed)
{
	int fd;

	if (needed == w->has_stdio)
		return;
	w->has_stdio = needed;
	fd = needed ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
	for (int i = 0; i < 3; i++)
		if (needed)
			fcntl(dup2(fd, i), F_SETFD, 0);
		else
			close(i);
	if (fd > 2)
		close(fd);
}

/* What this run launches, and how it is called. */
static void launch_prepare(struct worker *w)
{
	static char *no_env[] = { NULL };
	const struct pool *p = w->pool;
	const char *target = target_of_run(p);

	w->foreign = target;
	w->name = target_name_of(p, w->slot->index);
	snprintf(w->target, sizeof(w->target), "%s",
		 target ? target : strrchr(w->path_own, '/') + 1);
	memset(w->argv, 0, sizeof(w->argv));
	w->argv[0] = w->target;
	w->launch.path = target ? target : w->path_own;
	w->launch.argv = w->argv;
	w->launch.envp = target ? environ : no_env;
	w->launch.die_with = target ? getpid() : 0;
	stdio_prepare(w, target);
}

static void run_prepare(struct worker *w)
{
	const struct load_cfg *cfg = &w->pool->run;
	struct pool_slot *s = w->slot;

	populate(w);
	launch_prepare(w);
	target_lifetime(w->pool, w->lifetime_text, &w->argv[2]);
	hist_init(&s->latency);
	s->failed = s->bad_status = s->last_ns = 0;
	s->truth_full = s->gave_up = false;
	memset(s->failed_by, 0, sizeof(s->failed_by));
	s->n_before = recorded(w);
	w->method = &methods[cfg->method];
	w->nowait = cfg->mode == LOAD_NOWAIT;
	w->over = false;
	w->attempts = w->voids = 0;
	w->failures = w->alive = w->starts_since_reap = 0;
	/* Intended times are to be met; a pause is to be what it is in other programs (slack 50 us). */
	prctl(PR_SET_TIMERSLACK, cfg->rate > 0 ? 1 : 0);
}

/* All workers start together: the last to be ready gives the sign. */
static void run_line_up(struct worker *w)
{
	struct pool *p = w->pool;
	const struct load_cfg *cfg = &p->run;

	if (atomic_fetch_add(&p->ready, 1) + 1 == cfg->workers) {
		p->start_ns = clock_now_ns();
		atomic_store(&p->started, 1);
		futex_wake(&p->started);
	}
	while (!atomic_load(&p->started))
		futex_wait(&p->started, 0, UINT64_MAX);
	w->deadline_ns = cfg->duration_ns ? p->start_ns + cfg->duration_ns : UINT64_MAX;
	w->interval_ns = cfg->rate > 0 ? 1e9 * cfg->workers / cfg->rate : 0;
	w->first_ns = p->start_ns + (uint64_t)(w->interval_ns * w->slot->index / cfg->workers);
}

static void run(struct worker *w)
{
	struct pool_slot *s = w->slot;

	run_prepare(w);
	run_line_up(w);
	usage_stamp(s, 0);
	do /* again if launches that were counted turned out to be none */
		launch_all(w);
	while (drop_voids(w) && !w->over && !stopped(w));
	usage_stamp(s, 1);
	s->first_ns = recorded(w) > s->n_before ? s->segment[s->n_before].start_ns : 0;
	pool_idle(w->pool);
}

static void worker_init(struct worker *w, struct pool *p, struct pool_slot *s)
{
	memset(w->status_text, 0, sizeof(w->status_text));
	for (unsigned i = 0; i < POOL_STATUSES; i++)
		snprintf(w->status_text[i], sizeof(w->status_text[i]), "%u", i % 1000);
	w->pool = p;
	w->slot = s;
	w->path_own = target_path(p, s, w->path);
	w->launch.late_errno = p->pid_errno;
}

void worker_main(struct pool *p, struct pool_slot *s)
{
	static struct worker w;
	uint32_t done = 0;
	int r;

	process_detach(-1);
	r = ballast_take(p->ballast_fds, p->ballast_mib);
	if (r)
		atomic_store(&p->ballast_err, -r);
	worker_init(&w, p, s);
	populate(&w);
	pool_idle(p);
	for (;;) {
		futex_wait(&s->go, done, UINT64_MAX);
		if (atomic_load(&s->go) == done)
			continue;
		done++;
		run(&w);
	}
}
