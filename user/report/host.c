// SPDX-License-Identifier: MIT
#include "report/result.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "source/hooks.h"

/* First line of a small file, without its newline; false and "" if it cannot be read. */
static bool read_line(const char *path, char *dst, size_t cap)
{
	FILE *f = fopen(path, "re");

	dst[0] = '\0';
	if (!f)
		return false;
	if (!fgets(dst, (int)cap, f))
		dst[0] = '\0';
	fclose(f);
	dst[strcspn(dst, "\n")] = '\0';
	return dst[0] != '\0';
}

static uint64_t read_number(const char *path)
{
	char line[32];

	return read_line(path, line, sizeof(line)) ? strtoull(line, NULL, 10) : 0;
}

/* The value of "@key : value" in /proc/cpuinfo; x86 says "model name", some ARM machines nothing. */
static bool cpuinfo_find(const char *key, char *dst, size_t cap)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[4096];
	bool found = false;

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		char *value = strchr(line, ':');

		if (!value || strncmp(line, key, strlen(key)) != 0)
			continue;
		value += strspn(value, ": \t");
		value[strcspn(value, "\n")] = '\0';
		snprintf(dst, cap, "%s", value);
		found = true;
	}
	fclose(f);
	return found;
}

struct hint {
	const char *text, *virt;
};

/* What a hypervisor calls itself in CPUID leaf 0x40000000. */
static const struct hint cpuid_hints[] = {
	{ "KVMKVMKVM", "KVM guest" },	     { "TCGTCGTCGTCG", "QEMU guest" },
	{ "VMwareVMware", "VMware guest" },  { "XenVMMXenVMM", "Xen guest" },
	{ "Microsoft Hv", "Hyper-V guest" }, { "VBoxVBoxVBox", "VirtualBox guest" },
	{ "bhyve bhyve ", "bhyve guest" },
};

/* What the firmware (DMI) or the device tree calls the machine. */
static const struct hint firmware_hints[] = {
	{ "linux,kvm", "KVM guest" },
	{ "xen", "Xen guest" },
	{ "Xen", "Xen guest" },
	{ "KVM", "KVM guest" },
	{ "QEMU", "QEMU guest" },
	{ "VMware", "VMware guest" },
	{ "VirtualBox", "VirtualBox guest" },
	{ "Virtual Machine", "Hyper-V guest" },
	{ "Google Compute Engine", "KVM guest" },
	{ "Amazon EC2", "Amazon EC2" }, /* also bare metal: say what is known */
	{ "Parallels", "Parallels guest" },
};

static const char *find_hint(const struct hint *hints, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(text, hints[i].text))
			return hints[i].virt;
	return NULL;
}

#define FIND_HINT(hints, text) find_hint(hints, sizeof(hints) / sizeof(*(hints)), text)

static const char *virt_from_cpuid(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned eax, vendor[4] = { 0 };
	char name[sizeof(vendor)];

	__cpuid(1, eax, vendor[0], vendor[1], vendor[2]);
	if (!(vendor[1] & 1U << 31)) /* ECX, "hypervisor present" */
		return NULL;
	__cpuid(0x40000000, eax, vendor[0], vendor[1], vendor[2]);
	vendor[3] = 0;
	memcpy(name, vendor, sizeof(name));
	return FIND_HINT(cpuid_hints, name);
#else
	return NULL;
#endif
}

static const char *virt_from_firmware(void)
{
	static const char *const files[] = {
		"/sys/hypervisor/type",
		"/proc/device-tree/hypervisor/compatible",
		"/sys/class/dmi/id/product_name",
		"/sys/class/dmi/id/sys_vendor",
	};
	char line[128];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const char *virt = NULL;

		if (read_line(files[i], line, sizeof(line)))
			virt = FIND_HINT(firmware_hints, line);
		if (virt)
			return virt;
	}
	return NULL;
}

static const char *virt_name(void)
{
	const char *virt = virt_from_cpuid();
	char flags[4096] = "";

	if (!virt)
		virt = virt_from_firmware();
	if (virt)
		return virt;
	cpuinfo_find("flags", flags, sizeof(flags));
	return strstr(flags, " hypervisor") ? "virtual machine" : "bare metal";
}

/* "spectre_v2 Retpolines, …": the first words of each mitigation that is in use. */
static void mitigations_fill(char *dst, size_t cap)
{
	static const char dir[] = "/sys/devices/system/cpu/vulnerabilities";
	static const char used[] = "Mitigation: ";
	struct dirent **entry;
	int n = scandir(dir, &entry, NULL, alphasort);
	size_t len = 0;

	dst[0] = '\0';
	for (int i = 0; i < n; i++) {
		char path[512], line[256];

		snprintf(path, sizeof(path), "%s/%s", dir, entry[i]->d_name);
		if (read_line(path, line, sizeof(line)) &&
		    strncmp(line, used, sizeof(used) - 1) == 0 && len < cap) {
			line[strcspn(line, ";")] = '\0';
			len += (size_t)snprintf(dst + len, cap - len, "%s%s %s", len ? ", " : "",
						entry[i]->d_name, line + sizeof(used) - 1);
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
}

void result_host_fill(struct result_host *h)
{
	struct utsname u;

	memset(h, 0, sizeof(*h));
	if (!uname(&u)) {
		snprintf(h->kernel, sizeof(h->kernel), "%.*s", (int)sizeof(h->kernel) - 1,
			 u.release);
		snprintf(h->arch, sizeof(h->arch), "%.*s", (int)sizeof(h->arch) - 1, u.machine);
	}
	snprintf(h->virt, sizeof(h->virt), "%s", virt_name());
	cpuinfo_find("model name", h->cpu_model, sizeof(h->cpu_model));
	read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  h->clocksource, sizeof(h->clocksource));
	h->cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	h->cpus_possible = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	h->pid_max = read_number("/proc/sys/kernel/pid_max");
	h->rmem_max = read_number("/proc/sys/net/core/rmem_max");
	h->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	h->mem_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * h->page_size;
	read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", h->governor,
		  sizeof(h->governor));
	mitigations_fill(h->mitigations, sizeof(h->mitigations));
	h->other_programs_n = hooks_bpf(h->other_programs, sizeof(h->other_programs));
	h->other_listeners = hooks_connector();
}
