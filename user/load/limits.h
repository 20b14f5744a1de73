/* SPDX-License-Identifier: MIT */
/* limits: how much of this machine the load generator may use. Internal to load/. */
#ifndef PT_LOAD_LIMITS_H
#define PT_LOAD_LIMITS_H

#include <stdint.h>

/* Bytes that can be had without pushing others out: MemAvailable, or less in a memory cgroup. */
uint64_t limits_memory(void);
/*
 * How many children may live at once: half of what RLIMIT_NPROC (root has none), the cgroup's pids.max and the
 * memory allow, a quarter of pid_max and of threads-max, at most 4096; at least 1.
 */
unsigned limits_children(void);

#endif
