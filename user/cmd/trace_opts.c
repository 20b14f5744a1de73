// SPDX-License-Identifier: MIT
#include "cmd/trace_opts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bounds.h"
#include "source/both.h"

#define ARGS_DEFAULT 4096
#define ARGS_MOST (128U << 10)
#define NAP_MS 50 /* what a person does not notice */

static const char *const attach_names[] = { "auto", "tp_btf", "raw_tp", NULL };

static const struct opt what_opts[] = {
	{ .name = "events",
	  .arg = "LIST",
	  .parse = opt_list,
	  .offset = offsetof(struct trace_opts, events),
	  .help = "which of fork,exec,exit (default: exec,exit)" },
	{ .name = "duration",
	  .arg = "TIME",
	  .parse = opt_duration,
	  .offset = offsetof(struct trace_opts, duration_ns),
	  .data = &time_bounds,
	  .help = "end after so long: 10, 1.5s, 200ms (default: until Ctrl-C or q)" },
	{ .name = NULL },
};

static const struct opt capture_opts[] = {
	{ .name = "args-max",
	  .arg = "BYTES",
	  .parse = opt_bytes,
	  .offset = offsetof(struct trace_opts, args_max),
	  .help = "keep so much of each argument list, at most 128K (default: 4K; 0: none)" },
	{ .name = "cwd",
	  .parse = opt_flag,
	  .offset = offsetof(struct trace_opts, cwd),
	  .help = "the working directory of each exec" },
	{ .name = "usage",
	  .parse = opt_flag,
	  .offset = offsetof(struct trace_opts, usage),
	  .help = "CPU time and peak memory of each process that ends" },
	{ .name = "failed",
	  .parse = opt_flag,
	  .offset = offsetof(struct trace_opts, failed),
	  .help = "execs that failed, too, and why" },
	{ .name = "threads",
	  .parse = opt_flag,
	  .offset = offsetof(struct trace_opts, threads),
	  .help = "the start of each thread, too" },
	{ .name = NULL },
};

static const struct opt source_opts[] = {
	{ .name = "source",
	  .arg = "NAME",
	  .parse = opt_string,
	  .offset = offsetof(struct trace_opts, source),
	  .help = "what tells of events, as 'proctrace sources' lists it; replay:FILE (default: "
		  "bpf)" },
	{ .name = "ring",
	  .arg = "BYTES",
	  .parse = opt_bytes,
	  .offset = offsetof(struct trace_opts, ring),
	  .data = &ring_bounds,
	  .help = "size of the BPF ring, one page to 1G (default: 4M)" },
	{ .name = "rcvbuf",
	  .arg = "BYTES",
	  .parse = opt_bytes,
	  .offset = offsetof(struct trace_opts, rcvbuf),
	  .data = &rcvbuf_bounds,
	  .help = "size of netlink's receive buffer (default: 64M)" },
	{ .name = "btf",
	  .arg = "FILE",
	  .parse = opt_string,
	  .offset = offsetof(struct trace_opts, btf),
	  .help = "this kernel's BTF, where the kernel itself has none" },
	{ .name = "attach",
	  .arg = "HOW",
	  .parse = opt_choice,
	  .offset = offsetof(struct trace_opts, attach),
	  .data = attach_names,
	  .help = "kind of BPF program: auto, tp_btf or raw_tp (default: auto)" },
	{ .name = NULL },
};

int trace_opts_parse(struct trace_opts *o, const struct command *cmd, int argc, char **argv,
		     int *first_operand, struct err *e)
{
	const struct opt_group groups[] = { { "What to show", what_opts, o },
					    { "Which processes (alternatives by commas)",
					      trace_filter_table, &o->filter },
					    { "What to capture", capture_opts, o },
					    { "How to show it", trace_output_table, &o->out },
					    { "Where from", source_opts, o },
					    { NULL, NULL, NULL } };

	*o = (struct trace_opts){ .source = "bpf",
				  .args_max = ARGS_DEFAULT,
				  .out = TRACE_OUTPUT_DEFAULTS };
	return opts_parse(cmd, groups, argc, argv, true, first_operand, e);
}

static int events_mask(const struct opt_list *list, unsigned *mask, struct err *e)
{
	*mask = list->n ? 0 : EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT);
	for (unsigned i = 0; i < list->n; i++) {
		unsigned kind = 0;

		while (kind < EV_KINDS && strcmp(list->v[i], event_kind_name(kind)) != 0)
			kind++;
		if (kind == EV_KINDS)
			return err_set(e, -EINVAL,
				       "--events '%.64s' is not known: take fork, exec or exit",
				       list->v[i]);
		*mask |= EV_MASK(kind);
	}
	return 0;
}

int trace_opts_filter(const struct trace_opts *o, struct filter *f, struct err *e)
{
	int err = events_mask(&o->events, &f->kinds, e);

	if (!err)
		err = trace_filter_apply(&o->filter, f, e);
	if (err)
		return err;
	if (o->threads)
		f->kinds |= EV_MASK(EV_FORK);
	if (!f->min_duration_ns && !f->by_status)
		return 0;
	/* Only an end has them. */
	if (!(f->kinds & EV_MASK(EV_EXIT)))
		return err_set(
			e, -EINVAL,
			"--min-duration and --exit-status ask about exits: leave out --events");
	f->kinds = EV_MASK(EV_EXIT);
	return 0;
}

/* Only the BPF programs capture these; a recording has what it has. */
static int capture_check(const struct trace_opts *o, const struct source_ops *ops, struct err *e)
{
	const struct {
		bool asked;
		const char *name;
	} table[] = { { o->cwd, "cwd" },
		      { o->usage, "usage" },
		      { o->failed, "failed" },
		      { o->threads, "threads" } };

	if (ops->buffer == BUFFER_RING || ops->needs_file)
		return 0;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].asked)
			return err_set(e, -EINVAL,
				       "--%s needs the bpf source: %s does not tell that",
				       table[i].name, ops->name);
	return 0;
}

/* Whose descendants are asked for must be there; a recording may tell of anyone. */
static int descendants_check(const struct trace_opts *o, bool has_command, struct err *e)
{
	const struct opt_list *list = &o->filter.row[TF_DESCENDANTS][FILTER_ONLY];

	if (list->n && has_command)
		return err_set(e, -EINVAL,
			       "--descendants and a command are two answers to one question: leave "
			       "one of them out");
	for (unsigned i = 0; i < list->n; i++)
		if (kill((pid_t)strtol(list->v[i], NULL, 10), 0) && errno == ESRCH)
			return err_set(e, -EINVAL, "--descendants %.16s: there is no such process",
				       list->v[i]);
	return 0;
}

int trace_opts_source(const struct trace_opts *o, bool has_command, struct source *s, struct err *e)
{
	static const char replay[] = "replay:";
	bool is_file = !strncmp(o->source, replay, strlen(replay));
	int err;

	if (o->args_max > ARGS_MOST)
		return err_set(e, -EINVAL, "--args-max %zu is too many: at most %u bytes are kept",
			       o->args_max, ARGS_MOST);
	s->ops = !strcmp(o->source, source_both.name) ? &source_both
						      : source_find(is_file ? "replay" : o->source);
	if (!s->ops || s->ops->needs_file != is_file)
		return err_set(e, -EINVAL, "--source '%.64s' is not known: take both, %s",
			       o->source, source_names());
	if (is_file && has_command)
		return err_set(
			e, -EINVAL,
			"a recording cannot watch a command: leave out --source or the command");
	err = capture_check(o, s->ops, e);
	if (!err && !is_file)
		err = descendants_check(o, has_command, e);
	if (err)
		return err;
	s->cfg = source_cfg_default();
	s->cfg.file = is_file ? o->source + strlen(replay) : NULL;
	s->cfg.buffer_bytes = s->ops->buffer == BUFFER_SOCKET ? o->rcvbuf : o->ring;
	s->cfg.nap_ms = NAP_MS;
	s->cfg.want_path = true;
	s->cfg.want_args = o->args_max > 0;
	s->cfg.args_max = (uint32_t)o->args_max;
	s->cfg.full = true;
	s->cfg.want_cwd = o->cwd;
	s->cfg.want_usage = o->usage || o->out.summary;
	s->cfg.want_failed = o->failed;
	s->cfg.want_threads = o->threads;
	s->cfg.attach = (enum source_attach)o->attach;
	s->cfg.btf = o->btf;
	return 0;
}
