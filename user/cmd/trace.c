// SPDX-License-Identifier: MIT
/* trace: live events, in columns or as JSON lines, of this machine or of one command. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/caps.h"
#include "base/clock.h"
#include "base/stop.h"
#include "base/tty.h"
#include "cmd/cmd.h"
#include "cmd/trace_command.h"
#include "cmd/trace_health.h"
#include "cmd/trace_opts.h"
#include "cmd/trace_output.h"
#include "source/source.h"

/* After the command has ended, its own end may still be on its way to us. */
#define LAST_EVENTS_NS (1000 * NSEC_PER_MSEC)

/* Everything that lives while a trace runs. */
struct trace {
	struct trace_opts opts;
	struct source source;
	struct filter filter;
	unsigned
		shown; /* kinds that the user asked for; the filter lets more pass where they are needed */
	struct trace_output out;
	struct trace_command command;
	bool has_command, keys;
	bool not_executed; /* the command could not be */
	int control; /* epoll: what may end the trace */
	uint64_t start_ns, deadline_ns; /* deadline 0: none */
};

/* ---- running ---------------------------------------------------------------------------------- */

static int control_add(int control, int fd, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.fd = fd };

	return epoll_ctl(control, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

static int control_open(struct trace *t, struct err *e)
{
	int err = 0;

	stop_install();
	t->control = epoll_create1(EPOLL_CLOEXEC);
	if (t->control < 0)
		return err_set(e, -errno, "cannot make an epoll set: %s", strerror(errno));
	err = control_add(t->control, stop_fd(), EPOLLIN);
	if (!err && t->has_command)
		err = control_add(t->control, t->command.pidfd, EPOLLIN);
	if (!err && !t->has_command && isatty(t->out.fd) && (t->keys = tty_keys_start()))
		err = control_add(t->control, STDIN_FILENO, EPOLLIN);
	/* Nothing to wait for but an error: the reader of our pipe has gone. A file has none (EPERM). A
	 * command is not ours to end for that. */
	if (!t->has_command)
		control_add(t->control, t->out.fd, 0);
	return err ? err_set(e, err, "cannot watch for the end: %s", strerror(-err)) : 0;
}

static bool reader_gone(const struct trace *t)
{
	struct epoll_event ev[4];
	int n = epoll_wait(t->control, ev, 4, 0);

	for (int i = 0; i < n; i++)
		if (ev[i].data.fd == t->out.fd && t->out.fd != STDIN_FILENO)
			return (ev[i].events & (EPOLLERR | EPOLLHUP)) != 0;
	return false;
}

/* Whether it is time to end. */
static bool trace_over(struct trace *t)
{
	int key;

	while (t->keys && (key = tty_key()) >= 0)
		if (key == 'q' || key == 'Q')
			stop_request();
	/* The terminal has sent its Ctrl-C to the command as well: it decides. */
	if (t->has_command)
		return trace_command_poll(&t->command, stop_take_signal());
	return stop_requested() || reader_gone(t) ||
	       (t->deadline_ns && clock_now_ns() >= t->deadline_ns);
}

/* How long there is nothing to do but for an event. */
static int wait_ms(const struct trace *t)
{
	int due = trace_output_wait_ms(&t->out);
	uint64_t now = clock_now_ns(), left;

	if (!t->deadline_ns)
		return due;
	left = t->deadline_ns > now ? (t->deadline_ns - now) / NSEC_PER_MSEC + 1 : 0;
	if (left > INT32_MAX)
		left = INT32_MAX;
	return due < 0 || (uint64_t)due > left ? (int)left : due;
}

/* What was on its way when the end came. Netlink may tell of an end after wait(2) did. */
static int last_events(struct trace *t, uint64_t exits_before)
{
	uint64_t deadline = clock_now_ns() + LAST_EVENTS_NS;
	bool want_exit = t->has_command && (t->filter.kinds & EV_MASK(EV_EXIT)) &&
			 !filter_selects(&t->filter);
	int n;

	do {
		n = t->source.ops->drain(&t->source, 0);
		if (n == 0 && want_exit && t->out.tee.events[EV_EXIT] == exits_before)
			clock_sleep_ns(NSEC_PER_MSEC);
		else if (n == 0)
			break;
	} while (n >= 0 && clock_now_ns() < deadline);
	return n < 0 && n != -ENODATA ? n : 0;
}

/* Takes events till the end. 0, or what went wrong with the source; @err: with the output. */
static int trace_loop(struct trace *t, int *err)
{
	struct trace_health health = { .last_ns = 0 };
	uint64_t exits = 0;
	int n = 0;

	*err = trace_output_flush(&t->out, true); /* the header, before anything has happened */
	/* A command goes on where its trace cannot be written any more: it has work of its own to do. */
	while (n >= 0 && (!*err || t->has_command) && !trace_over(t)) {
		exits = t->out.tee.events[EV_EXIT];
		n = t->source.ops->drain(&t->source, wait_ms(t));
		*err = trace_output_flush(&t->out, false);
		if (t->opts.out.stats)
			trace_health_tick(&health, &t->out.tee, &t->source);
	}
	if (n >= 0 && !*err) {
		if (!t->has_command && t->source.ops->stop)
			t->source.ops->stop(&t->source);
		n = last_events(t, exits);
	}
	return n < 0 && n != -ENODATA ? n : 0;
}

static int trace_run(struct trace *t, struct err *e)
{
	int err, n = trace_loop(t, &err), last = trace_output_finish(&t->out);

	if (n)
		return err_set(e, n, "reading from the source %s failed: %.400s",
			       t->source.ops->name,
			       t->source.broken.text[0] ? t->source.broken.text : strerror(-n));
	err = err ? err : last;
	if (err == -EPIPE)
		return 0; /* whoever read our output has seen enough */
	return err ? err_set(e, err, "cannot write the trace: %s", strerror(-err)) : 0;
}

/* ---- command ---------------------------------------------------------------------------------- */

static int command_fork(struct trace *t, char **argv, struct err *e)
{
	int err;

	if (!t->has_command)
		return 0;
	err = trace_command_fork(&t->command, argv, e);
	if (!err)
		err = filter_add_follow(&t->filter, FILTER_ONLY, t->command.pid, e);
	return err;
}

/*
 * What is needed from here on: counters are read with BPF, netlink is left with NET_ADMIN, the command may
 * have become another user's, cgroups are found by handle, and files are made for whoever called sudo.
 */
static void privileges_drop(void)
{
	const uint64_t keep = CAPS_MASK(CAP_BPF) | CAPS_MASK(CAP_NET_ADMIN) | CAPS_MASK(CAP_KILL) |
			      CAPS_MASK(CAP_DAC_READ_SEARCH) | CAPS_MASK(CAP_DAC_OVERRIDE) |
			      CAPS_MASK(CAP_CHOWN);

	/* A thread that may not even give up keeps what it has. */
	caps_keep(keep);
}

static int trace_start(struct trace *t, char **argv, struct err *e)
{
	struct err why;
	int err = t->source.ops->open(&t->source, e);

	if (!err)
		err = t->source.ops->start(&t->source, e);
	if (!err)
		err = trace_output_start(&t->out, &t->source, t->shown, e);
	if (err)
		return err;
	privileges_drop();
	t->start_ns = clock_now_ns();
	if (t->opts.duration_ns)
		t->deadline_ns = t->start_ns + t->opts.duration_ns;
	if (t->has_command) {
		err = trace_command_go(&t->command, &why);
		t->not_executed = err != 0;
		if (err)
			err_set(e, err, "cannot execute '%s': %s", argv[0], why.text);
	}
	return err;
}

static void trace_close(struct trace *t)
{
	tty_keys_stop();
	trace_command_close(&t->command);
	if (t->source.ops)
		t->source.ops->close(&t->source);
	trace_output_close(&t->out);
	filter_free(&t->filter);
	if (t->control >= 0)
		close(t->control);
}

static int trace_steps(struct trace *t, char **argv, struct err *e)
{
	int err = trace_output_check(&t->opts.out, e);

	if (!err)
		err = trace_opts_filter(&t->opts, &t->filter, e);
	t->shown = t->filter.kinds;
	t->filter.kinds = trace_output_kinds(&t->opts.out, t->shown);
	if (!err)
		err = trace_opts_source(&t->opts, t->has_command, &t->source, e);
	if (!err)
		err = trace_output_open(&t->out, t->has_command, &t->source, e);
	if (!err)
		err = command_fork(t, argv, e);
	if (!err)
		err = control_open(t, e);
	if (err)
		return err;
	t->source.cfg.filter = &t->filter;
	t->source.cfg.sink = &t->out.tee.sink;
	t->source.cfg.wake_fd = t->control;
	err = trace_start(t, argv, e);
	if (!err)
		err = trace_run(t, e);
	return err;
}

static int trace_main(int argc, char **argv)
{
	struct trace t = {
		.filter = filter_any(),
		.command = { .pidfd = -1, .go_fd = -1 },
		.out = { .fd = -1, .record_fd = -1, .timeline_fd = -1 },
		.control = -1,
	};
	int first, status = EXIT_DONE, err;
	struct err e;

	err = trace_opts_parse(&t.opts, &cmd_trace, argc, argv, &first, &e);
	if (err)
		return err > 0 ? EXIT_DONE : complain(EXIT_USAGE, "%s", e.text);
	if (trace_output_help(&t.opts.out))
		return EXIT_DONE;
	trace_output_init(&t.out, &t.opts.out);
	t.has_command = first < argc;
	err = trace_steps(&t, argv + first, &e);
	tty_keys_stop();
	if (t.start_ns)
		trace_totals_print(&t.out.tee, t.shown, &t.source, t.start_ns);
	if (!err && t.source.broken.text[0])
		complain(EXIT_DONE, "%s", t.source.broken.text);
	if (t.not_executed) /* the statuses of a shell */
		status = complain(err == -ENOENT ? 127 : 126, "%s", e.text);
	else if (err)
		status = complain(err == -EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s", e.text);
	else if (t.has_command)
		status = trace_command_exit_code(&t.command);
	trace_close(&t);
	return status;
}

const struct command cmd_trace = {
	.name = "trace",
	.usage = "[OPTION]... [-- COMMAND [ARG]...]",
	.summary = "show processes as they start and end",
	.run = trace_main,
	.details = "With a COMMAND: traces it and its descendants, ends with it and returns its "
		   "status.\n"
		   "On a terminal, q or Ctrl-C ends the trace; the last line, on stderr, has the "
		   "totals.\n",
};
