// SPDX-License-Identifier: MIT
/* Lists of a report that are no runs: common latencies, and figures that explain. */
#include <string.h>

#include "report/field_macros.h"
#include "report/result_fields.h"

static size_t source_count(const void *base)
{
	return ((const struct result_pooled *)base)->nsources;
}

static const void *source_at(const void *base, size_t i)
{
	return &((const struct result_pooled *)base)->source[i];
}

static void *source_add(void *base)
{
	struct result_pooled *p = base;

	return p->nsources < 2 ? &p->source[p->nsources++] : NULL;
}

static const struct field_list source_list = {
	.count = source_count,
	.at = source_at,
	.add = source_add,
	.limit = "at most 2 sources",
};

const struct field pooled_fields[] = {
	TEXT(struct result_pooled, scenario),
	TEXT(struct result_pooled, monitor),
	{ "launch", FIELD_OBJECT, AT(struct result_pooled, launch), .sub = latency_fields },
	{ "sources", FIELD_LIST, .sub = latency_fields, .list = &source_list },
	END,
};

const struct result_pooled *result_pooled_find(const struct result *r, const char *scenario,
					       const char *monitor)
{
	for (size_t i = 0; i < r->npooled; i++)
		if (strcmp(r->pooled[i].scenario, scenario) == 0 &&
		    strcmp(r->pooled[i].monitor, monitor) == 0)
			return &r->pooled[i];
	return NULL;
}

/* ---- figures ---------------------------------------------------------------------------------- */

static bool is_valid(const void *base)
{
	return ((const struct explain_figure *)base)->value.valid;
}

static void mark_valid(void *base)
{
	((struct explain_figure *)base)->value.valid = true;
}

#define FIGURE(member) AT(struct explain_figure, member)
const struct field figure_fields[] = {
	TEXT(struct explain_figure, name),
	{ "median", FIELD_REAL, FIGURE(value.median) },
	{ "lo", FIELD_REAL, FIGURE(value.lo), .has = is_valid, .mark = mark_valid },
	{ "hi", FIELD_REAL, FIGURE(value.hi), .has = is_valid, .mark = mark_valid },
	{ "of", FIELD_REAL, FIGURE(n) },
	END,
};

static size_t figure_count(const void *base)
{
	return ((const struct result *)base)->nfigures;
}

static const void *figure_at(const void *base, size_t i)
{
	return &((const struct result *)base)->figure[i];
}

static void *figure_add(void *base)
{
	struct result *r = base;

	return r->nfigures < EXPLAIN_MAX ? result_add_figure(r) : NULL;
}

const struct field_list figure_list = {
	.count = figure_count,
	.at = figure_at,
	.add = figure_add,
	.limit = "at most 24 figures",
};
