// SPDX-License-Identifier: MIT
#include "base/errname.h"

#include <stdio.h>
#include <string.h>

unsigned errname_format(char dst[ERRNAME_MAX], int err)
{
	const char *name = strerrorname_np(err);

	if (name && err)
		snprintf(dst, ERRNAME_MAX, "%s", name);
	else
		snprintf(dst, ERRNAME_MAX, "errno %d", err);
	return (unsigned)strlen(dst);
}
