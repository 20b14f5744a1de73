/* SPDX-License-Identifier: MIT */
/*
 * stop: the wish to end, from SIGINT, SIGTERM or SIGHUP. The first one asks for an orderly end; it also
 * restores the default, so that a second one ends the program at once.
 */
#ifndef PT_BASE_STOP_H
#define PT_BASE_STOP_H

#include <stdbool.h>

/* Takes over the three signals (but a SIGHUP that is ignored), and ignores SIGPIPE (writers see EPIPE instead). */
void stop_install(void);
/* Whether one has come. Any thread. */
bool stop_requested(void);
/* The signal that another process has sent us since the last call; 0: none, or the terminal did, which
 * sends it to its whole foreground group. stop_fd() is not readable any more until the next one. */
int stop_take_signal(void);
/* Asks as a signal would: `q` at the terminal, a closed pipe. */
void stop_request(void);
/* A descriptor that becomes readable with the request, for poll(2); -1 before stop_install(). */
int stop_fd(void);

#endif
