/* SPDX-License-Identifier: MIT */
/*
 * columns: what the text output can show of an event, a column each: one table for header, values and the
 * list of --columns. One thread at a time.
 */
#ifndef PT_SINK_COLUMNS_H
#define PT_SINK_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "base/walltime.h"
#include "event/event.h"
#include "sink/cgroups.h"
#include "sink/line.h"
#include "sink/username.h"

#define COLUMNS_MAX 32
#define COLUMNS_DEFAULT "time,event,pid,ppid,user,comm,details"
#define COLUMNS_TREE "time,event,pid,user,tree"
#define COLUMNS_JOIN "start,duration,status,pid,comm,args"

enum text_time { TEXT_TIME_WALL, TEXT_TIME_NONE, TEXT_TIME_REL, TEXT_TIME_MONO };

struct columns;

struct column {
	const char *name, *title, *help;
	unsigned width; /* the last one is as wide as it likes */
	bool right; /* numbers */
	bool strings; /* as long as a process likes: cut on a terminal */
	/* Writes the value, or nothing where the event has none. */
	void (*put)(struct columns *c, struct line *l, const struct event *ev);
};

/* The choice of columns and what their values need. */
struct columns {
	const struct column *v[COLUMNS_MAX];
	unsigned n;
	struct walltime wall;
	enum text_time time;
	uint64_t first_ns; /* TEXT_TIME_REL counts from here; EV_NO_TIME: from the first event */
	unsigned depth; /* of the event in the tree */
	bool whole; /* nothing is cut */
	struct username_cache users;
	struct cgroups *cgroups; /* borrowed; NULL: no paths */
};

/* The table, ended by a NULL name. */
extern const struct column column_table[];

/* Chooses the @n columns called @names. 0, or -EINVAL with a sentence that lists what there is. */
int columns_choose(struct columns *c, const char *const *names, unsigned n, struct err *e);
/* The same from the comma-separated @list, which must be right. */
void columns_choose_list(struct columns *c, const char *list);
/* Prints the table: a line for each, with what it is. */
void columns_print(FILE *to);
bool columns_have(const struct columns *c, const char *name);
/* Most bytes that columns_put() writes. */
size_t columns_room(const struct columns *c, const struct event *ev);
void columns_put_header(struct columns *c, struct line *l);
void columns_put(struct columns *c, struct line *l, const struct event *ev);
/* The time alone, in its column, or as much blank. */
void columns_put_time(struct columns *c, struct line *l, uint64_t ts_ns);

#endif
