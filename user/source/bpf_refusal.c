// SPDX-License-Identifier: MIT
#include "source/bpf_refusal.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/caps.h"
#define LOCKDOWN_FILE "/sys/kernel/security/lockdown"

/* libbpf tells through one callback for the whole process; commands open sources from one thread. */
static char first_warning[256]; /* the cause; what follows only says who failed because of it */
static char verdict[256]; /* of the kernel's verifier */

/* ---- what libbpf says ------------------------------------------------------------------------- */

static void line_copy(char *to, size_t cap, const char *from)
{
	from += strspn(from, " \t");
	snprintf(to, cap, "%.*s", (int)strcspn(from, "\n"), from);
}

/* Newer kernels have a paragraph with the reason; else it is the line above the statistics. */
void bpf_refusal_verdict(const char *log, char *to, size_t cap)
{
	static const char paragraph[] = "\nReason:\n";
	const char *reason = strstr(log, paragraph), *end = strstr(log, "\nprocessed ");

	if (reason) {
		line_copy(to, cap, reason + sizeof(paragraph) - 1);
		return;
	}
	reason = log;
	for (const char *p = log; end && p < end; p++)
		if (*p == '\n' && p + 1 < end)
			reason = p + 1;
	line_copy(to, cap, reason);
}

static void program_verdict(const char *warning, const char *log)
{
	const char *name = strchr(warning, '\'');
	int len = name ? (int)strcspn(name + 1, "'") : 0;
	char reason[sizeof(verdict) - 64];

	bpf_refusal_verdict(log, reason, sizeof(reason));
	snprintf(verdict, sizeof(verdict), "%.*s: %s", len < 32 ? len : 32, name ? name + 1 : "",
		 reason);
}

static int warning_keep(enum libbpf_print_level level, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static int warning_keep(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	static const char begin[] = "-- BEGIN PROG LOAD LOG --\n";
	char *text;
	const char *log;

	if (level != LIBBPF_WARN || vasprintf(&text, fmt, ap) < 0)
		return 0;
	log = strstr(text, begin);
	if (log && !verdict[0])
		program_verdict(text, log + sizeof(begin) - 1);
	if (!first_warning[0])
		line_copy(first_warning, sizeof(first_warning), text);
	free(text);
	return 0;
}

void bpf_refusal_reset(void)
{
	first_warning[0] = verdict[0] = '\0';
	libbpf_set_print(warning_keep);
}

/* ---- what it means ---------------------------------------------------------------------------- */

/* In that mode nobody may read the kernel's memory, not even a BPF program. */
static bool is_locked_down(void)
{
	char text[128] = "";
	FILE *f = fopen(LOCKDOWN_FILE, "re");

	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	return strstr(text, "[confidentiality]") != NULL;
}

static int forbidden_explain(struct err *e)
{
	const char *missing = caps_missing(CAPS_MASK(CAP_BPF) | CAPS_MASK(CAP_PERFMON));

	if (geteuid() != 0 && missing)
		return err_set(
			e, -EPERM,
			"loading BPF programs needs root (or CAP_BPF and CAP_PERFMON, of which "
			"%s is missing): run it with sudo",
			missing);
	/* Before 5.11 their memory counts against a limit that only CAP_SYS_RESOURCE may raise. */
	if (geteuid() != 0)
		return err_set(
			e, -EPERM,
			"the kernel forbids BPF though CAP_BPF and CAP_PERFMON are there: is "
			"'ulimit -l' below what it takes? Run it with sudo");
	return err_set(e, -EPERM,
		       "the kernel forbids BPF though you are root: a container without CAP_BPF, "
		       "kernel lockdown or a seccomp filter; run it on the host");
}

static int plain_errno(int err)
{
	return err > -4000 ? err : -EINVAL; /* libbpf has numbers of its own */
}

int bpf_refusal_explain(int err, const char *btf, size_t ring_bytes, struct err *e)
{
	char what[128];

	libbpf_strerror(err, what, sizeof(what)); /* also knows libbpf's own codes, 4000 and up */
	if (geteuid() == 0 && is_locked_down())
		return err_set(
			e, -EPERM,
			"the kernel is locked down (" LOCKDOWN_FILE
			": confidentiality), so BPF programs may not read what they show; boot "
			"without lockdown=confidentiality");
	/* Before the errno is asked: the verifier's are EACCES, EPERM and E2BIG, too. */
	if (verdict[0])
		return err_set(e, -ENOTSUP, "this kernel's verifier refuses the BPF program %s",
			       verdict);
	if (err == -EPERM || err == -EACCES)
		return forbidden_explain(e);
	if (err == -ENOMEM || err == -E2BIG)
		return err_set(e, -ENOMEM,
			       "the kernel has no memory for a BPF ring of %zu bytes: ask for less "
			       "with --ring",
			       ring_bytes);
	if (btf)
		return err_set(e, -EINVAL, "the BTF file '%s' does not serve this kernel: %s", btf,
			       first_warning[0] ? first_warning : what);
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return err_set(
			e, -ENOENT,
			"the kernel has no BTF (/sys/kernel/btf/vmlinux): it needs "
			"CONFIG_DEBUG_INFO_BTF=y, or a BTF file of this kernel by --btf FILE");
	if (strstr(first_warning, "perf event ID"))
		return err_set(e, plain_errno(err),
			       "the tracepoints of system calls cannot be found: they need tracefs "
			       "(mount -t tracefs nodev /sys/kernel/tracing) and "
			       "CONFIG_FTRACE_SYSCALLS=y; without --failed it works");
	return err_set(e, plain_errno(err), "the kernel refused the BPF programs: %s%s%s", what,
		       first_warning[0] ? "; " : "", first_warning);
}
