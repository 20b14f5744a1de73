// SPDX-License-Identifier: MIT
/* The decoder of recordings, and what the sinks make of whatever it accepts. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event/recformat.h"
#include "sink/join.h"
#include "sink/json.h"
#include "sink/recfile.h"
#include "sink/summary.h"
#include "sink/text.h"
#include "sink/timeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SINKS 7

#define ALL_COLUMNS                                                                             \
	"time,start,event,pid,tid,ppid,parent,nspid,pidns,user,uid,gid,euid,login,session,cpu," \
	"comm,"                                                                                 \
	"oldcomm,path,interp,cwd,args,status,duration,cputime,rss,cgroup,container,details,tree"

static struct sink *sinks[SINKS];

static void open_sinks(void)
{
	const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		abort();
	sinks[0] = sink_json_new(
		&(struct sink_json_cfg){ .fd = fd, .wall_known = true, .wall_offset_ns = 1 });
	sinks[1] = sink_text_new(&(struct sink_text_cfg){ .fd = fd, .wall_known = true });
	sinks[2] =
		sink_text_new(&(struct sink_text_cfg){ .fd = fd, .width = 80, .wall_known = true });
	sinks[3] = sink_recfile_new(&(struct sink_recfile_cfg){ .fd = fd, .wall_known = true });
	sinks[4] = sink_timeline_new(&(struct sink_timeline_cfg){ .fd = fd, .wall_known = true });
	sinks[5] = sink_summary_new(&(struct sink_summary_cfg){
		.fd = fd, .interval_ns = 1000, .top = 3, .wall_known = true });
	sinks[6] = sink_join_new(sink_text_new(&(struct sink_text_cfg){
		.fd = fd, .width = 80, .color = true, .wall_known = true, .list = ALL_COLUMNS }));
}

/* What is written again must be read again, the same. */
static void check_round_trip(const struct event *ev)
{
	size_t n = recformat_event_size(ev), size = 0;
	uint8_t *buf = malloc(n);
	struct recformat_item item;

	if (!buf)
		abort();
	recformat_put_event(buf, ev);
	if (recformat_get(buf, n, RECFORMAT_VERSION, &item, &size, NULL) != 1 || size != n ||
	    item.ev.pid != ev->pid || item.ev.path.len > ev->path.len)
		abort();
	free(buf);
}

static void use(const struct recformat_item *item)
{
	for (unsigned i = 0; i < SINKS; i++) {
		if (item->type == REC_TYPE_LOST)
			sinks[i]->ops->lost(sinks[i], item->lost_kind, item->lost_count,
					    item->lost_place);
		else
			sink_event(sinks[i], &item->ev);
		sinks[i]->ops->flush(sinks[i]);
	}
	if (item->type != REC_TYPE_LOST)
		check_round_trip(&item->ev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recformat_item item;
	size_t at = RECFORMAT_HEADER, len;
	struct recformat_head head;
	struct err e;
	int r;

	if (!sinks[0])
		open_sinks();
	if (recformat_get_header(data, size, &head, &e))
		return 0;
	while ((r = recformat_get(data + at, size - at, head.version, &item, &len, &e)) == 1 ||
	       r == -EINVAL) {
		if (len > size - at)
			abort();
		if (r == 1)
			use(&item);
		at += len;
	}
	return 0;
}
