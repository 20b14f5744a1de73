// SPDX-License-Identifier: MIT
#include "base/signame.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* The kernel's first real-time signal; SIGRTMIN of glibc is what it leaves to programs. */
#define KERNEL_SIGRTMIN 32

unsigned signame_format(char dst[SIGNAME_MAX], int sig)
{
	const char *abbrev = sig > 0 && sig < KERNEL_SIGRTMIN ? sigabbrev_np(sig) : NULL;

	if (abbrev)
		snprintf(dst, SIGNAME_MAX, "SIG%s", abbrev);
	else if (sig == SIGRTMIN)
		snprintf(dst, SIGNAME_MAX, "SIGRTMIN");
	else if (sig > SIGRTMIN && sig <= SIGRTMAX)
		snprintf(dst, SIGNAME_MAX, "SIGRTMIN+%d", (sig - SIGRTMIN) & 63);
	else
		snprintf(dst, SIGNAME_MAX, "signal %d", sig & 127);
	return (unsigned)strlen(dst);
}
