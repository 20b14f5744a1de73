/* SPDX-License-Identifier: MIT */
/*
 * outfile: the file behind an outbuf that is begun anew when it has grown: FILE becomes FILE.1, that FILE.2
 * and so on. One thread at a time.
 */
#ifndef PT_BASE_OUTFILE_H
#define PT_BASE_OUTFILE_H

#include <stdbool.h>
#include <stdint.h>

struct outfile {
	const char *path; /* borrowed */
	uint64_t limit; /* bytes after which it is begun anew */
	uint64_t size; /* bytes written so far */
	unsigned keep; /* how many old ones; 0: none */
};

/* Moves what @fd is open for out of the way and makes @fd a new, empty file. 0 or -errno. */
int outfile_rotate(struct outfile *f, int fd);

#endif
