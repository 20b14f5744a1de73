/* SPDX-License-Identifier: MIT */
/* bpf_refusal: why the kernel refused our BPF programs, in one sentence instead of libbpf's pages. */
#ifndef PT_SOURCE_BPF_REFUSAL_H
#define PT_SOURCE_BPF_REFUSAL_H

#include <stddef.h>

#include "base/err.h"

/* Silences libbpf, keeping what tells the cause; forgets the one of an earlier attempt. */
void bpf_refusal_reset(void);
/* Fills @e from @err (libbpf's or -errno) and what is known of this machine; returns a -errno. */
int bpf_refusal_explain(int err, const char *btf, size_t ring_bytes, struct err *e);
/* The line of a verifier's log that says why; cut to @cap. */
void bpf_refusal_verdict(const char *log, char *to, size_t cap);

#endif
