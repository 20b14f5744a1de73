// SPDX-License-Identifier: MIT
#include "source/bpf_refusal.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* libbpf tells through one callback for the whole process; commands open sources from one thread. */
static char last_warning[256];

static int warning_keep(enum libbpf_print_level level, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static int warning_keep(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level == LIBBPF_WARN) {
		vsnprintf(last_warning, sizeof(last_warning), fmt, ap);
		last_warning[strcspn(last_warning, "\n")] = '\0';
	}
	return 0;
}

void bpf_refusal_reset(void)
{
	last_warning[0] = '\0';
	libbpf_set_print(warning_keep);
}

int bpf_refusal_explain(int err, const char *btf, size_t ring_bytes, struct err *e)
{
	char what[128];

	libbpf_strerror(err, what, sizeof(what)); /* also knows libbpf's own codes, 4000 and up */
	if (err == -EPERM || err == -EACCES) {
		if (geteuid() != 0)
			return err_set(e, -EPERM,
				       "loading BPF programs needs root (or CAP_BPF and "
				       "CAP_PERFMON): run it with sudo");
		return err_set(
			e, -EPERM,
			"the kernel forbids BPF though you are root: a container without CAP_BPF, "
			"kernel lockdown or a seccomp filter; run it on the host");
	}
	if (err == -ENOMEM || err == -E2BIG)
		return err_set(e, -ENOMEM,
			       "the kernel has no memory for a BPF ring of %zu bytes: ask for less "
			       "with --ring",
			       ring_bytes);
	if (btf)
		return err_set(e, -EINVAL, "the BTF file '%s' does not serve this kernel: %s", btf,
			       last_warning[0] ? last_warning : what);
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return err_set(
			e, -ENOENT,
			"the kernel has no BTF (/sys/kernel/btf/vmlinux): it needs "
			"CONFIG_DEBUG_INFO_BTF=y, or a BTF file of this kernel by --btf FILE");
	return err_set(e, err > -4000 ? err : -EINVAL,
		       "the kernel refused the BPF programs: %s%s%s", what,
		       last_warning[0] ? "; libbpf: " : "", last_warning);
}
