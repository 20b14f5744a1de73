// SPDX-License-Identifier: MIT
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
