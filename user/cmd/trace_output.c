// SPDX-License-Identifier: MIT
#include "cmd/trace_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/tty.h"
#include "base/userfile.h"
#include "sink/cgroups.h"
#include "sink/join.h"
#include "sink/json.h"
#include "sink/recfile.h"
#include "sink/summary.h"
#include "sink/text.h"
#include "sink/timeline.h"
#include "source/replay.h"

/* Events that come faster than this are written together. */
#define FLUSH_NS (50 * NSEC_PER_MSEC)

#define TOP_MOST 1000
#define KEEP_MOST 1000
/* How often something that comes by the clock is looked after. */
#define TICK_MS 100

#define FIELD(name) offsetof(struct trace_output_opts, name)

static const char *const time_names[] = { [TEXT_TIME_WALL] = "wall",
					  [TEXT_TIME_NONE] = "none",
					  [TEXT_TIME_REL] = "rel",
					  [TEXT_TIME_MONO] = "mono",
					  NULL };

#define SUMMARY_KINDS (EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT))

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
static const char *const color_names[] = { "auto", "always", "never", NULL };

const struct opt trace_output_table[] = {
	{ .name = "columns",
	  .arg = "LIST",
	  .parse = opt_list,
	  .offset = FIELD(columns),
	  .help = "show these; 'help' lists them (default: " COLUMNS_DEFAULT ")" },
	{ .name = "time",
	  .arg = "HOW",
	  .parse = opt_choice,
	  .offset = FIELD(time),
	  .data = time_names,
	  .help = "wall clock, rel(ative to the first event), mono(tonic) or none (default: "
		  "wall)" },
	{ .name = "tree", .parse = opt_flag, .offset = FIELD(tree), .help = "indent by ancestry" },
	{ .name = "join",
	  .parse = opt_flag,
	  .offset = FIELD(join),
	  .help = "one line a process, when it has ended" },
	{ .name = "wide",
	  .parse = opt_flag,
	  .offset = FIELD(wide),
	  .help = "do not cut lines to the width of the terminal" },
	{ .name = "color",
	  .arg = "WHEN",
	  .parse = opt_choice,
	  .offset = FIELD(color),
	  .data = color_names,
	  .help = "auto (on a terminal, unless NO_COLOR is set), always or never (default: auto)" },
	{ .name = "json",
	  .parse = opt_flag,
	  .offset = FIELD(json),
	  .help = "one JSON object a line" },
	{ .name = "summary",
	  .parse = opt_flag,
	  .offset = FIELD(summary),
	  .help = "count instead: programs, lifetimes, statuses, who started what" },
	{ .name = "interval",
	  .arg = "TIME",
	  .parse = opt_duration,
	  .offset = FIELD(interval_ns),
	  .help = "with --summary: one each so often (default: one at the end)" },
	{ .name = "top",
	  .arg = "N",
	  .parse = opt_u32,
	  .offset = FIELD(top),
	  .help = "with --summary: lines of a table (default: 10)" },
	{ .name = "stats",
	  .parse = opt_flag,
	  .offset = FIELD(stats),
	  .help = "each second, a line on the tracer itself on stderr" },
	{ .name = "output",
	  .arg = "FILE",
	  .parse = opt_string,
	  .offset = FIELD(output),
	  .help = "write there (default: stdout; with a COMMAND: stderr)" },
	{ .name = "rotate",
	  .arg = "BYTES",
	  .parse = opt_bytes,
	  .offset = FIELD(rotate),
	  .help = "begin --output FILE anew when it has so many; the old one becomes FILE.1" },
	{ .name = "rotate-keep",
	  .arg = "N",
	  .parse = opt_u32,
	  .offset = FIELD(rotate_keep),
	  .help = "how many old ones to keep, FILE.1 to FILE.N (default: 5)" },
	{ .name = "timeline",
	  .arg = "FILE",
	  .parse = opt_string,
	  .offset = FIELD(timeline),
	  .help = "also write a timeline that ui.perfetto.dev opens" },
	{ .name = "record",
	  .arg = "FILE",
	  .parse = opt_string,
	  .offset = FIELD(record),
	  .help = "also keep the events in FILE, for --source replay:FILE" },
	{ .name = NULL },
};

void trace_output_init(struct trace_output *o, const struct trace_output_opts *opts)
{
	*o = (struct trace_output){ .opts = *opts, .fd = -1, .record_fd = -1, .timeline_fd = -1 };
	tee_init(&o->tee);
}

/* ---- options ---------------------------------------------------------------------------------- */

bool trace_output_help(const struct trace_output_opts *opts)
{
	if (opts->columns.n != 1 || strcmp(opts->columns.v[0], "help") != 0)
		return false;
	columns_print(stdout);
	return true;
}

int trace_output_check(const struct trace_output_opts *opts, struct err *e)
{
	struct columns columns = { .n = 0 };
	struct err why;

	if (opts->summary && (opts->join || opts->tree || opts->columns.n))
		return err_set(e, -EINVAL,
			       "--summary shows no events: leave out --join, --tree and --columns");
	if (opts->interval_ns && !opts->summary)
		return err_set(e, -EINVAL, "--interval needs --summary");
	if (!opts->top || opts->top > TOP_MOST)
		return err_set(e, -EINVAL, "--top %u: give 1 to %d", opts->top, TOP_MOST);
	if (opts->rotate && !opts->output)
		return err_set(e, -EINVAL, "--rotate needs --output FILE");
	if (opts->rotate_keep > KEEP_MOST)
		return err_set(e, -EINVAL, "--rotate-keep %u is too many: at most %d are kept",
			       opts->rotate_keep, KEEP_MOST);
	if (opts->join && opts->tree)
		return err_set(e, -EINVAL, "--join has no tree: take one of --join and --tree");
	if (columns_choose(&columns, opts->columns.v, opts->columns.n, &why))
		return err_set(e, -EINVAL, "--columns: %s", why.text);
	if (opts->tree && opts->columns.n && !columns_have(&columns, "tree"))
		return err_set(e, -EINVAL, "--tree needs the column tree: add it to --columns");
	return 0;
}

static bool wants_tree(const struct trace_output_opts *opts)
{
	bool found = opts->tree;

	for (unsigned i = 0; i < opts->columns.n; i++)
		found |= !strcmp(opts->columns.v[i], "tree");
	return found && !opts->json;
}

unsigned trace_output_kinds(const struct trace_output_opts *opts, unsigned shown)
{
	if (wants_tree(opts) || opts->join || opts->timeline)
		return EV_MASK_ALL;
	return opts->summary ? shown | SUMMARY_KINDS : shown;
}

/* ---- files ------------------------------------------------------------------------------------ */

/* Opening for writing empties a file: the one that is being replayed would be gone. */
static int input_check(const char *path, const char *input, struct err *e)
{
	struct stat out, in;

	if (!input || stat(path, &out) || stat(input, &in) || out.st_dev != in.st_dev ||
	    out.st_ino != in.st_ino || !S_ISREG(in.st_mode))
		return 0;
	return err_set(e, -EINVAL, "'%s' is the recording that is to be replayed", path);
}

static int file_open(const char *path, const char *input, int *fd, struct err *e)
{
	int err = path ? input_check(path, input, e) : 0;
	int got = path && !err ? userfile_open(path, e) : err;

	if (path && got >= 0)
		*fd = got;
	return got < 0 ? got : 0;
}

/* Two outputs into one file would write over one another. */
static int files_distinct(const struct trace_output *o, struct err *e)
{
	if (userfile_same(o->fd, o->record_fd))
		return err_set(e, -EINVAL, "--record '%s' is the file that the output goes to",
			       o->opts.record);
	if (userfile_same(o->fd, o->timeline_fd))
		return err_set(e, -EINVAL, "--timeline '%s' is the file that the output goes to",
			       o->opts.timeline);
	if (userfile_same(o->record_fd, o->timeline_fd))
		return err_set(e, -EINVAL, "--timeline '%s' is the file of --record",
			       o->opts.timeline);
	return 0;
}

static int rotation_check(struct trace_output *o, struct err *e)
{
	struct stat st;

	if (fstat(o->fd, &st) || !S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "--rotate: '%s' is no regular file", o->opts.output);
	o->file = (struct outfile){ .path = o->opts.output,
				    .limit = o->opts.rotate,
				    .keep = o->opts.rotate_keep };
	return 0;
}

int trace_output_open(struct trace_output *o, bool has_command, const struct source *s,
		      struct err *e)
{
	int err;

	o->fd = has_command ? STDERR_FILENO : STDOUT_FILENO;
	err = file_open(o->opts.output, s->cfg.file, &o->fd, e);
	if (!err)
		err = file_open(o->opts.record, s->cfg.file, &o->record_fd, e);
	if (!err)
		err = file_open(o->opts.timeline, s->cfg.file, &o->timeline_fd, e);
	if (!err)
		err = files_distinct(o, e);
	if (!err && o->opts.rotate)
		err = rotation_check(o, e);
	return err;
}

/* ---- sinks ------------------------------------------------------------------------------------ */

static struct outfile *outfile_of(struct trace_output *o)
{
	return o->opts.rotate ? &o->file : NULL;
}

static bool wants_color(const struct trace_output *o)
{
	const char *no = getenv("NO_COLOR");

	if (o->opts.color == COLOR_AUTO)
		return isatty(o->fd) && !(no && *no);
	return o->opts.color == COLOR_ALWAYS;
}

static struct sink *text_sink(struct trace_output *o, bool wall_known, int64_t wall)
{
	const struct trace_output_opts *opts = &o->opts;
	const struct sink_text_cfg cfg = {
		.fd = o->fd,
		.file = outfile_of(o),
		.width = opts->wide ? 0 : tty_width(o->fd),
		.resize = true,
		.color = wants_color(o),
		.wall_known = wall_known,
		.wall_offset_ns = wall,
		.time = (enum text_time)opts->time,
		.hidden = opts->join ? 0 : ~o->kinds,
		.columns = opts->columns.n ? opts->columns.v : NULL,
		.ncolumns = opts->columns.n,
		.list = opts->tree   ? COLUMNS_TREE
			: opts->join ? COLUMNS_JOIN
				     : NULL,
		.cgroups = o->cgroups,
	};

	return sink_text_new(&cfg);
}

static struct sink *json_sink(struct trace_output *o, bool wall_known, int64_t wall)
{
	const struct sink_json_cfg cfg = { .fd = o->fd,
					   .file = outfile_of(o),
					   .wall_known = wall_known,
					   .wall_offset_ns = wall,
					   .cgroups = o->cgroups };

	return sink_json_new(&cfg);
}

static struct sink *summary_sink(struct trace_output *o, bool wall_known, int64_t wall)
{
	const struct sink_summary_cfg cfg = { .fd = o->fd,
					      .file = outfile_of(o),
					      .json = o->opts.json,
					      .color = wants_color(o),
					      .live = !wall_known,
					      .interval_ns = o->opts.interval_ns,
					      .top = o->opts.top,
					      .wall_known = wall_known,
					      .wall_offset_ns = wall };

	return sink_summary_new(&cfg);
}

/* The one that writes to the output. Its kinds are what it needs, not only what it shows. */
static int output_add(struct trace_output *o, bool wall_known, int64_t wall)
{
	unsigned kinds = wants_tree(&o->opts) || o->opts.join ? EV_MASK_ALL : o->kinds;
	struct sink *out;

	if (o->opts.summary) {
		out = summary_sink(o, wall_known, wall);
		kinds = SUMMARY_KINDS;
	} else {
		out = o->opts.json ? json_sink(o, wall_known, wall)
				   : text_sink(o, wall_known, wall);
	}
	if (o->opts.join)
		out = sink_join_new(out);
	return tee_add(&o->tee, out, kinds);
}

/* The files beside it. */
static int files_add(struct trace_output *o, bool wall_known, int64_t wall)
{
	const struct sink_recfile_cfg rec = { .fd = o->record_fd,
					      .wall_known = wall_known,
					      .wall_offset_ns = wall };
	const struct sink_timeline_cfg timeline = { .fd = o->timeline_fd,
						    .wall_known = wall_known,
						    .wall_offset_ns = wall };
	int err = 0;

	if (o->record_fd >= 0)
		err = tee_add(&o->tee, sink_recfile_new(&rec), EV_MASK_ALL);
	if (!err && o->timeline_fd >= 0)
		err = tee_add(&o->tee, sink_timeline_new(&timeline), EV_MASK_ALL);
	return err;
}

int trace_output_start(struct trace_output *o, const struct source *s, unsigned kinds,
		       struct err *e)
{
	const bool replayed = s->ops->needs_file;
	const int64_t wall = replayed ? replay_wall_offset(s) : 0;
	int err;

	o->kinds = kinds;
	/* The cgroups of a recording are of another time, and perhaps of another machine. */
	if (!replayed)
		o->cgroups = cgroups_open();
	err = output_add(o, replayed, wall);
	if (!err)
		err = files_add(o, replayed, wall);
	return err ? err_set(e, err, "out of memory") : 0;
}

/* ---- writing ---------------------------------------------------------------------------------- */

int trace_output_flush(struct trace_output *o, bool all)
{
	const uint64_t now = clock_now_ns();

	if (!all && now - o->flush_ns < FLUSH_NS) {
		o->waiting = true;
		return 0;
	}
	o->flush_ns = now;
	o->waiting = false;
	return tee_flush(&o->tee);
}

int trace_output_finish(struct trace_output *o)
{
	return tee_finish(&o->tee);
}

int trace_output_wait_ms(const struct trace_output *o)
{
	const uint64_t now = clock_now_ns(), due = o->flush_ns + FLUSH_NS;

	if (!o->waiting)
		return o->opts.interval_ns || o->opts.stats ? TICK_MS : -1;
	return due > now ? (int)((due - now) / NSEC_PER_MSEC) + 1 : 0;
}

void trace_output_close(struct trace_output *o)
{
	tee_close(&o->tee);
	cgroups_close(o->cgroups);
	if (o->fd > STDERR_FILENO)
		close(o->fd);
	if (o->record_fd >= 0)
		close(o->record_fd);
	if (o->timeline_fd >= 0)
		close(o->timeline_fd);
}
