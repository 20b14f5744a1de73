// SPDX-License-Identifier: MIT
#include "cmd/bench_opts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/bounds.h"
#include "cmd/opt_colour.h"

/* Many short slices say more than few long ones: neighbours differ by some per cent whatever their length.
 * 4 scenarios × 9 slices (4 monitors, each among two slices that nobody watches) × 9 rounds take about a
 * minute. Six rounds are the fewest that allow a 95 % interval by order statistics. */
#define ROUNDS_DEFAULT 9
#define DURATION_DEFAULT (60 * NSEC_PER_MSEC)
/* With an injected stall each second, a slice has to contain some of them. */
#define DURATION_STALL (2 * NSEC_PER_SEC)
#define ROUNDS_STALL 2
/* auto: enough for an interval that leaves out some at each end. */
#define ROUNDS_AUTO 8
/* Of other monitors: the fewest that give an interval. */
#define WITH_ROUNDS 6
#define AUTO_PCT_DEFAULT 1
#define MAX_TIME_DEFAULT (600 * NSEC_PER_SEC)

static const char *const attach_names[] = { "auto", "tp_btf", "raw_tp", NULL };

static int parse_rounds(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	struct opt_rounds *r = dst;
	int err = 0;

	*r = (struct opt_rounds){ .automatic = strncmp(value, "auto", 4) == 0,
				  .pct = AUTO_PCT_DEFAULT };
	if (!r->automatic)
		err = opt_u32(opt, value, &r->n, e) || !r->n ? -EINVAL : 0;
	else if (value[4] == ':')
		err = opt_double(opt, value + 5, &r->pct, e);
	else if (value[4])
		err = -EINVAL;
	return err ? err_set(e, err, "is neither a number above 0 nor auto or auto:PCT") : 0;
}
static const struct opt_bounds seed_bounds = { 1, UINT64_MAX, "1 or more" };
static const struct opt_bounds stall_bounds = { 0, 999,
						"at most 999, for a reader stops once a second" };

static const struct opt plan_opts[] = {
	{ .name = "suite",
	  .arg = "NAME",
	  .parse = opt_choice,
	  .offset = offsetof(struct bench_opts, suite),
	  .data = suite_names,
	  .help = "ready-made set of scenarios: quick, article, the experiments of the "
		  "article, or full, the laws of loss (default: quick)" },
	{ .name = "scenario",
	  .arg = "NAME",
	  .parse = opt_list,
	  .offset = offsetof(struct bench_opts, scenario),
	  .help = "serial, workers or burst, or a part of the suite; may be repeated (default: "
		  "all)" },
	{ .name = "monitor",
	  .arg = "LIST",
	  .parse = opt_list,
	  .offset = offsetof(struct bench_opts, monitor),
	  .help = "who watches (default: " PLAN_DEFAULT_MONITORS ")" },
	{ .name = "rounds",
	  .arg = "N|auto[:PCT]",
	  .parse = parse_rounds,
	  .offset = offsetof(struct bench_opts, rounds),
	  .help = "how often each scenario runs with each monitor (default: 9; with --stall 2); "
		  "auto: "
		  "until each slowdown is known to ± PCT per cent (default: 1)" },
	{ .name = "max-time",
	  .arg = "TIME",
	  .parse = opt_duration,
	  .offset = offsetof(struct bench_opts, max_time_ns),
	  .data = &time_bounds,
	  .help = "--rounds auto begins no round after so long (default: 10m)" },
	{ .name = "self-test",
	  .arg = "WHAT",
	  .implied = "faults",
	  .parse = opt_choice,
	  .offset = offsetof(struct bench_opts, self_test),
	  .data = bench_self_tests,
	  .help = "test the measuring itself; faults (the default): what is injected is found "
		  "exactly; aa: nobody watches against nobody watches" },
	{ .name = "seed",
	  .arg = "N",
	  .parse = opt_u64,
	  .offset = offsetof(struct bench_opts, seed),
	  .data = &seed_bounds,
	  .help = "repeats the order of an earlier run; the report has its seed (default: from the "
		  "clock)" },
	{ .name = NULL },
};

static const struct opt watch_opts[] = {
	{ .name = "ring",
	  .arg = "BYTES",
	  .parse = opt_bytes,
	  .offset = offsetof(struct bench_opts, ring),
	  .data = &ring_bounds,
	  .help = "size of the BPF ring, one page to 1G (default: 4M)" },
	{ .name = "rcvbuf",
	  .arg = "BYTES",
	  .parse = opt_bytes,
	  .offset = offsetof(struct bench_opts, rcvbuf),
	  .data = &rcvbuf_bounds,
	  .help = "size of netlink's receive buffer (default: 64M)" },
	{ .name = "equal-bytes",
	  .arg = "BYTES",
	  .parse = opt_bytes,
	  .offset = offsetof(struct bench_opts, equal),
	  .data = &ring_bounds,
	  .help = "both of them, so that mechanisms compare at equal memory" },
	{ .name = "stall",
	  .arg = "MS",
	  .parse = opt_u64,
	  .offset = offsetof(struct bench_opts, stall_ms),
	  .data = &stall_bounds,
	  .help = "stop each reader for so many ms each second, at most 999" },
	{ .name = "btf",
	  .arg = "FILE",
	  .parse = opt_string,
	  .offset = offsetof(struct bench_opts, btf),
	  .help = "this kernel's BTF, where the kernel itself has none" },
	{ .name = "attach",
	  .arg = "HOW",
	  .parse = opt_choice,
	  .offset = offsetof(struct bench_opts, attach),
	  .data = attach_names,
	  .help = "kind of BPF program: auto, tp_btf or raw_tp (default: auto)" },
	{ .name = NULL },
};

static const struct opt report_opts[] = {
	{ .name = "json",
	  .parse = opt_flag,
	  .offset = offsetof(struct bench_opts, json),
	  .help = "print the report as JSON" },
	{ .name = "output",
	  .arg = "FILE",
	  .parse = opt_string,
	  .offset = offsetof(struct bench_opts, output),
	  .help = "also keep it in FILE, for 'proctrace report' and 'proctrace compare'" },
	OPT_COLOUR(struct bench_opts, colour),
	{ .name = "fail-on-loss",
	  .parse = opt_flag,
	  .offset = offsetof(struct bench_opts, fail_on_loss),
	  .help = "exit with status 3 if any event was lost" },
	{ .name = NULL },
};

/* What the user leaves open. */
static void defaults_fill(struct bench_opts *o)
{
	const struct suite *s = o->suite == NOT_GIVEN ? &suites[0] : &suites[o->suite];

	o->rounds_given = o->rounds.n > 0;
	o->duration_given = o->load.duration_ns || o->load.count;
	if (o->rounds.automatic)
		o->rounds.n = ROUNDS_AUTO;
	if (!o->rounds.n)
		o->rounds.n = s->rounds ? s->rounds : o->stall_ms ? ROUNDS_STALL : ROUNDS_DEFAULT;
	if (!o->max_time_ns)
		o->max_time_ns = MAX_TIME_DEFAULT;
	if (!o->load.duration_ns && !o->load.count && !s->own_durations)
		o->load.duration_ns = s->duration_ns ? s->duration_ns
				      : o->stall_ms  ? DURATION_STALL
						     : DURATION_DEFAULT;
	o->seed_given = o->seed;
	if (!o->seed)
		o->seed = clock_now_ns() % 1000000007;
}

static int opts_check(struct bench_opts *o, struct err *e)
{
	defaults_fill(o);
	if (o->rounds.n > BENCH_ROUNDS_MOST)
		return err_set(e, -EINVAL, "--rounds %u is too many: at most %d", o->rounds.n,
			       BENCH_ROUNDS_MOST);
	if (o->equal && (o->ring || o->rcvbuf))
		return err_set(e, -EINVAL,
			       "--equal-bytes sets both buffers: leave out --ring and --rcvbuf");
	if (o->equal)
		o->ring = o->rcvbuf = o->equal;
	return load_opts_check(&o->load, e);
}

int bench_opts_parse(struct bench_opts *o, const struct command *cmd, int argc, char **argv,
		     struct err *e)
{
	const struct opt_group groups[] = {
		{ "What to run", plan_opts, o }, { "Load", load_opts_table, &o->load },
		{ "Watching", watch_opts, o },	 { "Other monitors", bench_with_opts, &o->with },
		{ "Report", report_opts, o },	 { NULL, NULL, NULL }
	};
	int first, err;

	*o = (struct bench_opts){ .load = { .mode = NOT_GIVEN },
				  .suite = NOT_GIVEN,
				  .self_test = NOT_GIVEN };
	err = opts_parse(cmd, groups, argc, argv, false, &first, e);
	if (err)
		return err;
	if (first < argc)
		return err_set(e, -EINVAL, "'%.64s' is not an option: see 'proctrace bench --help'",
			       argv[first]);
	return opts_check(o, e);
}

/* What the load options say, as far as a scenario does not say it itself. */
static struct load_cfg load_base(const struct load_opts *l)
{
	return (struct load_cfg){
		.method = (enum load_method)l->method,
		.mode = l->mode == NOT_GIVEN ? LOAD_WAIT : (enum load_mode)l->mode,
		.workers = 1,
		.count = l->count,
		.duration_ns = l->duration_ns,
		.pause_ns = l->pause_ns,
		.rate = l->rate,
		.inflight = l->inflight,
	};
}

/* Options that make a load of their own, where no scenario is named. */
static bool is_custom(const struct bench_opts *o)
{
	const struct load_opts *l = &o->load;

	return !o->scenario.n &&
	       (l->workers.from || l->mode != NOT_GIVEN || l->pause_ns || l->rate > 0);
}

static int custom_add(const struct bench_opts *o, struct plan *p, struct err *e)
{
	uint32_t from = o->load.workers.from ? o->load.workers.from : 1;
	uint32_t to = o->load.workers.from ? o->load.workers.to : 1;
	int err = 0;

	for (uint32_t n = from; !err && n <= to; n++) {
		struct load_cfg load = load_base(&o->load);
		char name[32] = "custom";

		load.workers = n;
		if (to > from)
			snprintf(name, sizeof(name), "custom-%u", n);
		err = plan_add_custom(p, name, &load, e);
	}
	return err;
}

/* A suite says itself what runs; of that, the user may choose. */
static int suite_add(const struct bench_opts *o, unsigned cpus, const struct load_cfg *base,
		     struct plan *p, struct err *e)
{
	const struct load_opts *l = &o->load;
	int err;

	if (l->workers.from || l->mode != NOT_GIVEN || l->pause_ns || l->rate > 0)
		return err_set(
			e, -EINVAL,
			"--suite says itself what runs: leave out --workers, --mode, --pause and "
			"--rate, or --suite");
	err = suites[o->suite].add(p, cpus, base, e);
	return err || !o->scenario.n ? err : plan_keep(p, o->scenario.v, o->scenario.n, e);
}

static int scenarios_add(const struct bench_opts *o, unsigned cpus, struct plan *p, struct err *e)
{
	const struct load_cfg base = load_base(&o->load);
	int err = 0;

	if (o->suite != NOT_GIVEN)
		return suite_add(o, cpus, &base, p, e);
	if (is_custom(o))
		return custom_add(o, p, e);
	if (o->scenario.n && (o->load.workers.from || o->load.mode != NOT_GIVEN))
		return err_set(
			e, -EINVAL,
			"--scenario says itself how many workers run and whether they wait: leave "
			"out --workers and --mode, or --scenario");
	if (!o->scenario.n)
		return suites[0].add(p, cpus, &base, e);
	for (unsigned i = 0; !err && i < o->scenario.n; i++)
		err = plan_add_scenario(p, o->scenario.v[i], cpus, &base, e);
	return err;
}

static int monitors_add(const struct bench_opts *o, struct plan *p, struct err *e)
{
	const char *of_suite = o->suite == NOT_GIVEN ? NULL : suites[o->suite].monitors;
	char defaults[256], *save = NULL;
	int err = 0;

	for (unsigned i = 0; !err && i < o->monitor.n; i++)
		err = plan_add_monitor(p, o->monitor.v[i], e);
	if (o->monitor.n)
		return err;
	snprintf(defaults, sizeof(defaults), "%s", of_suite ? of_suite : PLAN_DEFAULT_MONITORS);
	for (char *m = strtok_r(defaults, ",", &save); !err && m; m = strtok_r(NULL, ",", &save))
		err = plan_add_monitor(p, m, e);
	return err;
}

int bench_plan(const struct bench_opts *o, unsigned cpus, struct plan *p, struct err *e)
{
	/* Those start slowly: few slices, but long ones. */
	const bool few = !o->rounds_given && !o->rounds.automatic && o->rounds.n > WITH_ROUNDS;
	int err = monitors_add(o, p, e);

	if (!err)
		err = bench_with_plan(&o->with, p, few ? WITH_ROUNDS : 0, e);

	if (!err)
		err = scenarios_add(o, cpus, p, e);
	if (!err && plan_order(p, o->rounds.n, o->seed))
		err = err_set(e, -ENOMEM, "out of memory");
	return err;
}
