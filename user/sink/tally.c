// SPDX-License-Identifier: MIT
#include "sink/tally.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "sink/lineage.h"

struct tally *tally_new(void)
{
	struct tally *t = calloc(1, sizeof(*t));

	if (t)
		tally_reset(t);
	return t;
}

static void table_reset(struct tally_table *tab)
{
	for (unsigned i = 0; i < tab->n; i++)
		free(tab->row[i].life);
	free(tab->other.life);
	memset(tab, 0, sizeof(*tab));
}

void tally_reset(struct tally *t)
{
	table_reset(&t->program);
	table_reset(&t->pair);
	free(t->all.life);
	t->all = (struct tally_row){ .ppid = EV_NO_PID };
	t->failed_execs = t->lost = 0;
	t->first_ns = t->last_ns = EV_NO_TIME;
}

void tally_free(struct tally *t)
{
	if (!t)
		return;
	tally_reset(t);
	free(t);
}

/* FNV-1a over the 32 bytes of both names. */
static uint32_t names_hash(const char comm[16], const char parent[16])
{
	uint32_t h = 2166136261U;

	for (unsigned i = 0; i < 16; i++)
		h = (h ^ (uint8_t)comm[i]) * 16777619U;
	for (unsigned i = 0; i < 16; i++)
		h = (h ^ (uint8_t)parent[i]) * 16777619U;
	return h ^ h >> 15;
}

/* The row of the two names; a new one where there is none; else that of all others. */
static struct tally_row *row_of(struct tally_table *tab, const char comm[16], const char parent[16])
{
	const uint32_t mask = 2 * TALLY_ROWS - 1;
	uint32_t at = names_hash(comm, parent) & mask;
	struct tally_row *r;

	for (; tab->slot[at]; at = (at + 1) & mask) {
		r = &tab->row[tab->slot[at] - 1];
		if (!memcmp(r->comm, comm, 16) && !memcmp(r->parent, parent, 16))
			return r;
	}
	if (tab->n == TALLY_ROWS)
		return &tab->other;
	r = &tab->row[tab->n++];
	tab->slot[at] = (uint16_t)tab->n;
	memcpy(r->comm, comm, 16);
	memcpy(r->parent, parent, 16);
	return r;
}

static void count_start(struct tally_row *r, pid_t ppid)
{
	if (!r->starts)
		r->ppid = ppid;
	else if (r->ppid != ppid)
		r->ppid = EV_NO_PID;
	r->starts++;
}

static void count_end(struct tally_row *r, const struct event *ev)
{
	r->ended++;
	if (ev->status != EV_NO_STATUS && WIFSIGNALED(ev->status))
		r->killed++;
	else if (ev->status != EV_NO_STATUS)
		*(WEXITSTATUS(ev->status) ? &r->failed : &r->ok) += 1;
	if (ev->duration_ns != EV_NO_TIME && ev->duration_ns < TALLY_SHORT_NS)
		r->short_lived++;
	if (ev->cpu_user_ns == EV_NO_TIME || ev->cpu_sys_ns == EV_NO_TIME)
		return;
	r->cpu_known = true;
	r->cpu_ns += ev->cpu_user_ns + ev->cpu_sys_ns;
}

/* Without memory for it, a program has no quantiles. */
static void count_life(struct tally_row *r, const struct event *ev)
{
	if (ev->duration_ns == EV_NO_TIME)
		return;
	if (!r->life)
		r->life = calloc(1, sizeof(*r->life));
	if (r->life)
		sketch_add(r->life, ev->duration_ns);
}

static void time_take(struct tally *t, uint64_t ts_ns)
{
	if (ts_ns == EV_NO_TIME)
		return;
	if (t->first_ns == EV_NO_TIME || ts_ns < t->first_ns)
		t->first_ns = ts_ns;
	if (t->last_ns == EV_NO_TIME || ts_ns > t->last_ns)
		t->last_ns = ts_ns;
}

void tally_take(struct tally *t, const struct event *ev, const char parent[16])
{
	static const char none[16] = "";
	struct tally_row *program, *pair;

	if (event_of_thread(ev))
		return;
	time_take(t, ev->ts_ns);
	if (ev->flags & EVF_EXEC_FAILED) {
		t->failed_execs++;
		return;
	}
	if (ev->kind == EV_FORK)
		return;
	program = row_of(&t->program, ev->comm, none);
	pair = row_of(&t->pair, ev->comm, parent);
	if (ev->kind == EV_EXEC) {
		count_start(&t->all, ev->ppid);
		count_start(program, ev->ppid);
		count_start(pair, ev->ppid);
		return;
	}
	count_end(&t->all, ev);
	count_end(program, ev);
	count_end(pair, ev);
	count_life(program, ev);
}

/* More starts, then more ends; then by name, so that equal runs print the same. */
static int row_order(const struct tally_row *a, const struct tally_row *b)
{
	int names;

	if (a->starts != b->starts)
		return a->starts > b->starts ? -1 : 1;
	if (a->ended != b->ended)
		return a->ended > b->ended ? -1 : 1;
	names = memcmp(a->comm, b->comm, 16);
	return names ? names : memcmp(a->parent, b->parent, 16);
}

unsigned tally_top(const struct tally_table *tab, const struct tally_row **top, unsigned n)
{
	unsigned have = 0;

	for (unsigned i = 0; i < tab->n; i++) {
		const struct tally_row *r = &tab->row[i];
		unsigned at = have < n ? have++ : n;

		/* Insertion: most rows are smaller than all that is there. */
		for (; at > 0 && row_order(r, top[at - 1]) < 0; at--)
			if (at < n)
				top[at] = top[at - 1];
		if (at < n)
			top[at] = r;
	}
	return have;
}
