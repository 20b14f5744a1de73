/* SPDX-License-Identifier: MIT */
/*
 * hooks: who else watches processes on this machine. Their work is done in the launcher's time, so a report
 * names them. Reads only; needs root for the BPF part.
 */
#ifndef PT_SOURCE_HOOKS_H
#define PT_SOURCE_HOOKS_H

#include <stddef.h>
#include <stdint.h>

/* How many BPF programs hang on the scheduler's process tracepoints (fork, exec, exit), and their names,
 * separated by commas, as far as they fit. -1: cannot be known here. */
int hooks_bpf(char *names, size_t cap);
/* How many sockets of this network namespace are in the proc connector's group; -1: cannot be known. */
int hooks_connector(void);
/* The same from the text of /proc/net/netlink. Pure. */
int hooks_connector_count(const char *text);

#endif
