// SPDX-License-Identifier: MIT
/* The order of a plan's cells. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan.h"

#define KERNEL_ROUNDS 2 /* rounds that have slices of SLICE_KERNEL, too */
/* Of one scenario in one round: a monitor's slice, one without, one with the programs timed; warming up, and
 * the slice that ends the row. */
#define CELLS_MAX (3 * PLAN_MAX_MONITORS + 2)

/* splitmix64: small, and the same everywhere, so that a recorded seed repeats the order. */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9E3779B97F4A7C15ULL);

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
	return z ^ (z >> 31);
}

static void shuffle(unsigned *v, unsigned n, uint64_t *state)
{
	for (unsigned i = n; i > 1; i--) {
		unsigned j = (unsigned)(random_next(state) % i), t = v[i - 1];

		v[i - 1] = v[j];
		v[j] = t;
	}
}

static uint32_t rounds_of(const struct scenario *s, uint32_t rounds)
{
	return s->rounds ? s->rounds : rounds;
}

static int cells_reserve(struct plan *p, size_t more)
{
	struct plan_cell *cell = reallocarray(p->cell, p->ncells + more + 1, sizeof(*cell));

	if (!cell)
		return -ENOMEM;
	p->cell = cell;
	return 0;
}

static bool is_timed(const struct monitor *m)
{
	return m->nsources == 1 && m->source[0]->buffer == BUFFER_RING;
}

/* Each of @order between two slices of the monitor @none. */
static void order_among_none(struct plan *p, struct plan_cell at, const unsigned *order, unsigned n,
			     unsigned none)
{
	struct plan_cell nobody = at;

	nobody.monitor = none;
	p->cell[p->ncells] = nobody;
	p->cell[p->ncells++].purpose = SLICE_WARM_UP;
	for (unsigned i = 0; i < n; i++) {
		at.monitor = order[i];
		p->cell[p->ncells++] = nobody;
		p->cell[p->ncells++] = at;
	}
	p->cell[p->ncells++] = nobody;
	at.purpose = SLICE_KERNEL;
	for (unsigned i = 0; i < n && at.round <= KERNEL_ROUNDS; i++)
		if (is_timed(&p->monitor[order[i]])) {
			at.monitor = order[i];
			p->cell[p->ncells++] = at;
		}
}

/* The cells of one scenario in one round. */
static int order_scenario(struct plan *p, unsigned scenario, uint32_t round, uint64_t seed)
{
	const struct scenario *s = &p->scenario[scenario];
	struct plan_cell at = { .scenario = scenario, .round = round };
	uint64_t state = seed + ((uint64_t)round << 32 | scenario);
	unsigned order[PLAN_MAX_MONITORS], n = 0, none = PLAN_MAX_MONITORS;

	if (cells_reserve(p, CELLS_MAX))
		return -ENOMEM;
	for (unsigned m = 0; m < p->nmonitors; m++) {
		if (s->monitors && !(s->monitors & 1U << m))
			continue;
		if (p->monitor[m].rounds && round > p->monitor[m].rounds)
			continue;
		if (strcmp(p->monitor[m].name, "none") == 0)
			none = m;
		else
			order[n++] = m;
	}
	random_next(&state);
	shuffle(order, n, &state);
	if (none < PLAN_MAX_MONITORS && n) {
		order_among_none(p, at, order, n, none);
		return 0;
	}
	if (none < PLAN_MAX_MONITORS)
		order[n++] = none;
	for (unsigned i = 0; i < n; i++) {
		at.monitor = order[i];
		p->cell[p->ncells++] = at;
	}
	return 0;
}

int plan_order(struct plan *p, uint32_t rounds, uint64_t seed)
{
	uint32_t most = 0;
	int err = 0;

	for (unsigned s = 0; s < p->nscenarios; s++)
		if (rounds_of(&p->scenario[s], rounds) > most)
			most = rounds_of(&p->scenario[s], rounds);
	p->ncells = 0;
	for (uint32_t round = 1; round <= most; round++)
		for (unsigned s = 0; !err && s < p->nscenarios; s++)
			if (round <= rounds_of(&p->scenario[s], rounds))
				err = order_scenario(p, s, round, seed);
	return err;
}

int plan_append(struct plan *p, uint32_t round, uint64_t seed, const bool *wanted)
{
	int err = 0;

	for (unsigned s = 0; !err && s < p->nscenarios; s++)
		if (wanted[s])
			err = order_scenario(p, s, round, seed);
	return err;
}
