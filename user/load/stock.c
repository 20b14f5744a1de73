// SPDX-License-Identifier: MIT
/* Targets of other makes than testApp: what real programs cost to launch. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load/target.h"

const char *const load_target_names[] = { [LOAD_TARGET_POOL] = "testApp",
					  [LOAD_TARGET_STATIC] = "static",
					  [LOAD_TARGET_DYNAMIC] = "dynamic",
					  [LOAD_TARGET_SCRIPT] = "script",
					  NULL };

/* Whether the program at @path needs no other file to run: it names no interpreter. */
static bool is_static(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr head;
	bool yes = fd >= 0 && read(fd, &head, sizeof(head)) == sizeof(head) &&
		   memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
		   head.e_ident[EI_CLASS] == ELFCLASS64;

	for (unsigned i = 0; yes && i < head.e_phnum; i++) {
		Elf64_Phdr part;
		const off_t at = (off_t)(head.e_phoff + (uint64_t)i * head.e_phentsize);

		yes = pread(fd, &part, sizeof(part), at) == sizeof(part) &&
		      part.p_type != PT_INTERP;
	}
	if (fd >= 0)
		close(fd);
	return yes;
}

/* busybox is the one static program that can be everywhere; called "true" it does nothing. */
static int stock_static(const struct pool *p, char *path, size_t size, struct err *e)
{
	static const char *const where[] = { "/bin/busybox", "/usr/bin/busybox" };

	snprintf(path, size, "%s/true", p->dir);
	for (size_t i = 0; i < sizeof(where) / sizeof(*where); i++)
		if (is_static(where[i]))
			return symlink(where[i], path) && errno != EEXIST
				       ? err_set(e, -errno, "cannot link '%s': %s", path,
						 strerror(errno))
				       : 0;
	return err_set(e, -EOPNOTSUPP,
		       "there is no static program to launch here (busybox-static has one)");
}

static int stock_script(const struct pool *p, char *path, size_t size, struct err *e)
{
	static const char text[] = "#!/bin/sh\nexit 0\n";
	int fd, err = 0;

	snprintf(path, size, "%s/script", p->dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (fd < 0)
		return errno == EEXIST
			       ? 0
			       : err_set(e, -errno, "cannot write '%s': %s", path, strerror(errno));
	if (write(fd, text, sizeof(text) - 1) != (ssize_t)sizeof(text) - 1 || fchmod(fd, 0755))
		err = err_set(e, -EIO, "cannot write the script '%s'", path);
	close(fd);
	return err;
}

static int stock_dynamic(char *path, size_t size, struct err *e)
{
	snprintf(path, size, "/bin/true");
	if (access(path, X_OK))
		return err_set(e, -EOPNOTSUPP, "cannot launch '%s': %s", path, strerror(errno));
	return 0;
}

int stock_path(const struct pool *p, enum load_target target, char *path, size_t size,
	       struct err *e)
{
	path[0] = '\0';
	switch (target) {
	case LOAD_TARGET_STATIC:
		return stock_static(p, path, size, e);
	case LOAD_TARGET_DYNAMIC:
		return stock_dynamic(path, size, e);
	case LOAD_TARGET_SCRIPT:
		return stock_script(p, path, size, e);
	case LOAD_TARGET_POOL:
		break;
	}
	return 0;
}
