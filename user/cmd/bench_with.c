// SPDX-License-Identifier: MIT
#include "cmd/bench_with.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* bcc compiles its program anew each time. */
#define STARTUP_DEFAULT (20 * NSEC_PER_SEC)
/* For those who keep what they see until they are stopped. */
#define STARTUP_UNSEEN (2 * NSEC_PER_SEC)

static const char *const output_names[] = {
	[EXTERNAL_TTY] = "tty",
	[EXTERNAL_PIPE] = "pipe",
	NULL,
};

/* Where each prints the pid, which is what ties a line to a launch. */
#define MATCH_EXECSNOOP " ([0-9]+) +[0-9]+ +0 "
#define MATCH_EXITSNOOP " ([0-9]+) +[0-9]+ +[0-9]+ +[0-9.]+ +[^ ]"
#define ONE_LINER "'tracepoint:sched:sched_process_exec { printf(\"%d %s\\n\", pid, comm); }'"

static const struct preset {
	const char *name, *program;
	struct external_cfg cfg;
} presets[] = {
	{ "forkstat",
	  "forkstat",
	  { .command = "exec forkstat -e exec -l", .match = "^[^ ]+ +exec +([0-9]+) " } },
	{ "extrace", "extrace", { .command = "exec extrace", .match = "^ *([0-9]+) " } },
	{ "execsnoop", "execsnoop", { .command = "exec execsnoop", .match = MATCH_EXECSNOOP } },
	{ "execsnoop-bpfcc",
	  "execsnoop-bpfcc",
	  { .command = "exec execsnoop-bpfcc", .match = MATCH_EXECSNOOP } },
	{ "exitsnoop",
	  "exitsnoop",
	  { .command = "exec exitsnoop", .match = MATCH_EXITSNOOP, .kind = EV_EXIT } },
	{ "exitsnoop-bpfcc",
	  "exitsnoop-bpfcc",
	  { .command = "exec exitsnoop-bpfcc", .match = MATCH_EXITSNOOP, .kind = EV_EXIT } },
	{ "bpftrace",
	  "bpftrace",
	  { .command = "exec bpftrace -e " ONE_LINER, .match = "^([0-9]+) " } },
	{ "perf-trace",
	  "perf",
	  { .command = "exec perf trace -a -e sched:sched_process_exec",
	    .match = "sched_process_exec.* pid: ([0-9]+)" } },
	{ "perf-record",
	  "perf",
	  { .command = "exec perf record -q -a -e sched:sched_process_exec -o %f",
	    .after = "exec perf script -i %f",
	    .match = "sched_process_exec:.* pid=([0-9]+)" } },
};

#define PRESETS (sizeof(presets) / sizeof(*presets))

/* As the command itself is looked for, see ext_process.c. */
static bool is_installed(const char *program)
{
	static const char more[] = ":/usr/local/sbin:/usr/sbin:/sbin:/usr/share/bcc/tools";
	const char *path = getenv("PATH");
	char *all, *save = NULL;
	bool found = false;

	if (asprintf(&all, "%s%s", path ? path : "/usr/bin:/bin", more) < 0)
		return false;
	for (char *d = strtok_r(all, ":", &save); d && !found; d = strtok_r(NULL, ":", &save)) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", d, program);
		found = !access(file, X_OK);
	}
	free(all);
	return found;
}

/* "perf trace" stands for "perf-trace". */
static bool is_called(const struct preset *p, const char *name)
{
	for (const char *a = p->name; *a || *name; a++, name++)
		if (*a != *name && !(*a == '-' && *name == ' '))
			return false;
	return true;
}

static int preset_unknown(const char *name, struct err *e)
{
	char list[200] = "";

	for (size_t i = 0; i < PRESETS; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "",
			 presets[i].name);
	return err_set(e, -EINVAL, "is not known by name (%s); give NAME=COMMAND%s", list,
		       strlen(name) > 30 ? ", the name not so long" : "");
}

static int preset_use(struct bench_with *w, const char *name, struct err *e)
{
	struct external_cfg *x = &w->v[w->n];

	for (size_t i = 0; i < PRESETS; i++) {
		if (!is_called(&presets[i], name))
			continue;
		*x = presets[i].cfg;
		snprintf(x->name, sizeof(x->name), "%s", presets[i].name);
		snprintf(w->unusable[w->n], sizeof(w->unusable[0]), "%s is not installed",
			 presets[i].program);
		x->unusable = is_installed(presets[i].program) ? NULL : w->unusable[w->n];
		return 0;
	}
	return preset_unknown(name, e);
}

static int parse_with(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	struct bench_with *w = dst;
	struct external_cfg *x = &w->v[w->n];
	const char *command = strchr(value, '=');
	const size_t len = strcspn(value, "=");
	int err = 0;

	(void)opt;
	if (w->n == WITH_MAX)
		return err_set(e, -EINVAL, "is one too many: at most %d", WITH_MAX);
	if (!command) {
		err = preset_use(w, value, e);
	} else if (!len || len >= sizeof(x->name) || !command[1]) {
		err = err_set(e, -EINVAL, "is not NAME=COMMAND, with a name of 1 to %zu bytes",
			      sizeof(x->name) - 1);
	} else {
		*x = (struct external_cfg){ .command = command + 1, .kind = EV_EXEC };
		snprintf(x->name, sizeof(x->name), "%.*s", (int)len, value);
	}
	if (err)
		return err;
	if (!x->startup_ns)
		x->startup_ns = x->after ? STARTUP_UNSEEN : STARTUP_DEFAULT;
	if (x->kind != EV_EXIT)
		x->kind = EV_EXEC;
	w->n++;
	return 0;
}

/* The monitor that an option is about. NULL: there is none before it. */
static struct external_cfg *last(struct bench_with *w, struct err *e)
{
	if (w->n)
		return &w->v[w->n - 1];
	err_set(e, -EINVAL, "is about the --with before it, and there is none");
	return NULL;
}

static int parse_match(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	struct external_cfg *x = last(dst, e);

	(void)opt;
	if (!x || external_match_check(value, e))
		return -EINVAL;
	x->match = value;
	return 0;
}

static int parse_after(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	struct external_cfg *x = last(dst, e);

	(void)opt;
	if (!x)
		return -EINVAL;
	x->after = value;
	if (x->startup_ns == STARTUP_DEFAULT)
		x->startup_ns = STARTUP_UNSEEN;
	return 0;
}

static int parse_startup(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	struct external_cfg *x = last(dst, e);

	return x ? opt_duration(opt, value, &x->startup_ns, e) : -EINVAL;
}

static int parse_output(const struct opt *opt, const char *value, void *dst, struct err *e)
{
	struct external_cfg *x = last(dst, e);
	int i = 0, err = x ? opt_choice(opt, value, &i, e) : -EINVAL;

	if (!err)
		x->output = (enum external_output)i;
	return err;
}

const struct opt bench_with_opts[] = {
	{ .name = "with",
	  .arg = "NAME[=COMMAND]",
	  .parse = parse_with,
	  .help = "someone else's monitor, judged by what it prints; may be repeated. By name "
		  "alone: "
		  "forkstat, extrace, execsnoop, execsnoop-bpfcc, exitsnoop, exitsnoop-bpfcc, "
		  "bpftrace, "
		  "perf-trace, perf-record" },
	{ .name = "with-match",
	  .arg = "REGEX",
	  .parse = parse_match,
	  .help = "its lines about a launch; the first group is the pid (default: lines that "
		  "hold the target's name)" },
	{ .name = "with-startup",
	  .arg = "TIME",
	  .parse = parse_startup,
	  .help = "how long it may take to see a process (default: 20s; with --with-after it is "
		  "given so long, 2s)" },
	{ .name = "with-output",
	  .arg = "WHERE",
	  .parse = parse_output,
	  .data = output_names,
	  .help = "what it prints to: tty, a terminal of its own, or pipe (default: tty)" },
	{ .name = "with-after",
	  .arg = "COMMAND",
	  .parse = parse_after,
	  .help = "run when it has ended; prints what it kept in the file %f" },
	{ .name = NULL },
};

int bench_with_plan(const struct bench_with *w, struct plan *p, uint32_t rounds, struct err *e)
{
	int err = 0;

	for (unsigned i = 0; !err && i < w->n; i++)
		err = plan_add_external(p, &w->v[i], rounds, e);
	return err;
}

/* A count that its text does not tell is not known. */
static void ledger_fill(struct ledger *l, const struct external_cfg *cfg,
			const struct ext_counts *n)
{
	const bool known = n->told != EXT_UNKNOWN;

	l->all = (struct ledger_line){
		.expected = n->launches,
		.matched = known ? n->told : LEDGER_UNKNOWN,
		.lost = known ? n->launches - n->told : LEDGER_UNKNOWN,
		.reported = LEDGER_UNKNOWN,
		.unexplained = LEDGER_UNKNOWN,
		.over_reported = LEDGER_UNKNOWN,
		.uncertain = LEDGER_UNKNOWN,
		.duplicate = n->by_pid ? n->repeated : LEDGER_UNKNOWN,
		.wrong = LEDGER_UNKNOWN,
		.wrong_status = LEDGER_UNKNOWN,
		.wrong_order = LEDGER_UNKNOWN,
		.wrong_time = LEDGER_UNKNOWN,
	};
	l->kind[cfg->kind] = l->all;
	l->identified = n->identified;
	l->misnamed = n->by_pid ? n->misnamed : LEDGER_UNKNOWN;
}

void bench_with_fill(struct result_source *out, const struct external_cfg *cfg,
		     const struct external_result *r)
{
	struct result_external *x = &out->external;

	snprintf(out->name, sizeof(out->name), "%s", cfg->name);
	out->names = out->checks_ok = true;
	out->generated = out->delivered = out->filtered = out->dropped = LEDGER_UNKNOWN;
	out->malformed = out->seq_gaps = LEDGER_UNKNOWN;
	out->ledger.kinds = EV_MASK(cfg->kind);
	out->ledger.identities_hold = true;
	out->ledger.foreign = out->ledger.foreign_generated = LEDGER_UNKNOWN;
	x->is = true;
	x->bad = r->state != EXTERNAL_GOOD;
	snprintf(x->state, sizeof(x->state), "%s", external_state_names[r->state]);
	snprintf(x->why, sizeof(x->why), "%s", r->why);
	snprintf(x->command, sizeof(x->command), "%s", cfg->command);
	snprintf(x->output, sizeof(x->output), "%s", output_names[cfg->output]);
	x->startup_s = r->startup_s;
	x->load_cpu_s = r->has_cpu ? r->load_cpu_s : NAN;
	if (x->bad)
		return;
	x->lines = r->counts.lines;
	x->by_pid = r->counts.by_pid;
	x->foreign_lines = r->counts.by_pid ? r->counts.foreign : LEDGER_UNKNOWN;
	ledger_fill(&out->ledger, cfg, &r->counts);
	out->reader_user_s = r->has_cpu ? r->user_s : NAN;
	out->reader_sys_s = r->has_cpu ? r->sys_s : NAN;
}
