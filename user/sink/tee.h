/* SPDX-License-Identifier: MIT */
/* tee: a sink that counts what passes and hands it to up to TEE_MAX other sinks, to each the kinds it takes. */
#ifndef PT_SINK_TEE_H
#define PT_SINK_TEE_H

#include "sink/sink.h"

#define TEE_MAX 4

struct tee {
	struct sink sink; /* hand &tee.sink to the source */
	struct sink *out[TEE_MAX]; /* owned: closed by tee_close() */
	unsigned kinds[TEE_MAX]; /* mask of EV_MASK() */
	unsigned n;
	uint64_t failed; /* execs; events[EV_EXEC] has the others */
	uint64_t events[EV_KINDS], lost[EV_KINDS + 1]; /* lost[EV_KINDS]: of a kind not known */
};

/* An empty tee, on which tee_add() can be called. */
void tee_init(struct tee *t);
/* Adds @out (NULL: no memory, told by -ENOMEM) for @kinds and takes it over. */
int tee_add(struct tee *t, struct sink *out, unsigned kinds);
/* Writes out what is buffered; the first -errno of any of the sinks, else 0. */
int tee_flush(struct tee *t);
/* The same, once no event will come any more. */
int tee_finish(struct tee *t);
/* Closes all of them. */
void tee_close(struct tee *t);

#endif
