/* SPDX-License-Identifier: MIT */
/* errname: "ENOENT" for 2. Any thread. */
#ifndef PT_BASE_ERRNAME_H
#define PT_BASE_ERRNAME_H

#define ERRNAME_MAX 24

/* Writes the name of errno @err, NUL-terminated: "ENOENT", "errno 4711"; returns its length. */
unsigned errname_format(char dst[ERRNAME_MAX], int err);

#endif
