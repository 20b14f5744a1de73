// SPDX-License-Identifier: MIT
#include "bench/cell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/stop.h"
#include "bench/cell_external.h"
#include "bench/places.h"
#include "bench/lookout.h"
#include "bench/reader.h"

/* One probe may be lost where a buffer is still full: then another one is sent. */
#define PROBE_PATIENCE_NS (250 * NSEC_PER_MSEC)
#define PROGRESS_MS 100
#define GAP_TOLERANCE_S 0.02
/* Both mechanisms stamp exits before the process can be reaped, but netlink's after wait(2) may have
 * returned; a dying process can be held up there for as long as the scheduler likes. */
#define EXIT_LAG_NS (500 * NSEC_PER_MSEC)

struct cell {
	struct rig *rig;
	const struct cell_cfg *cfg;
	struct reader reader[CELL_MAX_SOURCES];
	unsigned nreaders;
	struct lookout lookout;
	struct external *external;
	struct usage before, after; /* the load */
	struct places places;
	uint64_t held_before; /* bytes */
};

/* ---- steps ------------------------------------------------------------------------------------ */

static void buffers_widen(struct cell *c, bool wide)
{
	for (unsigned i = 0; i < c->nreaders; i++)
		if (c->reader[i].source.ops->widen)
			c->reader[i].source.ops->widen(&c->reader[i].source, wide);
}

static int sources_open(struct cell *c, struct err *e)
{
	const struct cell_cfg *cfg = c->cfg;

	for (unsigned i = 0; i < cfg->nsources; i++) {
		struct source_cfg sc = source_cfg_default();
		int err;

		sc.buffer_bytes = cfg->source[i]->buffer == BUFFER_SOCKET ? cfg->cond.rcvbuf_bytes
									  : cfg->cond.ring_bytes;
		sc.ours_pgid = load_pgid(c->rig->load);
		sc.attach = cfg->attach;
		sc.btf = cfg->btf;
		err = reader_open(&c->reader[i], cfg->source[i], &sc, &cfg->cond, &c->rig->rec[i],
				  &c->rig->names, cfg->inject[i], e);
		if (err)
			return err;
		c->nreaders++;
	}
	buffers_widen(c, true);
	for (unsigned i = 0; i < c->nreaders; i++) {
		int err = reader_start(&c->reader[i], e);

		if (err)
			return err;
	}
	return 0;
}

static void load_began(struct cell *c, uint64_t from_ns)
{
	for (unsigned i = 0; i < c->nreaders; i++)
		atomic_store(&c->reader[i].load_began_ns, from_ns);
	for (unsigned i = 0; i < c->nreaders; i++)
		if (c->cfg->inject[i] && from_ns)
			injector_arm(c->cfg->inject[i], from_ns);
}

static int load_watch(struct cell *c, struct cell_result *out, struct err *e)
{
	struct rig *rig = c->rig;
	uint64_t begin = clock_now_ns();
	int done;

	do {
		done = load_wait(rig->load, PROGRESS_MS, &out->load, e);
		if (stop_requested() && !out->interrupted) {
			out->interrupted = true;
			load_stop(rig->load);
		}
		if (!done && rig->progress)
			rig->progress(rig->progress_ctx, load_progress(rig->load),
				      clock_now_ns() - begin);
	} while (!done);
	return done < 0 ? done : 0;
}

/* The same idle time before each load, whatever opening and closing took. */
static void gap_keep(struct cell *c, struct cell_result *out)
{
	struct rig *rig = c->rig;

	if (!rig->load_end_ns)
		return;
	clock_sleep_until_ns(rig->load_end_ns + c->cfg->gap_ns);
	out->gap_s = (double)(clock_now_ns() - rig->load_end_ns) / NSEC_PER_SEC;
}

/* Adds the second run of the same load to the first: what both launched, in the time that both took. */
static void load_add(struct load_result *sum, const struct load_result *second)
{
	const uint64_t took = (sum->end_ns - sum->start_ns) + (second->end_ns - second->start_ns);

	sum->launches += second->launches;
	sum->failed += second->failed;
	sum->bad_status += second->bad_status;
	sum->truth_full |= second->truth_full;
	sum->gave_up |= second->gave_up;
	sum->cpu_user_s += second->cpu_user_s;
	sum->cpu_sys_s += second->cpu_sys_s;
	sum->child_user_s += second->child_user_s;
	sum->child_sys_s += second->child_sys_s;
	hist_merge(&sum->latency, &second->latency);
	sum->end_ns = sum->start_ns + took;
	sum->rate_per_s = took ? (double)sum->launches * NSEC_PER_SEC / (double)took : 0;
}

/* The load, and perhaps once more after a pause. */
static int load_once_or_twice(struct cell *c, struct cell_result *out, struct err *e)
{
	struct load_result *first;
	int err = load_start(c->rig->load, &c->cfg->load, e);

	if (!err)
		err = load_watch(c, out, e);
	if (err || !c->cfg->cond.twice || out->interrupted)
		return err;
	first = malloc(sizeof(*first));
	if (!first)
		return err_set(e, -ENOMEM, "out of memory");
	*first = out->load;
	clock_sleep_ns(c->cfg->cond.pause_ns);
	err = load_start(c->rig->load, &c->cfg->load, e);
	if (!err)
		err = load_watch(c, out, e);
	if (!err) {
		load_add(first, &out->load);
		out->load = *first;
	}
	free(first);
	return err;
}

/* Puts the readers where the conditions want them. */
static int readers_place(struct cell *c, struct err *e)
{
	struct places *p = &c->places;

	*p = (struct places){ .load = c->rig->load, .nreaders = c->nreaders };
	for (unsigned i = 0; i < c->nreaders; i++)
		while (!(p->reader[i] = atomic_load(&c->reader[i].tid)))
			clock_sleep_ns(NSEC_PER_MSEC / 10);
	return places_take(p, &c->cfg->cond, e);
}

static int load_run(struct cell *c, struct cell_result *out, struct err *e)
{
	const int timing = c->cfg->kernel_stats ? bpf_enable_stats(BPF_STATS_RUN_TIME) : -1;
	uint64_t held;
	int err;

	buffers_widen(c, false);
	gap_keep(c, out);
	external_load_begin(c->external);
	usage_read(&c->before);
	err = readers_place(c, e);
	load_began(c, clock_now_ns());
	if (!err)
		err = load_once_or_twice(c, out, e);
	places_leave(&c->places);
	c->rig->load_end_ns = clock_now_ns();
	usage_read(&c->after);
	external_load_end(c->external);
	held = usage_memory();
	out->memory_bytes = held > c->held_before ? held - c->held_before : 0;
	load_began(c, 0);
	buffers_widen(c, true);
	if (timing >= 0)
		close(timing);
	return err;
}

/* ---- books ------------------------------------------------------------------------------------ */

struct views {
	uint8_t *seen[CELL_MAX_SOURCES];
	uint64_t *exec_ts[CELL_MAX_SOURCES];
};

static int views_alloc(struct views *v, unsigned nsources, size_t launches)
{
	for (unsigned i = 0; i < nsources; i++) {
		v->seen[i] = calloc(launches + 1, sizeof(*v->seen[i]));
		v->exec_ts[i] = calloc(launches + 1, sizeof(*v->exec_ts[i]));
		if (!v->seen[i] || !v->exec_ts[i])
			return -ENOMEM;
	}
	return 0;
}

static void views_free(struct views *v)
{
	for (unsigned i = 0; i < CELL_MAX_SOURCES; i++) {
		free(v->seen[i]);
		free(v->exec_ts[i]);
	}
}

static int losses_of(const struct cell *c, unsigned i, const struct truth *truth,
		     const uint8_t *seen, struct cell_result *out)
{
	const struct reader *r = &c->reader[i];
	const struct losses_cfg cfg = { .kinds = out->source[i].ledger.kinds,
					.began_ns = out->load.start_ns,
					.stall_begin_ns = r->stall_begin_ns,
					.stall_end_ns = r->stall_end_ns };

	struct losses *l = &out->source[i].losses;
	const int err = losses_find(truth, seen, &c->rig->rec[i], &cfg, l);

	l->cpus = out->source[i].stats.loss_cpus;
	l->cpu_most = out->source[i].stats.loss_cpu_most;
	return err;
}

static int books_close(struct cell *c, struct cell_result *out, struct err *e)
{
	const struct reconcile_cfg rc = { .exit_lag_ns = EXIT_LAG_NS };
	struct views v = { 0 };
	struct truth *truth = malloc(sizeof(*truth));
	size_t n = 0;
	int err = truth ? 0 : -ENOMEM;

	if (!err) {
		load_truth(c->rig->load, truth);
		n = truth_count(truth);
		out->harness = n - out->load.launches;
		for (unsigned i = 0; i < c->nreaders; i++)
			if (c->cfg->inject[i])
				injector_truth(c->cfg->inject[i], truth, EXIT_LAG_NS);
		n = truth_count(truth);
		err = views_alloc(&v, c->nreaders, n);
	}
	for (unsigned i = 0; !err && i < c->nreaders; i++) {
		struct cell_source *s = &out->source[i];

		s->ops = c->reader[i].source.ops;
		s->ops->stats(&c->reader[i].source, &s->stats);
		if (c->cfg->inject[i])
			injector_stats(c->cfg->inject[i], &s->stats);
		/* Sequence numbers are per CPU. */
		if (lookout_cpus_changed(&c->lookout) && s->stats.generated_all_types)
			s->stats.books_audited = false;
		s->reader_user_s = c->reader[i].user_s;
		s->reader_sys_s = c->reader[i].sys_s;
		s->reader_waits = c->reader[i].waits;
		s->reader_preempted = c->reader[i].preempted;
		err = reconcile(truth, &c->rig->rec[i], &s->stats, &rc, &s->ledger, v.seen[i],
				v.exec_ts[i]);
		if (!err)
			err = losses_of(c, i, truth, v.seen[i], out);
	}
	if (!err && c->nreaders == 2) {
		reconcile_cross(v.seen[0], v.exec_ts[0], v.seen[1], v.exec_ts[1], n, &out->cross);
		out->has_cross = true;
	}
	views_free(&v);
	free(truth);
	return err ? err_set(e, err, "cannot reconcile %zu launches: %s", n, strerror(-err)) : 0;
}

static int readers_stop(struct cell *c, struct err *e)
{
	for (unsigned i = 0; i < c->nreaders; i++)
		reader_stop(&c->reader[i]);
	for (unsigned i = 0; i < c->nreaders; i++)
		if (c->reader[i].broken)
			return err_set(
				e, c->reader[i].broken, "reading from the source %s failed: %s",
				c->reader[i].source.ops->name, strerror(-c->reader[i].broken));
	return 0;
}

/* What else went on, and whether the idle time was kept. */
static void disturbance_judge(const struct cell *c, struct cell_result *out)
{
	const struct load_result *l = &out->load;
	struct usage_ours ours = {
		.cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
		.forks = l->launches + l->failed,
		.cpu_s = l->cpu_user_s + l->cpu_sys_s + l->child_user_s + l->child_sys_s,
	};
	const double late = out->gap_s - (double)c->cfg->gap_ns / NSEC_PER_SEC;

	for (unsigned i = 0; i < c->nreaders; i++)
		ours.cpu_s += c->reader[i].user_s + c->reader[i].sys_s;
	ours.cpu_s += out->external.load_cpu_s + out->external.reader_cpu_s;
	out->disturbance = usage_judge(&c->before, &c->after, &ours);
	if (c->cfg->gap_ns && late > GAP_TOLERANCE_S)
		out->disturbance.marks |= DISTURB_GAP;
}

/* Measures; c->reader[] is closed by the caller. */
static int cell_measure(struct cell *c, struct cell_result *out, struct err *e)
{
	const bool watched = c->nreaders && !c->cfg->cond.unwatched;
	int err;

	c->lookout.nreaders = c->nreaders;
	err = watched ? lookout_canary(&c->lookout, e) : 0;

	if (!err && (watched || !c->nreaders))
		err = lookout_cpus(&c->lookout, "before", e);
	if (!err)
		err = load_run(c, out, e);
	if (!err && (watched || !c->nreaders))
		err = lookout_cpus(&c->lookout, "after", e);
	if (!err)
		err = readers_stop(c, e);
	if (!err)
		err = cell_external_end(c->rig, c->external, out, e);
	if (!err)
		disturbance_judge(c, out);
	if (!err && !c->cfg->cond.unwatched)
		err = books_close(c, out, e);
	return err;
}

/* What this machine does not have is a reason to leave a cell out, not to end. */
static int cell_skip(struct cell_result *out, int err, const struct err *e)
{
	if (err != -EOPNOTSUPP)
		return err;
	snprintf(out->skipped, sizeof(out->skipped), "%.127s", e->text);
	out->nsources = 0;
	return 0;
}

int cell_run(struct rig *rig, const struct cell_cfg *cfg, struct cell_result *out, struct err *e)
{
	struct cell c = { .rig = rig, .cfg = cfg };
	int err;

	memset(out, 0, sizeof(*out));
	out->nsources = cfg->cond.unwatched ? 0 : cfg->nsources;
	c.lookout = (struct lookout){ .load = rig->load,
				      .rec = rig->rec,
				      .reader = c.reader,
				      .patience_ns = PROBE_PATIENCE_NS + cfg->cond.stall_ns };
	err = lookout_cpus_read(&c.lookout, e);
	if (err)
		return err;
	load_reset(rig->load);
	err = load_prepare(rig->load, &cfg->load, e);
	if (err)
		return cell_skip(out, err, e);
	load_truth(rig->load, &rig->names);
	c.held_before = usage_memory();
	err = sources_open(&c, e);
	if (!err)
		err = cell_external_begin(rig, cfg, &c.external, out, e);
	if (!err && out->external.state == EXTERNAL_GOOD && !out->interrupted)
		err = cell_measure(&c, out, e);
	external_free(c.external);
	for (unsigned i = 0; i < CELL_MAX_SOURCES; i++)
		reader_close(&c.reader[i]);
	return cell_skip(out, err, e);
}
