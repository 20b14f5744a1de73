// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample_result.h"

/* A private folder for each test; its path and "report.json" in it. */
struct place {
	char folder[64], file[96];
};

static int place_make(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	strcpy(p->folder, "/tmp/proctrace-test.XXXXXX");
	if (!mkdtemp(p->folder))
		return -1;
	snprintf(p->file, sizeof(p->file), "%s/report.json", p->folder);
	*state = p;
	return 0;
}

static int place_remove(void **state)
{
	struct place *p = *state;

	unlink(p->file);
	rmdir(p->folder);
	free(p);
	return 0;
}

static size_t files_in(const char *folder)
{
	DIR *d = opendir(folder);
	size_t n = 0;

	for (struct dirent *i; (i = readdir(d));)
		n += i->d_name[0] != '.' || strlen(i->d_name) > 2;
	closedir(d);
	return n;
}

static char *json_of(const struct result *r)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(result_write(r, f, NULL), 0);
	fclose(f);
	return text;
}

static void survives_a_file(struct place *p, const struct result *live)
{
	char *live_text = sample_text(live), *live_json = json_of(live), *text, *json;
	struct result loaded;
	struct err e;

	assert_int_equal(result_save(live, p->file, &e), 0);
	if (result_load(&loaded, p->file, &e))
		fail_msg("%s", e.text);
	text = sample_text(&loaded);
	json = json_of(&loaded);
	assert_string_equal(text, live_text);
	assert_string_equal(json, live_json);
	result_free(&loaded);
	free(live_text);
	free(live_json);
	free(text);
	free(json);
}

static void a_saved_report_prints_as_the_live_one(void **state)
{
	struct result r;

	sample_result(&r);
	survives_a_file(*state, &r);
	result_free(&r);
	sample_result_lossy(&r);
	survives_a_file(*state, &r);
	result_free(&r);
	sample_result_small(&r, 3, 1.0 / 3);
	survives_a_file(*state, &r);
	result_free(&r);
}

static void odd_values_survive(void **state)
{
	struct result r;

	sample_result_small(&r, 6, 1);
	r.run[1].rate_per_s = NAN;
	r.run[3].rate_per_s = 0.1 + 0.2;
	r.run[1].source[0].generated = LEDGER_UNKNOWN;
	r.run[1].source[0].names = false;
	r.run[1].source[0].ledger.kinds = EV_MASK(EV_EXIT);
	strcpy(r.host.cpu_model, "quote \" backslash \\ escape \033[2J µ");
	assert_int_equal(result_summarise(&r), 0);
	survives_a_file(*state, &r);
	result_free(&r);
}

static void nothing_measured_is_a_report_too(void **state)
{
	struct result r = { .interrupted = true };

	assert_int_equal(result_summarise(&r), 0);
	survives_a_file(*state, &r);
	result_free(&r);
}

static void unknown_and_absent_are_null(void **state)
{
	struct result r, loaded;
	struct err e;
	char *json;

	(void)state;
	sample_result_small(&r, 1, 1);
	r.run[1].source[0].ledger.kind[EV_EXEC].reported = LEDGER_UNKNOWN;
	r.run[1].source[0].names = false;
	assert_int_equal(result_summarise(&r), 0);
	json = json_of(&r);
	assert_non_null(strstr(json, "\"fork\": null"));
	assert_non_null(strstr(json, "\"reported_lost\": null"));
	assert_non_null(strstr(json, "\"identified\": null"));
	assert_non_null(strstr(json, "\"kernel_ns_per_event\": null"));
	/* One round has no interval. */
	assert_non_null(strstr(json, "\"lo\": null, \"hi\": null"));
	assert_int_equal(result_parse(&loaded, json, strlen(json), "x", &e), 0);
	assert_int_equal(loaded.run[1].source[0].ledger.kind[EV_EXEC].reported, LEDGER_UNKNOWN);
	assert_int_equal(loaded.run[1].source[0].ledger.kinds, EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT));
	assert_false(loaded.run[1].source[0].names);
	result_free(&loaded);
	result_free(&r);
	free(json);
}

/* @json with the first @from replaced by @to. */
static char *edited(const char *json, const char *from, const char *to)
{
	const char *at = strstr(json, from);
	char *out;

	if (!at)
		fail_msg("the report holds no %s", from);
	if (asprintf(&out, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from)) < 0)
		abort();
	return out;
}

static void refused(const char *text, const char *sentence)
{
	struct result r;
	struct err e = { "" };

	assert_int_not_equal(result_parse(&r, text, strlen(text), "x.json", &e), 0);
	if (!strstr(e.text, sentence) || strchr(e.text, '\n'))
		fail_msg("said: %s\nnot: %s", e.text, sentence);
	assert_null(r.run);
	assert_null(r.summary);
}

/* A good report with one thing changed. */
static const struct {
	const char *from, *to, *sentence;
} forgeries[] = {
	{ "report/1", "report/9", "'x.json' has the schema 'proctrace.report/9'" },
	{ "\"schema\"", "\"shema\"", "'x.json' is no report of proctrace" },
	{ "\"runs\": [", "\"runs\": 7, \"x\": [", "runs must be a list" },
	{ "\"runs\"", "\"rnus\"", "runs is missing" },
	{ "\"host\": {", "\"host\": 1, \"x\": {", "host must be an object" },
	{ "\"cpus\": 2", "\"cpus\": -2", "host.cpus must be a whole number, 0 or more" },
	{ "\"cpus\": 2", "\"cpus\": 4294967296", "host.cpus is too large" },
	{ "\"cpus\": 2", "\"cpus\": 2.5", "host.cpus must be a whole number" },
	{ "\"cpus\": 2", "\"cpus\": null", "host.cpus must be a whole number" },
	{ "\"cpus\": 2", "\"cpus\": 2, \"cpus\": 2", "is not JSON: line " },
	{ "\"launches\": ", "\"launches\": \"9\", \"x\": ",
	  "runs[0].load.launches must be a whole number" },
	{ "\"launches\": ", "\"launches\": 99999999999999999999, \"x\": ", "is not JSON" },
	{ "\"rate_per_s\": ", "\"rate_per_s\": -1, \"x\": ",
	  "runs[0].load.rate_per_s must be a number, 0 or more" },
	{ "\"rate_per_s\": ", "\"rate_per_s\": 1e999, \"x\": ", "is not JSON" },
	{ "\"matched\": ", "\"matched\": {}, \"x\": ",
	  "runs[1].sources[0].exec.matched must be a whole number" },
	{ "\"truth_full\": false", "\"truth_full\": 0",
	  "runs[0].load.truth_full must be true or false" },
	{ "\"scenario\": \"serial\"", "\"scenario\": \"0123456789012345678901234567890123456789\"",
	  "runs[0].scenario is too long a string" },
	{ "\"monitor\": \"none\"", "\"monitor\": 5", "runs[0].monitor must be a string" },
	{ "\"monitor\": \"none\"", "\"monitor\": \"\\u0000\"", "is not JSON" },
	{ "\"kernel\": \"6", "\"kernel\": \"\xff", "is not JSON" },
	{ "\"sources\": []", "\"sources\": [1]", "runs[0].sources[0] must be an object" },
	{ "\"started_unix_s\": 1", "\"started_unix_s\": 1.1",
	  "started_unix_s must be a whole number" },
};

static void a_hostile_report_gets_one_sentence(void **state)
{
	struct result r;
	char *json;

	(void)state;
	sample_result_small(&r, 1, 1);
	json = json_of(&r);
	for (size_t i = 0; i < sizeof(forgeries) / sizeof(*forgeries); i++) {
		char *text = edited(json, forgeries[i].from, forgeries[i].to);

		refused(text, forgeries[i].sentence);
		free(text);
	}
	refused("", "is not JSON");
	refused("[]", "is no report of proctrace");
	refused("{}", "is no report of proctrace");
	free(json);
	result_free(&r);
}

static void every_cut_of_a_report_is_refused(void **state)
{
	struct result r, cut;
	struct err e;
	char *json;

	(void)state;
	sample_result_small(&r, 1, 1);
	json = json_of(&r);
	for (size_t n = 0; n + 2 < strlen(json); n += 7)
		assert_int_equal(result_parse(&cut, json, n, "x", &e), -22);
	free(json);
	result_free(&r);
}

static void too_many_sources_are_refused(void **state)
{
	struct result r;
	char *json, *start, *end, *text;

	(void)state;
	sample_result_small(&r, 1, 1);
	json = json_of(&r);
	start = strstr(strstr(json, "\"bpf\""), "\"sources\": [") + strlen("\"sources\": [");
	end = strstr(start, "\n      ],");
	if (asprintf(&text, "%.*s,%.*s,%s", (int)(end - json), json, (int)(end - start), start,
		     start) < 0)
		abort();
	refused(text, "runs[1].sources[2] is more than can be read (at most 2 sources a run)");
	free(text);
	free(json);
	result_free(&r);
}

static void a_file_that_is_too_big_is_refused(void **state)
{
	struct place *p = *state;
	struct result r;
	struct err e;
	FILE *f = fopen(p->file, "w");

	assert_int_equal(ftruncate(fileno(f), 65L << 20), 0);
	fclose(f);
	assert_int_not_equal(result_load(&r, p->file, &e), 0);
	assert_non_null(strstr(e.text, "is too big for a report"));
}

static void loading_names_the_file(void **state)
{
	struct place *p = *state;
	struct result r;
	struct err e;

	assert_int_not_equal(result_load(&r, p->file, &e), 0);
	assert_non_null(strstr(e.text, p->file));
	assert_int_not_equal(result_load(&r, p->folder, &e), 0);
	assert_non_null(strstr(e.text, "Is a directory"));
}

static void saving_replaces_or_leaves_all_as_it_was(void **state)
{
	struct place *p = *state;
	struct rlimit old, small;
	struct result r, loaded;
	struct err e;
	int rc;

	sample_result_small(&r, 1, 1);
	assert_int_equal(result_save(&r, p->file, &e), 0);
	result_free(&r);

	/* A disk that is full after 4 KiB. */
	sample_result_small(&r, 6, 1);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){ 4096, old.rlim_max };
	setrlimit(RLIMIT_FSIZE, &small);
	rc = result_save(&r, p->file, &e);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_not_equal(rc, 0);
	assert_non_null(strstr(e.text, p->file));
	assert_int_equal(files_in(p->folder), 1);
	assert_int_equal(result_load(&loaded, p->file, &e), 0);
	assert_int_equal(loaded.config.rounds, 1);
	result_free(&loaded);

	assert_int_equal(result_save(&r, p->file, &e), 0);
	assert_int_equal(files_in(p->folder), 1);
	assert_int_equal(result_load(&loaded, p->file, &e), 0);
	assert_int_equal(loaded.config.rounds, 6);
	result_free(&loaded);
	result_free(&r);
}

static void saving_says_why_it_cannot(void **state)
{
	struct place *p = *state;
	struct result r;
	struct err e;

	sample_result_small(&r, 1, 1);
	assert_int_not_equal(result_save(&r, "/nonexistent/report.json", &e), 0);
	assert_string_equal(e.text, "cannot write the report '/nonexistent/report.json': "
				    "No such file or directory");
	assert_int_not_equal(result_save(&r, p->folder, &e), 0);
	assert_non_null(strstr(e.text, "Is a directory"));
	assert_int_not_equal(result_save(&r, "/dev/full", &e), 0);
	assert_non_null(strstr(e.text, "'/dev/full': No space left on device"));
	assert_int_equal(result_save(&r, "/dev/null", &e), 0);
	result_free(&r);
}

static void a_saved_file_has_the_permissions_of_a_new_one(void **state)
{
	struct place *p = *state;
	mode_t old = umask(027);
	struct result r;
	struct stat st;
	struct err e;

	sample_result_small(&r, 1, 1);
	assert_int_equal(result_save(&r, p->file, &e), 0);
	umask(old);
	assert_int_equal(stat(p->file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	result_free(&r);
}

static void a_link_stays_a_link(void **state)
{
	struct place *p = *state;
	char link_path[96];
	struct result r;
	struct stat st;
	struct err e;

	snprintf(link_path, sizeof(link_path), "%s/link", p->folder);
	sample_result_small(&r, 1, 1);
	assert_int_equal(result_save(&r, p->file, &e), 0);
	assert_int_equal(symlink("report.json", link_path), 0);
	assert_int_equal(result_save(&r, link_path, &e), 0);
	assert_int_equal(lstat(link_path, &st), 0);
	unlink(link_path);
	assert_true(S_ISLNK(st.st_mode));
	result_free(&r);
}

int main(void)
{
#define IN_PLACE(f) cmocka_unit_test_setup_teardown(f, place_make, place_remove)
	const struct CMUnitTest tests[] = {
		IN_PLACE(a_saved_report_prints_as_the_live_one),
		IN_PLACE(odd_values_survive),
		IN_PLACE(nothing_measured_is_a_report_too),
		cmocka_unit_test(unknown_and_absent_are_null),
		cmocka_unit_test(a_hostile_report_gets_one_sentence),
		cmocka_unit_test(every_cut_of_a_report_is_refused),
		cmocka_unit_test(too_many_sources_are_refused),
		IN_PLACE(a_file_that_is_too_big_is_refused),
		IN_PLACE(loading_names_the_file),
		IN_PLACE(saving_replaces_or_leaves_all_as_it_was),
		IN_PLACE(saving_says_why_it_cannot),
		IN_PLACE(a_saved_file_has_the_permissions_of_a_new_one),
		IN_PLACE(a_link_stays_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
