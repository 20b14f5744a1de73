/* SPDX-License-Identifier: MIT */
/*
 * recformat: the file of recorded events that `trace --record` writes and the replay source reads.
 *
 * A header, then records one behind the other; little-endian, fixed width, no padding:
 *
 *     header   0 magic[8]   8 u32 version   12 u32 reserved   16 i64 CLOCK_REALTIME - CLOCK_MONOTONIC, ns
 *     record   0 u32 size of the whole record   4 u8 type   5 u8[3] reserved, then by type:
 *     event    8 u32 flags   12 u32 cpu   16 u64 ts   24 u64 rx   32 u64 duration   40 u64 cgroup
 *              48 i32 pid   52 i32 tid   56 i32 ppid   60 u32 uid   64 i32 status
 *              68 u32 bytes of path   72 u32 bytes of args (UINT32_MAX: absent)   76 comm[16]
 *              92 u32 gid   96 u32 euid   100 u32 login uid   104 u32 session   108 i32 ns_pid
 *              112 u64 pidns   120 u64 user time   128 u64 system time   136 u64 max rss   144 i32 error
 *              148 u32 bytes of interp   152 u32 bytes of cwd   156 parent_comm[16]   172 old_comm[16]
 *              188 path, args, interp, cwd
 *     lost     8 u32 kind (3: unknown)   12 u32 bytes of place   16 u64 count   24 place
 *
 * In version 1 an event ends at 92 with its path and args. A record may be longer than this says; a
 * reader skips what it does not know. Encoding and decoding are pure. Decoding takes any bytes and never reads outside of them.
 */
#ifndef PT_EVENT_RECFORMAT_H
#define PT_EVENT_RECFORMAT_H

#include "base/err.h"
#include "event/event.h"

#define RECFORMAT_VERSION 2 /* what is written; earlier ones can be read */
#define RECFORMAT_HEADER 24
#define RECFORMAT_EVENT 188 /* without strings */
#define RECFORMAT_EVENT_V1 92
#define RECFORMAT_LOST 24
#define RECFORMAT_MAX (1U << 20) /* most that one record may be long */
#define RECFORMAT_PLACE_MAX 63

enum recformat_type {
	REC_TYPE_FORK = EV_FORK,
	REC_TYPE_EXEC = EV_EXEC,
	REC_TYPE_EXIT = EV_EXIT,
	REC_TYPE_LOST = 16,
};

/* One decoded record; strings of @ev point into the buffer. */
struct recformat_item {
	enum recformat_type type;
	struct event ev; /* all types but LOST */
	enum event_kind lost_kind; /* LOST: EV_KINDS if unknown */
	uint64_t lost_count;
	char lost_place[RECFORMAT_PLACE_MAX + 1]; /* "": unknown */
};

/* What a header says. */
struct recformat_head {
	uint32_t version;
	int64_t wall_offset_ns;
};

void recformat_put_header(uint8_t dst[RECFORMAT_HEADER], int64_t wall_offset_ns);
/* 0; or -EBADMSG and a sentence without the name of the file. */
int recformat_get_header(const uint8_t *p, size_t n, struct recformat_head *head, struct err *e);

/* Bytes that recformat_put_event() writes. Strings that are too long for RECFORMAT_MAX are cut. */
size_t recformat_event_size(const struct event *ev);
void recformat_put_event(uint8_t *dst, const struct event *ev);
/* At most RECFORMAT_LOST + RECFORMAT_PLACE_MAX bytes; returns how many. @place may be NULL. */
size_t recformat_put_lost(uint8_t *dst, enum event_kind kind, uint64_t count, const char *place);

/*
 * Takes the record at @p of a recording of @version. Returns 1: it is in @item; 0: @n bytes are not all of it; -EINVAL: it is
 * malformed, and can be skipped; -EBADMSG: it is malformed and nobody knows where the next one begins.
 * @size gets its length unless 0 or -EBADMSG. @e (may be NULL) says what is wrong with the record.
 */
int recformat_get(const uint8_t *p, size_t n, uint32_t version, struct recformat_item *item,
		  size_t *size, struct err *e);

#endif
