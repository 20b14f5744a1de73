// SPDX-License-Identifier: MIT
#include "bench/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned one(unsigned cpus)
{
	(void)cpus;
	return 1;
}

static unsigned per_cpu(unsigned cpus)
{
	return cpus;
}

static unsigned two_per_cpu(unsigned cpus)
{
	return 2 * cpus;
}

/* A name may stand for several rows; @numbered ones carry the number of workers in their name. */
static const struct {
	const char *name;
	unsigned (*workers)(unsigned cpus);
	enum load_mode mode;
	bool numbered;
} table[] = {
	{ "serial", one, LOAD_WAIT, false },
	{ "workers", per_cpu, LOAD_WAIT, true },
	{ "workers", two_per_cpu, LOAD_WAIT, true },
	{ "burst", one, LOAD_NOWAIT, false },
};

#define TABLE_ROWS (sizeof(table) / sizeof(table[0]))

static int monitor_parse(struct monitor *m, const char *name, struct err *e)
{
	const char *p = name;

	snprintf(m->name, sizeof(m->name), "%s", name);
	if (!strcmp(name, "none"))
		return 0;
	while (*p) {
		size_t len = strcspn(p, "+");
		char one_name[64];
		const struct source_ops *ops;

		snprintf(one_name, sizeof(one_name), "%.*s", (int)len, p);
		ops = source_find(one_name);
		if (!ops || ops->needs_file)
			return err_set(e, -EINVAL,
				       "--monitor '%s': there is no source '%s' to bench; "
				       "'proctrace sources' "
				       "lists them",
				       name, one_name);
		if (m->nsources == PLAN_MAX_SOURCES)
			return err_set(e, -EINVAL,
				       "--monitor '%s': at most two sources can watch together",
				       name);
		if (m->nsources && m->source[0] == ops)
			return err_set(e, -EINVAL, "--monitor '%s' names the same source twice",
				       name);
		m->source[m->nsources++] = ops;
		p += len;
		if (*p == '+' && !*++p)
			return err_set(e, -EINVAL, "--monitor '%s' ends with '+'", name);
	}
	return m->nsources ? 0 : err_set(e, -EINVAL, "--monitor has an empty name in its list");
}

static int monitor_add(struct plan *p, const struct monitor *m, const char *option, struct err *e)
{
	for (unsigned i = 0; i < p->nmonitors; i++)
		if (!strcmp(p->monitor[i].name, m->name))
			return err_set(e, -EINVAL, "%s names '%s' twice", option, m->name);
	if (p->nmonitors == PLAN_MAX_MONITORS)
		return err_set(e, -EINVAL, "%s: at most %d", option, PLAN_MAX_MONITORS);
	p->monitor[p->nmonitors++] = *m;
	return 0;
}

int plan_add_monitor(struct plan *p, const char *name, struct err *e)
{
	struct monitor m = { 0 };
	int err = monitor_parse(&m, name, e);

	return err ? err : monitor_add(p, &m, "--monitor", e);
}

int plan_add_external(struct plan *p, const struct external_cfg *x, uint32_t rounds, struct err *e)
{
	struct monitor m = { .external = x, .rounds = rounds };

	snprintf(m.name, sizeof(m.name), "%s", x->name);
	return monitor_add(p, &m, "--with", e);
}

int plan_add(struct plan *p, const struct scenario *s, struct err *e)
{
	if (p->nscenarios == PLAN_MAX_SCENARIOS)
		return err_set(e, -EINVAL, "at most %d scenarios in one run", PLAN_MAX_SCENARIOS);
	p->scenario[p->nscenarios++] = *s;
	return 0;
}

int plan_add_custom(struct plan *p, const char *name, const struct load_cfg *load, struct err *e)
{
	struct scenario s = { .load = *load };

	snprintf(s.name, sizeof(s.name), "%s", name);
	return plan_add(p, &s, e);
}

int plan_add_scenario(struct plan *p, const char *name, unsigned cpus, const struct load_cfg *base,
		      struct err *e)
{
	bool found = false;

	for (size_t i = 0; i < TABLE_ROWS; i++) {
		struct load_cfg load = *base;
		char label[32];
		int err;

		if (name && strcmp(name, table[i].name) != 0)
			continue;
		found = true;
		load.workers = table[i].workers(cpus);
		load.mode = table[i].mode;
		if (load.workers > LOAD_MAX_WORKERS)
			load.workers = LOAD_MAX_WORKERS;
		snprintf(label, sizeof(label), table[i].numbered ? "%s-%u" : "%s", table[i].name,
			 load.workers);
		err = plan_add_custom(p, label, &load, e);
		if (err)
			return err;
	}
	if (!found)
		return err_set(e, -EINVAL,
			       "--scenario '%s' is not known: take serial, workers or burst", name);
	return 0;
}

static bool is_called(const struct scenario *s, const char *name)
{
	return !strcmp(s->name, name) || !strcmp(s->study, name);
}

int plan_keep(struct plan *p, const char *const *names, unsigned n, struct err *e)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++) {
		bool found = false;

		for (unsigned s = 0; !found && s < p->nscenarios; s++)
			found = is_called(&p->scenario[s], names[i]);
		if (!found)
			return err_set(
				e, -EINVAL,
				"--scenario '%s' is neither a scenario nor a study of this suite",
				names[i]);
	}
	for (unsigned s = 0; s < p->nscenarios; s++) {
		bool keep = false;

		for (unsigned i = 0; !keep && i < n; i++)
			keep = is_called(&p->scenario[s], names[i]);
		if (keep)
			p->scenario[kept++] = p->scenario[s];
	}
	p->nscenarios = kept;
	return 0;
}

uint32_t plan_monitors(const struct plan *p, const char *list)
{
	uint32_t mask = 0;

	for (unsigned m = 0; m < p->nmonitors; m++) {
		const size_t len = strlen(p->monitor[m].name);

		for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
			if (strcspn(at, ",") == len && !strncmp(at, p->monitor[m].name, len))
				mask |= 1U << m;
	}
	return mask;
}

void plan_free(struct plan *p)
{
	free(p->cell);
	*p = (struct plan){ 0 };
}
