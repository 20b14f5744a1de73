/* SPDX-License-Identifier: MIT */
/* words: parts of an event as words for people, written to a line. Pure; any thread. */
#ifndef PT_SINK_WORDS_H
#define PT_SINK_WORDS_H

#include "event/event.h"
#include "sink/line.h"

/* Room for the largest number of bytes that words_command() writes for the strings of @ev. */
size_t words_room(const struct event *ev);
/* A name of the kernel, escaped; nothing if it is absent. */
void words_comm(struct line *l, const char comm[16]);
/* The arguments as a shell reads them, else the path; then what is missing of it. */
void words_command(struct line *l, const struct event *ev);
/* "exit 3", "SIGSEGV (core)", "ENOENT", "ended". */
void words_status(struct line *l, const struct event *ev);
/* What there is to say: the command, or the path that could not be executed and why; how it ended and after
 * what time. */
void words_details(struct line *l, const struct event *ev);
/* "3.4M" */
void words_bytes(struct line *l, uint64_t bytes);

#endif
