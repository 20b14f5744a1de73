// SPDX-License-Identifier: MIT
#include "bench/usage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/*
 * From when on it may have moved a figure by about as much as is to be measured. Shares of the CPU time that
 * the machine had. Work that the kernel does for our launches on nobody's account (freeing memory, RCU) counts
 * as foreign too: some per cent of a CPU.
 */
#define STEAL_SHARE 0.01
#define LOAD_SHARE 0.15
#define LOAD_LEAST_S 0.03 /* three ticks: below, the reading itself is not exact enough */
#define FORKS_SHARE 0.002 /* of our own */

/* Reads a small file whole; false and "" if it cannot. */
static bool file_read(const char *path, char *text, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t r = 0;

	text[0] = '\0';
	if (fd < 0)
		return false;
	while (n + 1 < cap && (r = read(fd, text + n, cap - 1 - n)) > 0)
		n += (size_t)r;
	close(fd);
	text[n] = '\0';
	return r >= 0 && n;
}

/* The number in the line that begins with @key and a blank. */
static bool value_find(const char *text, const char *key, uint64_t *out)
{
	const size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ' ') {
			*out = strtoull(line + len, NULL, 10);
			return true;
		}
	}
	return false;
}

bool usage_parse_stat(struct usage *u, const char *text, long hz)
{
	unsigned long long t[8] = { 0 }; /* user nice system idle iowait irq softirq steal */

	if (hz <= 0 || strncmp(text, "cpu ", 4) != 0 ||
	    sscanf(text + 4, "%llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3],
		   &t[4], &t[5], &t[6], &t[7]) < 4)
		return false;
	u->idle_s = (double)(t[3] + t[4]) / (double)hz;
	u->steal_s = (double)t[7] / (double)hz;
	return value_find(text, "processes", &u->forks);
}

double usage_parse_throttled(const char *text)
{
	uint64_t v = 0;

	if (value_find(text, "throttled_usec", &v))
		return (double)v / 1e6;
	if (value_find(text, "throttled_time", &v))
		return (double)v / 1e9;
	return 0;
}

/* The cgroup that "/proc/self/cgroup" names and every one above it, as far as they are mounted where usual. */
static double throttled_of(const char *root, const char *group)
{
	char dir[4096], file[4200], text[2048];
	double most = 0;
	char *slash;

	snprintf(dir, sizeof(dir), "%s", group);
	do {
		snprintf(file, sizeof(file), "%s%s/cpu.stat", root, dir);
		if (file_read(file, text, sizeof(text))) {
			double s = usage_parse_throttled(text);

			most = s > most ? s : most;
		}
		slash = strrchr(dir, '/');
		if (slash)
			*slash = '\0';
	} while (slash);
	return most;
}

static double throttled_read(void)
{
	static const struct {
		const char *key, *root;
	} kinds[] = {
		{ "0::", "/sys/fs/cgroup" },
		{ ":cpu:", "/sys/fs/cgroup/cpu" },
		{ ":cpu,cpuacct:", "/sys/fs/cgroup/cpu,cpuacct" },
	};
	char text[8192];
	double most = 0;

	if (!file_read("/proc/self/cgroup", text, sizeof(text)))
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const char *at = strstr(text, kinds[i].key);
		char group[4096];
		double s;

		if (!at)
			continue;
		at += strlen(kinds[i].key);
		snprintf(group, sizeof(group), "%.*s", (int)strcspn(at, "\n"), at);
		s = throttled_of(kinds[i].root, group);
		most = s > most ? s : most;
	}
	return most;
}

void usage_read(struct usage *u)
{
	/* "intr" has a number for each interrupt: long on machines with many, and before "processes". */
	static _Thread_local char text[1 << 16];

	*u = (struct usage){ .at_ns = clock_now_ns() };
	if (file_read("/proc/stat", text, sizeof(text)))
		usage_parse_stat(u, text, sysconf(_SC_CLK_TCK));
	u->throttled_s = throttled_read();
}

static double positive(double v)
{
	return v > 0 ? v : 0;
}

/* /proc/self/status: "RssAnon:	    1234 kB" */
uint64_t usage_memory(void)
{
	static const char key[] = "\nRssAnon:";
	char text[8192];
	const char *at =
		file_read("/proc/self/status", text, sizeof(text)) ? strstr(text, key) : NULL;

	return at ? strtoull(at + strlen(key), NULL, 10) * 1024 : 0;
}

struct disturbance usage_judge(const struct usage *before, const struct usage *after,
			       const struct usage_ours *ours)
{
	const double wall = (double)(after->at_ns - before->at_ns) / NSEC_PER_SEC;
	const double had = wall * ours->cpus;
	const uint64_t forks = after->forks - before->forks;
	struct disturbance d = {
		.steal_s = positive(after->steal_s - before->steal_s),
		.throttled_s = positive(after->throttled_s - before->throttled_s),
		.foreign_forks = forks > ours->forks ? forks - ours->forks : 0,
	};

	d.foreign_cpu_s =
		positive(had - (after->idle_s - before->idle_s) - d.steal_s - ours->cpu_s);
	if (d.steal_s > STEAL_SHARE * had)
		d.marks |= DISTURB_STEAL;
	if ((double)d.foreign_forks > 1 + FORKS_SHARE * (double)ours->forks)
		d.marks |= DISTURB_PROCESSES;
	if (d.foreign_cpu_s > LOAD_SHARE * had && d.foreign_cpu_s > LOAD_LEAST_S)
		d.marks |= DISTURB_LOAD;
	if (d.throttled_s > 0)
		d.marks |= DISTURB_THROTTLED;
	return d;
}
