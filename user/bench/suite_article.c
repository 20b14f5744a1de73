// SPDX-License-Identifier: MIT
/* The experiments of the article, with its durations: 10 s, with several workers 30 s. */
#include <stdio.h>

#include "base/clock.h"
#include "bench/suite.h"

#define DURATION_NS (10 * NSEC_PER_SEC)
#define WORKERS_DURATION_NS (30 * NSEC_PER_SEC)
#define PAUSE_NS (3 * NSEC_PER_USEC)

static const struct {
	const char *name;
	unsigned workers;
	enum load_mode mode;
	uint64_t pause_ns;
} experiments[] = {
	{ "serial", 1, LOAD_WAIT, 0 },	  { "pause", 1, LOAD_NOWAIT, PAUSE_NS },
	{ "workers-3", 3, LOAD_WAIT, 0 }, { "workers-4", 4, LOAD_WAIT, 0 },
	{ "workers-5", 5, LOAD_WAIT, 0 }, { "workers-6", 6, LOAD_WAIT, 0 },
	{ "workers-7", 7, LOAD_WAIT, 0 }, { "workers-8", 8, LOAD_WAIT, 0 },
	{ "workers-9", 9, LOAD_WAIT, 0 }, { "workers-10", 10, LOAD_WAIT, 0 },
	{ "burst", 1, LOAD_NOWAIT, 0 },
};

int suite_article_add(struct plan *p, unsigned cpus, const struct load_cfg *base, struct err *e)
{
	int err = 0;

	(void)cpus;
	for (size_t i = 0; !err && i < sizeof(experiments) / sizeof(experiments[0]); i++) {
		struct scenario s = { .study = "article", .load = *base };
		uint64_t whole = base->duration_ns;

		if (!whole && !base->count)
			whole = experiments[i].workers > 1 ? WORKERS_DURATION_NS : DURATION_NS;
		snprintf(s.name, sizeof(s.name), "%s", experiments[i].name);
		s.load.workers = experiments[i].workers;
		s.load.mode = experiments[i].mode;
		s.load.pause_ns = experiments[i].pause_ns;
		/* Each monitor sees the whole duration, in as many slices as there are rounds. */
		s.load.duration_ns = whole / ARTICLE_ROUNDS;
		err = plan_add(p, &s, e);
	}
	return err;
}
