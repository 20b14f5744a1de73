// SPDX-License-Identifier: MIT
#include "load/ballast.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "load/limits.h"

#define SPARE_FDS 16 /* that a worker needs itself */
#define MIB (1ULL << 20)

int ballast_check(const struct load_pool_cfg *cfg, struct err *e)
{
	const uint64_t memory = limits_memory();
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl))
		return err_set(e, -errno, "cannot read the limit of descriptors: %s",
			       strerror(errno));
	if (cfg->ballast_fds && (uint64_t)cfg->ballast_fds + SPARE_FDS > rl.rlim_max)
		return err_set(e, -EMFILE,
			       "--ballast-fds %u: a process may have %llu descriptors here "
			       "(ulimit -Hn)",
			       cfg->ballast_fds, (unsigned long long)rl.rlim_max);
	if (cfg->ballast_mib * MIB * cfg->workers > memory / 2)
		return err_set(e, -ENOMEM,
			       "--ballast-mib %u for %u workers is more than half of the %llu MiB "
			       "that are free",
			       cfg->ballast_mib, cfg->workers, (unsigned long long)(memory / MIB));
	return 0;
}

static int descriptors_take(uint32_t n)
{
	struct rlimit rl;
	int fd;

	if (!n)
		return 0;
	if (getrlimit(RLIMIT_NOFILE, &rl))
		return -errno;
	rl.rlim_cur = rl.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &rl))
		return -errno;
	/* Not close-on-exec would hand them to what is launched; each launch copies the table either way. */
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (--n)
		if (fcntl(fd, F_DUPFD_CLOEXEC, 0) < 0)
			return -errno;
	return 0;
}

int ballast_take(uint32_t fds, uint32_t mib)
{
	const size_t size = mib * MIB;
	void *mem;

	if (mib) {
		mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (mem == MAP_FAILED)
			return -errno;
		/* Small pages, as a heap has after a while: a fork copies the entry of each. */
		madvise(mem, size, MADV_NOHUGEPAGE);
		memset(mem, 1, size);
	}
	return descriptors_take(fds);
}
