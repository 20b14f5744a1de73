/* SPDX-License-Identifier: MIT */
/*
 * cnsock: a subscribed proc connector socket, and the way out of the subscription.
 *
 * The kernel counts its listeners and forgets nobody who dies without IGNORE (also on 6.18). So a
 * guardian, a small process that shares the socket, sends IGNORE in our place if we die of SIGKILL.
 * If the guardian is killed as well, the count stays one too high until the next boot: the kernel
 * then goes on making messages that nobody gets. One thread.
 */
#ifndef PT_SOURCE_CNSOCK_H
#define PT_SOURCE_CNSOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define CNSOCK_RCVBUF_WIDE (1U << 30) /* never full; a bound, not an allocation */

struct cnsock {
	int fd;
	int guardian_fd; /* our end of the pipe to the guardian */
	int guardian_pid;
	bool listening;
	size_t rcvbuf; /* as the kernel made it: what messages are charged against */
};

/* What the caller does with each message that arrives before the subscription is acknowledged. */
typedef void (*cnsock_message_fn)(void *ctx, const void *data, size_t len, uint32_t sender);

/* Opens and binds; @rcvbuf bytes of receive buffer in all, as far as privilege allows: for now it stays wide,
 * until cnsock_resize(). 0 or -errno. */
int cnsock_open(struct cnsock *s, size_t rcvbuf, struct err *e);
/* Subscribes and waits for the acknowledgement, telling @fn of every message meanwhile; 0 or -errno
 * with the reason: namespaces, privilege, a kernel without the connector. */
int cnsock_listen(struct cnsock *s, cnsock_message_fn fn, void *ctx, struct err *e);
/* Asks a 6.6+ kernel for these PROC_EVENT_* only; older ones ignore it. 0 or -errno. */
int cnsock_narrow(struct cnsock *s, uint32_t events);
/* Changes the receive buffer to @bytes in all; @rcvbuf goes on telling the size of cnsock_open(). */
void cnsock_resize(const struct cnsock *s, size_t bytes);
/* Ends the subscription; what is queued can still be read. */
void cnsock_ignore(struct cnsock *s);
/* Drops counted by the kernel for this socket (SK_MEMINFO_DROPS), and bytes charged now. 0 or -errno. */
int cnsock_meminfo(const struct cnsock *s, uint64_t *drops, uint64_t *used);
/* IGNORE if need be, ends the guardian, closes. Safe after a failed open. */
void cnsock_close(struct cnsock *s);

#endif
