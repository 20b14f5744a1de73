// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "report/compare.h"
#include "report/text.h"
#include "sample_result.h"

static void holds(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

static void lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' in:\n%s", part, text);
}

/* Calls @fn for each line of @text, cutting it up. */
static void each_line(char *text, void (*fn)(const char *line))
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		fn(line);
}

static size_t columns(const char *line)
{
	return escape_columns(line, strlen(line), SIZE_MAX, NULL);
}

static void line_fits(const char *line)
{
	if (columns(line) > 100)
		fail_msg("%zu columns: %s", columns(line), line);
	if (line[0] && line[strlen(line) - 1] == ' ')
		fail_msg("ends with a blank: '%s'", line);
}

static void no_line_is_wider_than_100_columns(void **state)
{
	struct result r;
	char *text;

	(void)state;
	sample_result_lossy(&r);
	text = sample_text(&r);
	each_line(text, line_fits);
	free(text);
	result_free(&r);
}

static size_t table_width;

/* Rows of figures end where the heads of their table end. */
static void row_is_aligned(const char *line)
{
	if (strstr(line, "  monitor "))
		table_width = 0;
	if (strstr(line, "/launch"))
		table_width = columns(line);
	if (!strncmp(line, "  eBPF  ", 8) || !strncmp(line, "    netlink  ", 13))
		assert_int_equal(columns(line), table_width);
}

static void columns_are_aligned(void **state)
{
	struct result r;
	char *text;

	(void)state;
	sample_result_lossy(&r);
	text = sample_text(&r);
	each_line(text, row_is_aligned);
	assert_true(table_width > 80);
	free(text);
	result_free(&r);
}

static void a_clean_run_reads_clean(void **state)
{
	struct result r;
	char *text;

	(void)state;
	sample_result(&r);
	text = sample_text(&r);
	holds(text,
	      "proctrace bench · Linux 6.18.44 x86_64 · 2 CPUs · KVM guest · 6 rounds × 2 s\n");
	holds(text, "serial · 1 worker · vfork, wait · 11 3");
	holds(text, "launches/s without a monitor");
	holds(text, "workers-4 · 4 workers · ");
	holds(text, "eBPF delivered and named every launch, at up to ");
	holds(text, "(0 of ");
	holds(text, "netlink + names delivered every event but could name only 57.");
	holds(text, "they agree on all ");
	holds(text, "foreign events during the cells: ");
	lacks(text, "!");
	lacks(text, " lost none");
	lacks(text, "too few rounds");
	lacks(text, "\033");
	free(text);
	result_free(&r);
}

static void whatever_went_wrong_is_said(void **state)
{
	static const char *const parts[] = {
		"! Interrupted: ",
		"readers stalled for 500 ms each second",
		"! CHECK FAILED, eBPF: generated 39 050, accounted for 39 049",
		"eBPF lost 1 (exec 1): ring full 1\n",
		"! eBPF: 2 events were wrong (status 2, order 0, time 0)",
		"! eBPF delivered 3 events more than once",
		"! eBPF misnamed 4 launches",
		"netlink: uncertain 14: foreign events that may be among the reported drops",
		", unexplained 17\n",
		"! 12 launches failed to start",
		"the memory for the truth was full",
		"1 run was cut short",
		"of which 17 without knowing (unexplained)",
		"But not all is well",
		"99.999",
		"~: too few rounds",
	};
	struct result r;
	char *text, *joined;

	(void)state;
	sample_result_lossy(&r);
	text = sample_text(&r);
	/* Sentences are wrapped: join their lines. */
	for (joined = text; (joined = strstr(joined, "\n    "));)
		memmove(joined + 1, joined + 5, strlen(joined + 5) + 1), *joined = ' ';
	for (joined = text; (joined = strstr(joined, "\n  "));)
		if (joined[3] != ' ' && strncmp(joined + 3, "eBPF ", 5) && joined[3] != '!' &&
		    strncmp(joined + 3, "netlink", 7) && strncmp(joined + 3, "foreign", 7) &&
		    strncmp(joined + 3, "cross", 5))
			memmove(joined + 1, joined + 3, strlen(joined + 3) + 1), *joined = ' ';
		else
			joined++;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		holds(text, parts[i]);
	free(text);
	result_free(&r);
}

static void loss_that_was_all_reported_is_forgiven(void **state)
{
	struct result r;
	struct ledger *l;
	char *text;

	(void)state;
	sample_result_small(&r, 1, 1);
	l = &r.run[1].source[0].ledger;
	l->all.matched -= 312;
	l->all.lost = l->all.reported = l->lost_at[LOST_RING_FULL] = 312;
	l->kind[EV_EXEC].lost = l->kind[EV_EXIT].lost = 156;
	assert_int_equal(result_summarise(&r), 0);
	text = sample_text(&r);
	holds(text, "eBPF lost 312 (exec 156, exit 156): ring full 312\n");
	holds(text, "all of it reported");
	free(text);
	result_free(&r);
}

static void drops_of_others_are_said_too(void **state)
{
	struct result r;
	char *text;

	(void)state;
	sample_result_small(&r, 1, 1);
	r.run[1].source[0].ledger.lost_at[LOST_RING_FULL] = 5;
	assert_int_equal(result_summarise(&r), 0);
	text = sample_text(&r);
	holds(text, "eBPF lost none of them, and counted drops among all processes: ring full 5\n");
	free(text);
	result_free(&r);
}

static void without_an_unwatched_run_the_rate_is_shown(void **state)
{
	struct result r;
	char *text;

	(void)state;
	sample_result_small(&r, 1, 1);
	r.run[0] = r.run[1];
	r.nruns = 1;
	assert_int_equal(result_summarise(&r), 0);
	text = sample_text(&r);
	holds(text, "launches  delivered");
	lacks(text, "slowdown");
	lacks(text, "without a monitor");
	free(text);
	result_free(&r);
}

static void colour_carries_no_meaning(void **state)
{
	struct result r;
	char *text, *coloured = NULL, *to;
	size_t len;
	FILE *f = open_memstream(&coloured, &len);

	(void)state;
	sample_result_lossy(&r);
	text = sample_text(&r);
	text_report(&r, f, true);
	fclose(f);
	holds(coloured, "\033[1m");
	to = coloured;
	for (const char *from = coloured; *from; from++) {
		if (*from == '\033')
			from = strchr(from, 'm');
		else
			*to++ = *from;
	}
	*to = '\0';
	assert_string_equal(coloured, text);
	free(coloured);
	free(text);
	result_free(&r);
}

#define HOSTILE                        \
	"\033]0;x\007\n\r\x7f\xc2\x9b" \
	"31m\xe2\x80\xae\xff"

static void poison(struct result *r)
{
	strcpy(r->host.kernel, HOSTILE);
	strcpy(r->host.arch, HOSTILE);
	strcpy(r->host.virt, HOSTILE);
	strcpy(r->version, HOSTILE);
	strcpy(r->config.target, HOSTILE);
	for (size_t i = 0; i < r->nruns; i++) {
		strcpy(r->run[i].scenario, HOSTILE);
		strcpy(r->run[i].monitor, HOSTILE);
		strcpy(r->run[i].method, "\033[2J");
		strcpy(r->run[i].mode, "\033[2J");
		for (unsigned k = 0; k < r->run[i].nsources; k++) {
			strcpy(r->run[i].source[k].name, HOSTILE);
			strcpy(r->run[i].source[k].ledger.books_why, HOSTILE);
			r->run[i].source[k].checks_ok = false;
		}
	}
	assert_int_equal(result_summarise(r), 0);
}

static void is_clean(const char *text)
{
	for (size_t n = strlen(text); n;) {
		uint32_t cp;
		unsigned len = utf8_decode(text, n, &cp);

		if (!len || (cp < 0x20 && cp != '\n') || (cp >= 0x7f && cp < 0xa0) || cp == 0x202e)
			fail_msg("hostile bytes at: %.20s", text);
		text += len;
		n -= len;
	}
}

static char *compare_of(const struct result *a, const struct result *b, bool json)
{
	struct compare c = { .result = { a, b }, .name = { "a.json", "b" HOSTILE }, .n = 2 };
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct err e;

	if (json)
		assert_int_equal(compare_json(&c, f, &e), 0);
	else
		compare_text(&c, f, false);
	fclose(f);
	return text;
}

static void hostile_names_are_escaped(void **state)
{
	struct result r;
	char *text;

	(void)state;
	sample_result_lossy(&r);
	poison(&r);
	text = sample_text(&r);
	is_clean(text);
	holds(text, "\\x1b]0;x\\x07");
	free(text);
	text = compare_of(&r, &r, false);
	is_clean(text);
	free(text);
	text = compare_of(&r, &r, true);
	is_clean(text);
	free(text);
	result_free(&r);
}

/* Figures that no run of ours has; the sanitizers watch. */
static void absurd_figures_do_no_harm(void **state)
{
	struct result r;

	(void)state;
	for (int what = 0; what < 3; what++) {
		char *text;

		sample_result_lossy(&r);
		for (size_t i = 0; i < r.nruns; i++) {
			struct result_run *run = &r.run[i];

			memset(run->source, what ? 0xff : 0, sizeof(run->source));
			run->source[0].names = run->source[0].checks_ok = what;
			run->source[0].external = (struct result_external){ 0 };
			run->source[0].ledger.identities_hold = what;
			run->source[0].ledger.books_checked = what;
			run->source[0].ledger.books_balance = what;
			run->source[1] = run->source[0];
			strcpy(run->source[0].name, "x");
			strcpy(run->source[1].name, "x");
			strcpy(run->source[0].ledger.books_why, "x");
			strcpy(run->source[1].ledger.books_why, "x");
			memset(&run->cross, what ? 0xff : 0, sizeof(run->cross));
			run->rate_per_s = what == 1 ? 1e308 : what == 2 ? NAN : 0;
			run->launches = 0;
			run->pause_s = run->rate_target = 1e300;
		}
		r.wall_time_s = INT64_MIN;
		r.config.duration_s = 1e308;
		assert_int_equal(result_summarise(&r), 0);
		text = sample_text(&r);
		each_line(text, line_fits);
		free(text);
		text = compare_of(&r, &r, false);
		free(text);
		result_free(&r);
	}
}

static void the_same_report_has_no_differences(void **state)
{
	struct result r;
	char *text;

	(void)state;
	sample_result_lossy(&r);
	text = compare_of(&r, &r, false);
	holds(text, "Different machine or settings\n  none\n");
	holds(text, "No difference beyond noise.");
	lacks(text, "faster");
	lacks(text, "unexplained losses");
	result_free(&r);
	each_line(text, line_fits);
	free(text);
}

static void differences_beyond_noise_are_worded(void **state)
{
	struct result a, b;
	char *text;

	(void)state;
	sample_result_small(&a, 6, 1);
	sample_result_small(&b, 6, 1.12);
	strcpy(b.host.kernel, "6.1.0");
	text = compare_of(&a, &b, false);
	holds(text, "kernel: A 6.18.44, B 6.1.0\n");
	holds(text, "no monitor: B is 12 % faster than A (");
	lacks(text, "No difference beyond noise");
	free(text);
	text = compare_of(&b, &a, false);
	holds(text, "no monitor: B is 11 % slower than A (");
	free(text);
	result_free(&b);

	sample_result_small(&b, 6, 1.001); /* within the noise */
	text = compare_of(&a, &b, false);
	lacks(text, "faster");
	free(text);
	result_free(&b);

	sample_result_small(&b, 3, 2); /* too few rounds to judge */
	text = compare_of(&a, &b, false);
	lacks(text, "faster");
	holds(text, "too few rounds");
	holds(text, "rounds: A 6, B 3");
	free(text);
	result_free(&b);
	result_free(&a);
}

static void losses_are_compared(void **state)
{
	struct result a, b;
	char *text;

	(void)state;
	sample_result(&a);
	sample_result_lossy(&b);
	text = compare_of(&a, &b, false);
	holds(text, "stall_ms: A 0, B 500");
	holds(text, "netlink: unexplained losses in B (17), none in A.");
	holds(text, "eBPF: B lost 0.0002 % of its events (1), A 0 % (0); this may be chance.");
	free(text);
	result_free(&a);
	result_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_line_is_wider_than_100_columns),
		cmocka_unit_test(columns_are_aligned),
		cmocka_unit_test(a_clean_run_reads_clean),
		cmocka_unit_test(whatever_went_wrong_is_said),
		cmocka_unit_test(loss_that_was_all_reported_is_forgiven),
		cmocka_unit_test(drops_of_others_are_said_too),
		cmocka_unit_test(without_an_unwatched_run_the_rate_is_shown),
		cmocka_unit_test(colour_carries_no_meaning),
		cmocka_unit_test(hostile_names_are_escaped),
		cmocka_unit_test(absurd_figures_do_no_harm),
		cmocka_unit_test(the_same_report_has_no_differences),
		cmocka_unit_test(differences_beyond_noise_are_worded),
		cmocka_unit_test(losses_are_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
