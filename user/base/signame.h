/* SPDX-License-Identifier: MIT */
/* signame: "SIGSEGV" for 11. Any thread. */
#ifndef PT_BASE_SIGNAME_H
#define PT_BASE_SIGNAME_H

#define SIGNAME_MAX 16

/* Writes the name of signal @sig, NUL-terminated: "SIGSEGV", "SIGRTMIN+3", "signal 99"; returns its length. */
unsigned signame_format(char dst[SIGNAME_MAX], int sig);

#endif
