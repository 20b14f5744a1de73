// SPDX-License-Identifier: MIT
#include "bench/synthetic.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EPOCH_NS 1000000000ULL
#define STEP_NS 100000 /* from one launch to the next */
#define LIFE_NS 80000
#define RX_NS 1000000 /* from stamp to reader */
#define HARNESS 4 /* launches */
#define PIDS 500 /* then they are used again */
#define FIRST_PID 1000
#define FOREIGN_PID 900000 /* higher than any of ours */
#define FOREIGN_EVERY 100 /* launches; in the first half of them */
#define NAMES 3
#define LATE_EVERY 50
#define LATE_NS 5000

int synthetic_init(struct synthetic *s, uint64_t launches)
{
	memset(s, 0, sizeof(*s));
	s->launch = calloc(HARNESS + launches, sizeof(*s->launch));
	if (!s->launch)
		return -ENOMEM;
	for (uint64_t i = 0; i < HARNESS + launches; i++)
		s->launch[i] = (struct truth_launch){
			.start_ns = EPOCH_NS + i * STEP_NS,
			.end_ns = EPOCH_NS + i * STEP_NS + LIFE_NS,
			.pid = FIRST_PID + (pid_t)(i % PIDS),
			.status = (i % 251) << 8,
			.worker = i < HARNESS ? TRUTH_HARNESS : 0,
			.name = 1 + i % NAMES,
		};
	s->began_ns = s->launch[HARNESS].start_ns;
	s->truth.segment[0] = (struct truth_segment){ s->launch, HARNESS };
	s->truth.segment[1] = (struct truth_segment){ s->launch + HARNESS, launches };
	s->truth.nsegments = 2;
	s->truth.nnames = NAMES;
	for (unsigned i = 0; i < NAMES; i++)
		snprintf(s->truth.name[i], sizeof(s->truth.name[i]), "testApp%u", i + 1);
	return 0;
}

static void accounts_init(struct source_stats *st, enum synthetic_style style)
{
	*st = (struct source_stats){ .books_audited = true };
	if (style == SYNTHETIC_SOCKET) {
		st->generated_all_types = true;
		st->naccounts = 1;
		st->account[0].kinds = EV_MASK_ALL;
		return;
	}
	st->knows_ours = true;
	st->naccounts = 2;
	st->account[0].kinds = EV_MASK(EV_EXEC);
	st->account[1].kinds = EV_MASK(EV_EXIT);
}

static void tell(const struct event *ev, struct sink *sink, struct source_stats *st)
{
	for (unsigned i = 0; i < st->naccounts; i++) {
		if (!(st->account[i].kinds & EV_MASK(ev->kind)))
			continue;
		st->account[i].generated++;
		st->account[i].delivered++;
		sink_event(sink, ev);
	}
}

static void play_life(const struct truth_launch *l, pid_t parent, const char *name,
		      struct sink *sink, struct source_stats *st)
{
	static const uint64_t after[EV_KINDS] = {
		[EV_FORK] = 10000, [EV_EXEC] = 20000, [EV_EXIT] = LIFE_NS - 10000
	};

	for (int k = 0; k < EV_KINDS; k++) {
		struct event ev = event_empty((enum event_kind)k);

		ev.ts_ns = l->start_ns + after[k];
		/* wait(2) may return before a socket is told. */
		if (k == EV_EXIT && !st->knows_ours && l->pid % LATE_EVERY == 0)
			ev.ts_ns = l->end_ns + LATE_NS;
		ev.rx_ns = ev.ts_ns + RX_NS;
		ev.pid = ev.tid = l->pid;
		if (k == EV_FORK || st->knows_ours)
			ev.ppid = parent;
		if (k == EV_EXIT)
			ev.status = (int)l->status;
		if (k == EV_EXEC && st->knows_ours)
			memcpy(ev.comm, name, sizeof(ev.comm));
		tell(&ev, sink, st);
	}
}

void synthetic_play(const struct synthetic *s, enum synthetic_style style, struct sink *sink,
		    struct source_stats *stats)
{
	const size_t n = truth_count(&s->truth);

	accounts_init(stats, style);
	for (size_t i = 0; i < n; i++) {
		const struct truth_launch *l = &s->launch[i];
		struct truth_launch other = *l;

		other.pid = FOREIGN_PID + (pid_t)i;
		if (i % FOREIGN_EVERY == 0 && i < n / 2)
			play_life(&other, FOREIGN_PID - 1, "other\0\0\0\0\0\0\0\0\0\0", sink,
				  stats);
		play_life(l, l->worker == TRUTH_HARNESS ? FOREIGN_PID - 1 : SYNTHETIC_LAUNCHER,
			  s->truth.name[l->name - 1], sink, stats);
	}
}

void synthetic_free(struct synthetic *s)
{
	free(s->launch);
	s->launch = NULL;
}
