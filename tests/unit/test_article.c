// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "report/article.h"
#include "sample_result.h"

static void run_add(struct result *r, const char *scenario, const char *monitor, uint32_t sequence,
		    double rate)
{
	struct result_run *run = result_add_run(r);
	struct result_source *s = &run->source[0];

	strcpy(run->scenario, scenario);
	strcpy(run->monitor, monitor);
	strcpy(run->study, ARTICLE_STUDY);
	run->round = 1;
	run->sequence = sequence;
	run->rate_per_s = rate;
	run->launches = 1000;
	run->duration_s = 1000 / rate;
	run->cpu_s = run->duration_s / 10;
	if (strcmp(monitor, "none") == 0)
		return;
	run->nsources = 1;
	strcpy(s->name, monitor);
	s->checks_ok = s->ledger.identities_hold = true;
	s->ledger.books_checked = s->ledger.books_balance = s->names = true;
	s->ledger.kinds = EV_MASK(EV_EXEC);
	s->ledger.kind[EV_EXEC].expected = s->ledger.kind[EV_EXEC].matched = 1000;
	s->ledger.all.expected = s->ledger.all.matched = 2000;
	s->ledger.identified = strcmp(monitor, "bpf") == 0 ? 1000 : 250;
	s->reader_sys_s = run->duration_s / 5;
}

static void figure_add(struct result *r, const char *name, double lo, double hi, double of)
{
	struct explain_figure *f = result_add_figure(r);

	strcpy(f->name, name);
	f->value = (struct interval){ .median = (lo + hi) / 2, .lo = lo, .hi = hi, .valid = true };
	f->n = of;
}

static void result_make(struct result *r)
{
	static const char *const scenarios[] = { "serial", "pause", "workers-3", "burst" };
	uint32_t at = 0;

	*r = (struct result){ 0 };
	strcpy(r->config.target, "testApp");
	r->host.cpus = 2;
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++) {
		run_add(r, scenarios[i], "none", ++at, 8000);
		run_add(r, scenarios[i], "bpf", ++at, 8000);
		run_add(r, scenarios[i], "none", ++at, 8000);
		run_add(r, scenarios[i], "netlink-names", ++at, 4000);
		run_add(r, scenarios[i], "none", ++at, 8000);
		at++;
	}
	figure_add(r, "target.testApp", 90, 110, 0);
	figure_add(r, "target.true", 380, 420, 0);
	figure_add(r, "method.fork", 150, 160, 0);
	figure_add(r, "method.spawn", 120, 130, 0);
	figure_add(r, "nowait.plain", 80, 90, 0);
	figure_add(r, "nowait.one", 85, 95, 0);
	figure_add(r, "nowait.pause", 140, 150, 0);
	figure_add(r, "nowait.fds", 1300, 1400, 10000);
	figure_add(r, "nowait.fork", 150, 160, 0);
	figure_add(r, "nowait.mib_fork", 9000, 9100, 256);
	figure_add(r, "nowait.mib", 80, 90, 256);
	figure_add(r, "workers.1", 95, 105, 1);
	figure_add(r, "workers.2", 50, 50, 2);
	figure_add(r, "workers.4", 49, 49, 4);
	figure_add(r, "workers.10", 49, 51, 10);
	figure_add(r, "latency.workers.1", 95, 105, 1);
	figure_add(r, "sleep.3us", 57, 59, 0);
	assert_int_equal(result_summarise(r), 0);
}

/* The text on one line, so that no line end stands in the way of a search. */
static char *flat_text(const struct result *r)
{
	char *text = sample_text(r), *to = text;

	for (const char *from = text; *from; from++) {
		bool blank = *from == ' ' || *from == '\n';

		if (!blank)
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	*to = '\0';
	return text;
}

/* cmocka cuts long messages, so the text goes before it. */
static void holds(const char *text, const char *part)
{
	if (strstr(text, part))
		return;
	fprintf(stderr, "%s\n", text);
	fail_msg("no '%s' in it", part);
}

static void figures_of_the_article_beside_ours(void **state)
{
	struct result r;
	char *text;

	(void)state;
	result_make(&r);
	text = flat_text(&r);
	holds(text, "serial 800 8 000 10 ");
	holds(text, "pause 586 8 000 14 ");
	holds(text, "workers-3 936 8 000 8.5 ");
	holds(text, "burst 488 8 000 16 ");
	holds(text, "~ 50 10.0 20 20 100 25.0 0"); /* slowed, CPU, named, lost */
	free(text);
	result_free(&r);
}

static void each_difference_has_a_figure(void **state)
{
	struct result r;
	char *text;

	(void)state;
	result_make(&r);
	text = flat_text(&r);
	holds(text, "testApp without a C library 100 µs (10 000/s), /bin/true with its dynamic one "
		    "400 µs");
	holds(text, "makes it 4.0 times as long");
	holds(text, "A sleep of 3 µs lasts 58 µs here");
	holds(text, "So 60 µs of each start are the pause, 20 times what was asked for.");
	holds(text, "a difference of 10.0 µs would have shown");
	holds(text, "holds 10 000 open descriptors (os/exec opens three a command) needs 1 350 µs");
	holds(text, "holds 256 MiB needs 9 050 µs by fork instead of 155, and 85.0 by vfork");
	holds(text, "more than 2 workers gain less than 5 % and make each launch longer");
	holds(text, "its monitor could name 25.0 % of the programs");
	holds(text, "it would have said 1 000 of 4 000 launches");
	free(text);
	result_free(&r);
}

static void both_questions_are_answered(void **state)
{
	struct result r;
	char *text;

	(void)state;
	result_make(&r);
	text = flat_text(&r);
	holds(text, "8 000, one after the other (the article: about 800)");
	holds(text, "eBPF lost 0 of 4 000 launches (less than 0.08 % at 95 %) and named 100 %");
	holds(text, "and named 25.0 %.");
	free(text);
	result_free(&r);
}

/* What cannot be told apart is not claimed. */
static void no_claim_where_intervals_overlap(void **state)
{
	struct result r;
	char *text;

	(void)state;
	result_make(&r);
	for (size_t i = 0; i < r.nfigures; i++)
		if (strcmp(r.figure[i].name, "nowait.pause") == 0)
			r.figure[i].value.lo = 85;
	text = flat_text(&r);
	holds(text, "The two cannot be told apart");
	free(text);
	result_free(&r);
}

static void without_figures_nothing_is_explained(void **state)
{
	struct result r;
	char *text;

	(void)state;
	result_make(&r);
	r.nfigures = 0;
	text = flat_text(&r);
	assert_null(strstr(text, "What is started"));
	assert_null(strstr(text, "The pause."));
	holds(text, "The article's two questions");
	free(text);
	result_free(&r);
}

static void lines_fit_and_figures_survive_saving(void **state)
{
	struct result r, again = { 0 };
	char *text, *json = NULL, *copy;
	size_t len = 0;
	struct err e;
	FILE *f = open_memstream(&json, &len);

	(void)state;
	result_make(&r);
	assert_int_equal(result_write(&r, f, &e), 0);
	fclose(f);
	assert_int_equal(result_parse(&again, json, len, "memory", &e), 0);
	text = sample_text(&r);
	copy = sample_text(&again);
	assert_string_equal(text, copy);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (escape_columns(line, strlen(line), SIZE_MAX, NULL) > 100)
			fail_msg("too wide: %s", line);
	free(text);
	free(copy);
	free(json);
	result_free(&r);
	result_free(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_of_the_article_beside_ours),
		cmocka_unit_test(each_difference_has_a_figure),
		cmocka_unit_test(both_questions_are_answered),
		cmocka_unit_test(no_claim_where_intervals_overlap),
		cmocka_unit_test(without_figures_nothing_is_explained),
		cmocka_unit_test(lines_fit_and_figures_survive_saving),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
