// SPDX-License-Identifier: MIT
#include "base/caps.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Version 3 has two words a set. */
static int caps_get(struct __user_cap_data_struct data[2])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(SYS_capget, &head, data) ? -errno : 0;
}

bool caps_have(uint64_t mask)
{
	struct __user_cap_data_struct data[2] = { 0 };

	if (caps_get(data))
		return false;
	return !(mask & ~(data[0].effective | (uint64_t)data[1].effective << 32));
}

const char *caps_missing(uint64_t mask)
{
	static const struct {
		int cap;
		const char *name;
	} known[] = {
		{ CAP_BPF, "CAP_BPF" },
		{ CAP_PERFMON, "CAP_PERFMON" },
		{ CAP_NET_ADMIN, "CAP_NET_ADMIN" },
		{ CAP_SYS_RESOURCE, "CAP_SYS_RESOURCE" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if ((mask & CAPS_MASK(known[i].cap)) && !caps_have(CAPS_MASK(known[i].cap)))
			return known[i].name;
	return NULL;
}

int caps_keep(uint64_t keep)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };
	int err = caps_get(data);

	if (err)
		return err;
	for (int i = 0; i < 2; i++) {
		uint32_t word = (uint32_t)(keep >> 32 * i);

		data[i].effective &= word;
		data[i].permitted &= word;
		data[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &head, data))
		return -errno;
	/* Nor may a program that root executes get them back. */
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}
