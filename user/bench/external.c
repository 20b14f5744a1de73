// SPDX-License-Identifier: MIT
#include "bench/external.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "bench/ext_complaint.h"
#include "bench/ext_output.h"
#include "bench/ext_process.h"

#define CANARY_NS (100 * NSEC_PER_MSEC)
#define CANARIES 256 /* of which the last are remembered */
#define LOOK_NS (5 * NSEC_PER_MSEC)
/* A terminal holds few bytes, a pipe many. */
#define TTY_NAP_NS (1 * NSEC_PER_MSEC)
#define PIPE_NAP_NS (5 * NSEC_PER_MSEC)
/* So many lines that name the target, none with a canary's pid: they have none. */
#define NAMELESS_LINES 3
/* It told all, if it told of a canary on each CPU launched after the load, and some time for what it may print in
 * another order; or if it was silent for long. */
#define TOLD_NS (20 * NSEC_PER_MSEC)
#define QUIET_NS (700 * NSEC_PER_MSEC)
#define SETTLE_NS (10 * NSEC_PER_SEC)
#define AFTER_NS (60 * NSEC_PER_SEC)

const char *const external_state_names[] = {
	[EXTERNAL_GOOD] = "good",     [EXTERNAL_UNUSABLE] = "unusable", [EXTERNAL_ENDED] = "ended",
	[EXTERNAL_SILENT] = "silent", [EXTERNAL_BUFFERED] = "buffered", [EXTERNAL_FLOOD] = "flood",
	[EXTERNAL_STATES] = NULL,
};

struct external {
	const struct external_cfg *cfg;
	struct external_result result;
	struct ext_format format;
	regex_t match;
	struct ext_process process;
	struct ext_output output;
	char file[128]; /* for %f; empty: none */
	struct ext_cpu before; /* the load */
	size_t from; /* where in the text the load begins */
	/* What was read so far, apart from the load. */
	size_t at;
	uint64_t lines, nameless;
	struct canary {
		pid_t pid;
		int cpu; /* -1: any */
		bool told;
	} canary[CANARIES];
	unsigned ncanaries;
	uint64_t canary_ns; /* when the next one is due */
	bool told; /* of a canary */
};

/* ---- words ------------------------------------------------------------------------------------ */

int external_match_check(const char *match, struct err *e)
{
	char why[128];
	regex_t re;
	int err = regcomp(&re, match, REG_EXTENDED);

	if (!err) {
		regfree(&re);
		return 0;
	}
	regerror(err, &re, why, sizeof(why));
	return err_set(e, -EINVAL, "is no extended regular expression: %s", why);
}

static void say_ended(struct external *x, const char *when)
{
	struct external_result *r = &x->result;
	const int status = x->process.status;
	char how[48], said[100];

	ext_complaint(x->output.text, atomic_load(&x->output.len), said, sizeof(said));
	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "it died of signal %d%s", WTERMSIG(status), when);
	else
		snprintf(how, sizeof(how), "it ended with status %d%s", WEXITSTATUS(status), when);
	r->state = EXTERNAL_ENDED;
	snprintf(r->why, sizeof(r->why), "%s%s%s", how, said[0] ? ": " : ", saying nothing", said);
}

static void say_silent(struct external *x)
{
	struct external_result *r = &x->result;
	char said[60];

	ext_complaint(x->output.text, atomic_load(&x->output.len), said, sizeof(said));
	r->state = EXTERNAL_SILENT;
	if (said[0])
		snprintf(r->why, sizeof(r->why),
			 "it told of none of %u processes launched meanwhile; it printed: %s",
			 x->ncanaries, said);
	else
		snprintf(r->why, sizeof(r->why),
			 "it printed nothing while %u processes were launched", x->ncanaries);
}

static void say_buffered(struct external *x)
{
	x->result.state = EXTERNAL_BUFFERED;
	snprintf(x->result.why, sizeof(x->result.why),
		 "it told of the processes launched only when it was stopped: it buffers its "
		 "output");
}

static void say_flood(struct external *x)
{
	x->result.state = EXTERNAL_FLOOD;
	snprintf(x->result.why, sizeof(x->result.why), "it printed more than %zu MiB",
		 x->output.cap >> 20);
}

/* ---- starting --------------------------------------------------------------------------------- */

static int file_make(struct external *x, struct err *e)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	snprintf(x->file, sizeof(x->file), "%s/proctrace-monitor-XXXXXX",
		 dir && strlen(dir) < 80 ? dir : "/tmp");
	fd = mkostemp(x->file, O_CLOEXEC);
	if (fd < 0) {
		x->file[0] = '\0';
		return err_set(e, -errno, "cannot make a temporary file: %s", strerror(errno));
	}
	close(fd);
	return 0;
}

/* @command with the temporary file for each %f; to be freed. */
static char *command_make(const struct external *x, const char *command)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	for (const char *p = command; *p; p++)
		if (p[0] == '%' && p[1] == 'f' && x->file[0]) {
			fputs(x->file, f);
			p++;
		} else {
			fputc(*p, f);
		}
	fclose(f);
	return text;
}

static int command_run(struct external *x, const char *command, bool tty, struct err *e)
{
	char *text = command_make(x, command);
	int fd, err;

	if (!text)
		return err_set(e, -ENOMEM, "out of memory");
	err = ext_process_start(&x->process, text, tty, &fd, e);
	free(text);
	return err ? err : ext_output_start(&x->output, fd, tty ? TTY_NAP_NS : PIPE_NAP_NS, e);
}

int external_start(const struct external_cfg *cfg, const struct truth *names, struct external **out,
		   struct err *e)
{
	struct external *x = calloc(1, sizeof(*x));
	int err = 0;

	*out = x;
	if (!x)
		return err_set(e, -ENOMEM, "out of memory");
	x->cfg = cfg;
	x->process.tty_fd = x->output.fd = -1;
	x->format.column = -1;
	ext_names_take(&x->format, names);
	if (cfg->unusable) {
		x->result.state = EXTERNAL_UNUSABLE;
		snprintf(x->result.why, sizeof(x->result.why), "%s", cfg->unusable);
		return 0;
	}
	if (cfg->match) {
		if (regcomp(&x->match, cfg->match, REG_EXTENDED))
			return err_set(e, -EINVAL, "'%s' is no regular expression", cfg->match);
		x->format.match = &x->match;
	}
	if (strstr(cfg->command, "%f"))
		err = file_make(x, e);
	return err ? err : command_run(x, cfg->command, cfg->output == EXTERNAL_TTY, e);
}

/* ---- canaries --------------------------------------------------------------------------------- */

static void canary_launch(struct external *x, struct load *load, int cpu)
{
	struct canary c = { .cpu = cpu };

	if (load_probe(load, cpu, &c.pid, NULL) == 0)
		x->canary[x->ncanaries++ % CANARIES] = c;
}

static bool canary_due(struct external *x)
{
	const uint64_t now = clock_now_ns();

	if (now < x->canary_ns)
		return false;
	x->canary_ns = now + CANARY_NS;
	return true;
}

static void canary_seen(struct external *x, pid_t pid)
{
	for (unsigned i = 0; i < x->ncanaries && i < CANARIES; i++)
		if (x->canary[i].pid == pid)
			x->told = x->canary[i].told = true;
}

static bool is_told_on(const struct external *x, int cpu)
{
	for (unsigned i = 0; i < x->ncanaries && i < CANARIES; i++)
		if (x->canary[i].cpu == cpu && x->canary[i].told)
			return true;
	return false;
}

/* Learns from the first line that names the target where in it the pid stands. */
static void column_learn(struct external *x, const char *line, size_t len)
{
	for (unsigned i = 0; i < x->ncanaries && i < CANARIES && x->format.column < 0; i++)
		x->format.column = ext_column_find(line, len, x->canary[i].pid);
	if (x->format.column >= 0)
		x->told = true;
	else if (++x->nameless >= NAMELESS_LINES)
		x->told = true;
}

static void line_take(struct external *x, const char *text, size_t len)
{
	const struct ext_line line = ext_line_read(&x->format, text, len);

	if (!line.counts)
		return;
	x->lines++;
	if (line.pid >= 0)
		canary_seen(x, line.pid);
	else if (line.named && !(x->format.match && x->format.match->re_nsub))
		column_learn(x, text, len);
}

/* Reads what is new; whether there were lines that count. */
static bool lines_take(struct external *x)
{
	const size_t len = atomic_load_explicit(&x->output.len, memory_order_acquire);
	const uint64_t before = x->lines;
	size_t next;
	ssize_t n;

	for (; (n = ext_line_next(x->output.text, x->at, len, &next)) >= 0; x->at = next)
		line_take(x, x->output.text + x->at, (size_t)n);
	return x->lines != before;
}

static void stop_all(struct external *x)
{
	ext_process_stop(&x->process);
	ext_output_stop(&x->output);
	x->result.reader_cpu_s = x->output.cpu_s;
}

/* It was not seen to work: stops it and finds out why. */
static void ready_failed(struct external *x)
{
	const bool alive = ext_process_alive(&x->process);

	stop_all(x);
	lines_take(x);
	if (!alive)
		say_ended(x, "");
	else if (x->told)
		say_buffered(x);
	else
		say_silent(x);
}

bool external_ready(struct external *x, struct load *load)
{
	const uint64_t begin = clock_now_ns(), until = begin + x->cfg->startup_ns;

	if (x->result.state != EXTERNAL_GOOD)
		return false;
	while (clock_now_ns() < until && ext_process_alive(&x->process) && !stop_requested()) {
		if (canary_due(x))
			canary_launch(x, load, -1);
		clock_sleep_ns(LOOK_NS);
		lines_take(x);
		if (x->told && !x->cfg->after)
			break;
	}
	if (!ext_process_alive(&x->process) || (!x->told && !x->cfg->after)) {
		ready_failed(x);
		return false;
	}
	x->result.startup_s = (double)(clock_now_ns() - begin) / NSEC_PER_SEC;
	return true;
}

/* Launches canaries where none was told of; whether there is no such CPU. */
static bool all_told(struct external *x, struct load *load, const cpu_set_t *cpus)
{
	const bool due = canary_due(x);
	bool all = true;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus) || is_told_on(x, cpu))
			continue;
		all = false;
		if (due)
			canary_launch(x, load, cpu);
	}
	return all;
}

static void settle(struct external *x, struct load *load)
{
	const uint64_t begin = clock_now_ns();
	uint64_t last = begin, now = begin;
	cpu_set_t cpus;

	if (x->cfg->after || sched_getaffinity(0, sizeof(cpus), &cpus))
		return;
	lines_take(x);
	x->ncanaries = 0;
	x->canary_ns = 0;
	while (ext_process_alive(&x->process) && !stop_requested()) {
		if (all_told(x, load, &cpus)) {
			clock_sleep_ns(TOLD_NS);
			break;
		}
		clock_sleep_ns(LOOK_NS);
		now = clock_now_ns();
		if (lines_take(x))
			last = now;
		if (now - last > QUIET_NS || now - begin > SETTLE_NS)
			break;
	}
}

void external_settle(struct external *x, struct load *load)
{
	settle(x, load);
	x->from = atomic_load_explicit(&x->output.len, memory_order_acquire);
}

/* ---- the load --------------------------------------------------------------------------------- */

/* The kernel parts user and system time anew each time: one of them may go back a little. */
static double since(double now, double before)
{
	return now > before ? now - before : 0;
}

void external_load_begin(struct external *x)
{
	if (!x)
		return;
	x->before = ext_process_cpu(&x->process);
}

void external_load_end(struct external *x)
{
	struct ext_cpu now;

	if (!x)
		return;
	now = ext_process_cpu(&x->process);
	x->result.has_cpu = now.known && x->before.known;
	x->result.load_cpu_s = since(now.user_s + now.sys_s, x->before.user_s + x->before.sys_s);
}

static void cpu_take(struct external *x)
{
	const struct ext_cpu now = ext_process_cpu(&x->process);

	x->result.has_cpu = x->result.has_cpu && now.known;
	x->result.user_s = since(now.user_s, x->before.user_s);
	x->result.sys_s = since(now.sys_s, x->before.sys_s);
}

/* Lets the second command print what the first one kept. */
static int after_run(struct external *x, struct err *e)
{
	const uint64_t until = clock_now_ns() + AFTER_NS;
	int err;

	ext_output_free(&x->output);
	err = command_run(x, x->cfg->after, false, e);
	if (err)
		return err;
	while (ext_process_alive(&x->process) && clock_now_ns() < until && !stop_requested())
		clock_sleep_ns(LOOK_NS);
	x->from = 0;
	stop_all(x);
	x->told = false;
	lines_take(x);
	if (!x->told && x->result.state == EXTERNAL_GOOD)
		say_silent(x);
	return 0;
}

int external_end(struct external *x, struct load *load, struct err *e)
{
	struct truth *truth = malloc(sizeof(*truth));
	bool alive;
	int err = truth ? 0 : err_set(e, -ENOMEM, "out of memory");

	settle(x, load);
	cpu_take(x);
	alive = ext_process_alive(&x->process);
	stop_all(x);
	if (!alive)
		say_ended(x, " while the load ran");
	else if (atomic_load(&x->output.full))
		say_flood(x);
	if (!err && x->cfg->after)
		err = after_run(x, e);
	if (!err) {
		load_truth(load, truth);
		err = ext_count(&x->format, x->output.text + x->from,
				atomic_load(&x->output.len) - x->from, truth, &x->result.counts);
		if (err)
			err_set(e, err, "out of memory");
	}
	free(truth);
	return err;
}

const struct external_result *external_result(const struct external *x)
{
	return &x->result;
}

void external_free(struct external *x)
{
	if (!x)
		return;
	ext_process_stop(&x->process);
	ext_output_free(&x->output);
	if (x->format.match)
		regfree(&x->match);
	if (x->file[0])
		unlink(x->file);
	free(x);
}
