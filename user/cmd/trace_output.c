// SPDX-License-Identifier: MIT
#include "cmd/trace_output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/tty.h"
#include "base/userfile.h"
#include "sink/cgroups.h"
#include "sink/json.h"
#include "sink/recfile.h"
#include "sink/text.h"
#include "source/replay.h"

/* Events that come faster than this are written together. */
#define FLUSH_NS (50 * NSEC_PER_MSEC)

#define FIELD(name) offsetof(struct trace_output_opts, name)

const struct opt trace_output_table[] = {
	{ .name = "json",
	  .parse = opt_flag,
	  .offset = FIELD(json),
	  .help = "one JSON object a line" },
	{ .name = "output",
	  .arg = "FILE",
	  .parse = opt_string,
	  .offset = FIELD(output),
	  .help = "write there (default: stdout; with a COMMAND: stderr)" },
	{ .name = "record",
	  .arg = "FILE",
	  .parse = opt_string,
	  .offset = FIELD(record),
	  .help = "also keep the events in FILE, for --source replay:FILE" },
	{ .name = NULL },
};

void trace_output_init(struct trace_output *o, const struct trace_output_opts *opts)
{
	*o = (struct trace_output){ .opts = *opts, .fd = -1, .record_fd = -1 };
	tee_init(&o->tee);
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

int trace_output_open(struct trace_output *o, bool has_command, const struct source *s,
		      struct err *e)
{
	int err;

	o->fd = has_command ? STDERR_FILENO : STDOUT_FILENO;
	err = file_open(o->opts.output, s->cfg.file, &o->fd, e);
	if (!err)
		err = file_open(o->opts.record, s->cfg.file, &o->record_fd, e);
	if (!err && o->record_fd >= 0 && userfile_same(o->fd, o->record_fd))
		err = err_set(e, -EINVAL, "--record '%s' is the file that the output goes to",
			      o->opts.record);
	return err;
}

/* ---- sinks ------------------------------------------------------------------------------------ */

static struct sink *output_sink(const struct trace_output *o, bool replayed, int64_t wall)
{
	const struct sink_text_cfg text = { .fd = o->fd,
					    .width = tty_width(o->fd),
					    .wall_known = replayed,
					    .wall_offset_ns = wall };
	const struct sink_json_cfg json = {
		.fd = o->fd, .wall_known = replayed, .wall_offset_ns = wall, .cgroups = o->cgroups
	};

	return o->opts.json ? sink_json_new(&json) : sink_text_new(&text);
}

int trace_output_start(struct trace_output *o, const struct source *s, struct err *e)
{
	const bool replayed = s->ops->needs_file;
	const int64_t wall = replayed ? replay_wall_offset(s) : 0;
	const struct sink_recfile_cfg rec = { .fd = o->record_fd,
					      .wall_known = replayed,
					      .wall_offset_ns = wall };
	int err;

	/* The cgroups of a recording are of another time, and perhaps of another machine. */
	if (!replayed)
		o->cgroups = cgroups_open();
	err = tee_add(&o->tee, output_sink(o, replayed, wall));
	if (!err && o->record_fd >= 0)
		err = tee_add(&o->tee, sink_recfile_new(&rec));
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

int trace_output_wait_ms(const struct trace_output *o)
{
	const uint64_t now = clock_now_ns(), due = o->flush_ns + FLUSH_NS;

	if (!o->waiting)
		return -1;
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
}
