// SPDX-License-Identifier: MIT
/* The prober: single launches on a chosen CPU, beside the runs. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <stdio.h>

#include "load/futex.h"
#include "load/method.h"
#include "load/pool.h"
#include "load/target.h"

/* The child inherits the CPU. */
static int go_to_cpu(int cpu, const cpu_set_t *everywhere)
{
	cpu_set_t one;

	if (cpu < 0)
		return sched_setaffinity(0, sizeof(*everywhere), everywhere) ? -errno : 0;
	if (cpu >= CPU_SETSIZE)
		return -EINVAL;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one) ? -errno : 0;
}

static int probe(struct pool *p, struct pool_slot *s, const char *path)
{
	const uint64_t n = atomic_load(&s->n);
	struct truth_launch *l = &s->segment[n];
	char arg0[] = TARGET_APP, status_text[4], lifetime_text[TARGET_LIFETIME_MAX];
	char *argv[5] = { arg0, status_text }, *const env[] = { NULL };
	const struct launch launch = { .path = path, .argv = argv, .envp = env };
	int status = 0, r;

	if (n == s->capacity)
		return -ENOSPC;
	snprintf(status_text, sizeof(status_text), "%u", (unsigned)(n % POOL_STATUSES));
	target_lifetime(p, lifetime_text, &argv[2]);
	*l = (struct truth_launch){ .start_ns = clock_now_ns(),
				    .worker = TRUTH_HARNESS,
				    .name = s->name };
	r = methods[LOAD_VFORK].start(&launch, &l->pid);
	if (r)
		return r;
	while (waitid(P_PID, (id_t)l->pid, NULL, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	l->end_ns = clock_now_ns();
	while (wait4(l->pid, &status, 0, NULL) < 0 && errno == EINTR)
		;
	l->status = (uint32_t)status;
	p->probe_pid = l->pid;
	atomic_store(&s->n, n + 1);
	return 0;
}

void prober_main(struct pool *p, struct pool_slot *s)
{
	char buf[TARGET_PATH_MAX];
	const char *path = target_path(p, s, buf);
	cpu_set_t everywhere;
	uint32_t done = 0;

	process_detach(-1);
	sched_getaffinity(0, sizeof(everywhere), &everywhere);
	memset(s->segment, 0, s->capacity * sizeof(*s->segment));
	pool_idle(p);
	for (;;) {
		futex_wait(&s->go, done, UINT64_MAX);
		if (atomic_load(&s->go) == done)
			continue;
		done++;
		p->probe_err = go_to_cpu(p->probe_cpu, &everywhere);
		if (!p->probe_err)
			p->probe_err = probe(p, s, path);
		atomic_store(&p->probed, done);
		futex_wake(&p->probed);
	}
}
