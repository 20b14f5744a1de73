// SPDX-License-Identifier: MIT
#include "source/hooks.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONNECTOR_TEXT_MAX (1 << 20)

static bool is_process_hook(const char *name)
{
	static const char prefix[] = "sched_process_";

	return name && strncmp(name, prefix, sizeof(prefix) - 1) == 0;
}

/* A typed program hangs on a tracepoint by the id of the tracepoint's type: "btf_trace_sched_process_exec". */
static bool is_typed_hook(const struct btf *btf, __u32 type)
{
	static const char prefix[] = "btf_trace_";
	const struct btf_type *t = btf ? btf__type_by_id(btf, type) : NULL;
	const char *name = t ? btf__name_by_offset(btf, t->name_off) : NULL;

	return name && strncmp(name, prefix, sizeof(prefix) - 1) == 0 &&
	       is_process_hook(name + sizeof(prefix) - 1);
}

/* Whether the link @fd is on one of the hooks; @prog gets its program. */
static bool link_is_ours(int fd, const struct btf *btf, __u32 *prog)
{
	struct bpf_link_info info = { 0 };
	char name[64] = "";
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return false;
	*prog = info.prog_id;
	if (info.type == BPF_LINK_TYPE_TRACING)
		return is_typed_hook(btf, info.tracing.target_btf_id);
	if (info.type != BPF_LINK_TYPE_RAW_TRACEPOINT)
		return false;
	info = (struct bpf_link_info){ 0 };
	info.raw_tracepoint.tp_name = (__u64)(uintptr_t)name;
	info.raw_tracepoint.tp_name_len = sizeof(name);
	len = sizeof(info);
	return bpf_obj_get_info_by_fd(fd, &info, &len) == 0 && is_process_hook(name);
}

static void name_append(char *names, size_t cap, __u32 prog)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);
	size_t n = strlen(names);
	int fd = bpf_prog_get_fd_by_id(prog);

	if (fd < 0)
		return;
	if (bpf_obj_get_info_by_fd(fd, &info, &len) == 0 && n + strlen(info.name) + 3 < cap)
		snprintf(names + n, cap - n, "%s%s", n ? ", " : "", info.name);
	close(fd);
}

int hooks_bpf(char *names, size_t cap)
{
	struct btf *btf = btf__load_vmlinux_btf();
	__u32 id = 0;
	int n = 0;

	names[0] = '\0';
	while (bpf_link_get_next_id(id, &id) == 0) {
		int fd = bpf_link_get_fd_by_id(id);
		__u32 prog = 0;

		if (fd < 0)
			continue;
		if (link_is_ours(fd, btf, &prog)) {
			name_append(names, cap, prog);
			n++;
		}
		close(fd);
	}
	/* ENOENT: after the last one. */
	if (errno != ENOENT)
		n = -1;
	btf__free(btf);
	return n;
}

int hooks_connector_count(const char *text)
{
	int n = 0;

	for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
		unsigned protocol;
		unsigned long groups;

		if (sscanf(line, " %*s %u %*s %lx", &protocol, &groups) == 2 &&
		    protocol == NETLINK_CONNECTOR && groups & CN_IDX_PROC)
			n++;
	}
	return n;
}

int hooks_connector(void)
{
	FILE *f = fopen("/proc/net/netlink", "re");
	char *text;
	size_t len;
	int n;

	if (!f)
		return -1;
	text = malloc(CONNECTOR_TEXT_MAX);
	if (!text) {
		fclose(f);
		return -1;
	}
	len = fread(text, 1, CONNECTOR_TEXT_MAX - 1, f);
	fclose(f);
	text[len] = '\0';
	n = hooks_connector_count(text);
	free(text);
	return n;
}
