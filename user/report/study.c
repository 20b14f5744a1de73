// SPDX-License-Identifier: MIT
#include "report/study.h"

#include <math.h>
#include <string.h>

static const struct {
	const char *name;
	void (*print)(struct page *p, const struct result *r);
} studies[] = {
	{ "article", study_article_print },
	{ "stall", study_stall_print },
	{ "knee", study_knee_print },
	{ "lifetime", study_life_print },
};

#define STUDIES (sizeof(studies) / sizeof(*studies))

bool study_is_known(const char *name)
{
	for (size_t i = 0; i < STUDIES; i++)
		if (strcmp(name, studies[i].name) == 0)
			return true;
	return study_cells_known(name);
}

void studies_print(struct page *p, const struct result *r)
{
	for (size_t i = 0; i < STUDIES; i++)
		studies[i].print(p, r);
	study_cells_print(p, r);
}

struct fmt study_bar(double share, unsigned width)
{
	static const char *const part[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	struct fmt out = { "" };
	unsigned eighths;

	if (!(share > 0))
		return out;
	width = width > 20 ? 20 : width;
	eighths = share < 1 ? (unsigned)lround(share * width * 8) : width * 8;
	if (!eighths)
		eighths = 1; /* something is not nothing */
	for (; eighths >= 8; eighths -= 8)
		strcat(out.s, "█");
	strcat(out.s, part[eighths]);
	return out;
}

struct fmt study_size(double bytes)
{
	static const struct {
		double bytes;
		const char *unit;
	} units[] = { { 0x1p30, "GiB" }, { 0x1p20, "MiB" }, { 0x1p10, "KiB" } };
	struct fmt out;
	size_t i = 0;
	double v;

	while (i < 2 && bytes < units[i].bytes)
		i++;
	v = bytes / units[i].bytes;
	if (v < 9.95)
		snprintf(out.s, sizeof(out.s), "%.1f" NBSP "%s", ceil(v * 10) / 10, units[i].unit);
	else
		snprintf(out.s, sizeof(out.s), "%.40s" NBSP "%s",
			 fmt_count((uint64_t)fmin(ceil(v), 1e15)).s, units[i].unit);
	return out;
}
