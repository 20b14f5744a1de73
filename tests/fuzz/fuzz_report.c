// SPDX-License-Identifier: MIT
/* Any bytes as a saved report: refused with one sentence, or read, printed, and read again the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare.h"
#include "report/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct memory {
	char *text;
	size_t len;
};

static struct memory text_of(const struct result *r)
{
	struct memory m = { NULL, 0 };
	FILE *f = open_memstream(&m.text, &m.len);

	text_report(r, f, false);
	fclose(f);
	return m;
}

static struct memory json_of(const struct result *r)
{
	struct memory m = { NULL, 0 };
	FILE *f = open_memstream(&m.text, &m.len);

	if (result_write(r, f, NULL))
		abort();
	fclose(f);
	return m;
}

static void compare_with_itself(const struct result *r)
{
	struct compare c = { .result = { r, r }, .name = { "a", "b" }, .n = 2 };
	struct memory m = { NULL, 0 };
	FILE *f = open_memstream(&m.text, &m.len);
	struct err e;

	compare_text(&c, f, false);
	if (compare_json(&c, f, &e) || compare_markdown(&c, f))
		abort();
	fclose(f);
	free(m.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct result r, again;
	struct memory text, json, text_again;
	struct err e = { "" };

	if (result_parse(&r, (const char *)data, len, "fuzz", &e)) {
		if (!e.text[0])
			abort();
		return 0;
	}
	text = text_of(&r);
	json = json_of(&r);
	if (result_parse(&again, json.text, json.len, "again", &e))
		abort();
	text_again = text_of(&again);
	if (text.len != text_again.len || memcmp(text.text, text_again.text, text.len) != 0)
		abort();
	compare_with_itself(&r);
	result_free(&r);
	result_free(&again);
	free(text.text);
	free(json.text);
	free(text_again.text);
	return 0;
}
