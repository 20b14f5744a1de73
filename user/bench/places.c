// SPDX-License-Identifier: MIT
#include "bench/places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define STARVED_NICE 19
#define PERIOD_US 100000U

const char *const reader_place_names[] = { [READER_FREE] = "free",
					   [READER_STARVED] = "starved",
					   [READER_PINNED] = "pinned",
					   [READER_LIMITED] = "limited",
					   NULL };

/* ---- starved ---------------------------------------------------------------------------------- */

static void *spin(void *arg)
{
	const struct places *p = arg;

	while (!atomic_load_explicit(&p->stop, memory_order_relaxed))
		;
	return NULL;
}

static int spinner_start(struct places *p, int cpu)
{
	pthread_attr_t attr;
	cpu_set_t one;
	int err;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(one), &one);
	err = pthread_create(&p->spinner[p->nspinners], &attr, spin, p);
	pthread_attr_destroy(&attr);
	p->nspinners += !err;
	return -err;
}

static int readers_nice(const struct places *p, int nice)
{
	for (unsigned i = 0; i < p->nreaders; i++)
		if (setpriority(PRIO_PROCESS, (id_t)p->reader[i], nice))
			return -errno;
	return 0;
}

static int starve(struct places *p, struct err *e)
{
	int err = readers_nice(p, STARVED_NICE);

	p->spinner = calloc((size_t)CPU_COUNT(&p->cpus), sizeof(*p->spinner));
	if (!p->spinner)
		err = -ENOMEM;
	for (int cpu = 0; !err && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &p->cpus))
			err = spinner_start(p, cpu);
	return err ? err_set(e, err, "cannot starve the reader: %s", strerror(-err)) : 0;
}

/* ---- pinned ----------------------------------------------------------------------------------- */

/* Readers and workers: the janitor comes first among the processes of the load, the prober last. */
static int all_move(const struct places *p, const cpu_set_t *to)
{
	pid_t pid[LOAD_MAX_WORKERS + 2];
	const unsigned n = load_pids(p->load, pid, LOAD_MAX_WORKERS + 2);

	for (unsigned i = 0; i < p->nreaders; i++)
		if (sched_setaffinity(p->reader[i], sizeof(*to), to))
			return -errno;
	for (unsigned i = 1; i + 1 < n; i++)
		if (sched_setaffinity(pid[i], sizeof(*to), to))
			return -errno;
	return 0;
}

static int pin(struct places *p, struct err *e)
{
	cpu_set_t one;
	int cpu = 0, err;

	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &p->cpus))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	err = all_move(p, &one);
	return err ? err_set(e, err, "cannot move all to CPU %d: %s", cpu, strerror(-err)) : 0;
}

/* ---- limited ---------------------------------------------------------------------------------- */

static int file_write(const char *dir, const char *file, const char *text)
{
	char path[384];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s%s%s", dir, file ? "/" : "", file ? file : "");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* Our cgroup below the hierarchy that /proc/self/cgroup tells after @mark; false: not in one. */
static bool own_cgroup(const char *mark, char *path, size_t size)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[512];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, mark);

		line[strcspn(line, "\n")] = '\0';
		if ((found = at))
			snprintf(path, size, "%s", at + strlen(mark));
	}
	if (f)
		fclose(f);
	return found;
}

/* How the two versions of cgroups limit a thread's CPU time. */
static const struct group_kind {
	const char *mark, *mount[2]; /* in /proc/self/cgroup; where it is mounted by custom */
	const char *threads; /* file that takes thread ids */
	bool v2;
} group_kinds[] = {
	{ "0::", { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" }, "cgroup.threads", true },
	{ ":cpu,cpuacct:", { "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpu" }, "tasks", false },
	{ ":cpu:", { "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct" }, "tasks", false },
};

static int group_limit(const struct places *p, const struct group_kind *k, const char *parent,
		       uint32_t pct)
{
	char text[64];
	int err;

	if (k->v2) {
		file_write(parent, "cgroup.subtree_control", "+cpu");
		err = file_write(p->group, "cgroup.type", "threaded");
		snprintf(text, sizeof(text), "%u %u", PERIOD_US / 100 * pct, PERIOD_US);
		return err ? err : file_write(p->group, "cpu.max", text);
	}
	snprintf(text, sizeof(text), "%u", PERIOD_US);
	err = file_write(p->group, "cpu.cfs_period_us", text);
	snprintf(text, sizeof(text), "%u", PERIOD_US / 100 * pct);
	return err ? err : file_write(p->group, "cpu.cfs_quota_us", text);
}

static int readers_enter(const struct places *p, const char *dir, const char *file)
{
	int err = 0;

	for (unsigned i = 0; !err && i < p->nreaders; i++) {
		char tid[16];

		snprintf(tid, sizeof(tid), "%d", p->reader[i]);
		err = file_write(dir, file, tid);
	}
	return err;
}

static int group_try(struct places *p, const struct group_kind *k, const char *mount, uint32_t pct)
{
	char own[128], parent[192];
	int err;

	if (!own_cgroup(k->mark, own, sizeof(own)))
		return -ENOENT;
	snprintf(parent, sizeof(parent), "%s%s", mount, strcmp(own, "/") ? own : "");
	snprintf(p->group, sizeof(p->group), "%s/proctrace-%d", parent, getpid());
	if (mkdir(p->group, 0755)) {
		p->group[0] = '\0';
		return -errno;
	}
	snprintf(p->home, sizeof(p->home), "%s/%s", parent, k->threads);
	err = group_limit(p, k, parent, pct);
	if (!err)
		err = readers_enter(p, p->group, k->threads);
	if (err) {
		rmdir(p->group);
		p->group[0] = '\0';
	}
	return err;
}

static int limit(struct places *p, uint32_t pct, struct err *e)
{
	int err = -ENOENT;

	for (size_t i = 0; err && i < sizeof(group_kinds) / sizeof(*group_kinds); i++)
		for (size_t m = 0; err && m < 2; m++)
			err = group_try(p, &group_kinds[i], group_kinds[i].mount[m], pct);
	return err ? err_set(e, -EOPNOTSUPP,
			     "no cgroup with a CPU limit can be made here (the last try: %s)",
			     strerror(-err))
		   : 0;
}

/* ---- all -------------------------------------------------------------------------------------- */

int places_take(struct places *p, const struct conditions *cond, struct err *e)
{
	p->place = (enum reader_place)cond->place;
	if (sched_getaffinity(0, sizeof(p->cpus), &p->cpus))
		return err_set(e, -errno, "cannot read the CPU mask: %s", strerror(errno));
	switch (p->place) {
	case READER_STARVED:
		return starve(p, e);
	case READER_PINNED:
		return pin(p, e);
	case READER_LIMITED:
		return limit(p, cond->cpu_limit_pct, e);
	case READER_FREE:
	case READER_PLACES:
		break;
	}
	return 0;
}

void places_leave(struct places *p)
{
	atomic_store(&p->stop, true);
	for (unsigned i = 0; i < p->nspinners; i++)
		pthread_join(p->spinner[i], NULL);
	free(p->spinner);
	if (p->place == READER_STARVED)
		readers_nice(p, 0);
	if (p->place == READER_PINNED)
		all_move(p, &p->cpus);
	if (p->group[0]) {
		readers_enter(p, p->home, NULL);
		rmdir(p->group);
	}
	*p = (struct places){ .place = READER_FREE };
}
