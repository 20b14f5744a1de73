// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "report/condition.h"
#include "sample_result.h"

enum { FALSE, TRUE, ABSENT };

static struct result good, lossy;

static int samples_make(void **state)
{
	(void)state;
	sample_result(&good);
	sample_result_lossy(&lossy);
	return 0;
}

static int samples_free(void **state)
{
	(void)state;
	result_free(&good);
	result_free(&lossy);
	return 0;
}

static int check(const char *text, const struct result *r, struct condition_outcome *out)
{
	static struct condition c; /* the outcome points to it */
	struct err e = { "" };
	int err = condition_parse(&c, text, &e);

	if (err)
		fail_msg("%s", e.text);
	err = condition_check(&c, &r, 1, out, &e);
	assert_true(err == 0 || (err == -ENOENT && strstr(e.text, text)));
	return err ? ABSENT : out->hits > 0;
}

static const struct {
	const char *text;
	int good, lossy;
} expressions[] = {
	{ "bpf.exec.lost>0", FALSE, TRUE },
	{ "bpf.exec.lost>=1", FALSE, TRUE },
	{ "bpf.exec.lost>1", FALSE, FALSE },
	{ "bpf.exec.lost==1", FALSE, TRUE },
	{ "bpf.exec.lost!=0", FALSE, TRUE },
	{ "bpf.exec.lost<1", TRUE, TRUE },
	{ "bpf.exec.lost<=0", TRUE, TRUE },
	{ "workers-4:bpf.exec.lost<1", TRUE, TRUE }, /* beside netlink it lost none */
	{ "serial:bpf.exec.lost>0", FALSE, FALSE },
	{ "workers-4:bpf.exec.lost>0", FALSE, TRUE },
	{ " workers-4 : bpf.exec.lost > 0 ", FALSE, TRUE },
	{ "  bpf.exec.lost  >  0  ", FALSE, TRUE },
	{ "bpf.all.unexplained>0", FALSE, FALSE },
	{ "netlink.all.unexplained>0", FALSE, TRUE },
	{ "netlink.lost_at.socket_dropped>1e3", FALSE, TRUE },
	{ "netlink.exec.reported_lost>0", ABSENT, ABSENT },
	{ "netlink.identified>0", ABSENT, ABSENT },
	{ "bpf.checks_ok==0", FALSE, TRUE },
	{ "bpf.latency_ns.p99>4e6", TRUE, TRUE },
	{ "bpf.cpu.reader_s>0", TRUE, TRUE },
	{ "bpf.cpu.kernel_ns.exec>0", FALSE, FALSE },
	{ "rate(none)<8000", FALSE, FALSE },
	{ "rate(none)>8000", TRUE, TRUE },
	{ "rate(bpf+netlink)>8000", TRUE, TRUE },
	{ "rate(nobody)>8000", ABSENT, ABSENT },
	{ "serial:rate(none)>15000", FALSE, FALSE },
	{ "workers-4:rate(none)>15000", TRUE, TRUE },
	{ "no such:rate(none)>15000", ABSENT, ABSENT },
	{ "slowdown(bpf)>2%", FALSE, FALSE },
	{ "slowdown(netlink)>2%", TRUE, TRUE },
	{ "slowdown(netlink)>2", TRUE, TRUE },
	{ "slowdown(none)>2", ABSENT, ABSENT },
	{ "delivered(netlink)<99.9%", FALSE, TRUE },
	{ "delivered(bpf)<100", FALSE, TRUE },
	{ "identified(netlink-names)<50%", TRUE, TRUE },
	{ "serial:identified(netlink-names)<50%", FALSE, FALSE },
	{ "identified(netlink)<50%", ABSENT, ABSENT },
	{ "cpu_us(bpf)>0.5", TRUE, TRUE },
	{ "cpu_us(bpf)>5", FALSE, FALSE },
};

static void expressions_hold_or_not(void **state)
{
	struct condition_outcome out;

	(void)state;
	for (size_t i = 0; i < sizeof(expressions) / sizeof(*expressions); i++) {
		print_message("%s\n", expressions[i].text);
		assert_int_equal(check(expressions[i].text, &good, &out), expressions[i].good);
		assert_int_equal(check(expressions[i].text, &lossy, &out), expressions[i].lossy);
	}
}

static void where_it_holds_is_told(void **state)
{
	const struct result *both[] = { &good, &lossy };
	struct condition c;
	struct condition_outcome out;
	struct err e;

	(void)state;
	assert_int_equal(condition_parse(&c, "bpf.exec.lost>0", &e), 0);
	assert_int_equal(condition_check(&c, both, 2, &out, &e), 0);
	assert_int_equal(out.hits, 1);
	assert_int_equal(out.report, 1);
	assert_true(out.value == 1);
	assert_string_equal(out.summary->scenario, "workers-4");
	assert_string_equal(out.summary->monitor, "bpf");
}

/* The whole interval must lie beyond the number; without one, the median. */
static void noise_does_not_count(void **state)
{
	struct result_summary s = { .scenario = "serial",
				    .monitor = "bpf",
				    .has_slowdown = true,
				    .slowdown_pct = { 3, 1, 5, true } };
	struct result r = { .summary = &s, .nsummaries = 1 };
	struct condition_outcome out;

	(void)state;
	assert_int_equal(check("slowdown(bpf)>2%", &r, &out), FALSE);
	assert_int_equal(check("slowdown(bpf)>0.5%", &r, &out), TRUE);
	assert_int_equal(check("slowdown(bpf)<4%", &r, &out), FALSE);
	assert_int_equal(check("slowdown(bpf)<6%", &r, &out), TRUE);
	assert_int_equal(check("slowdown(bpf)!=2", &r, &out), FALSE);
	assert_int_equal(check("slowdown(bpf)!=7", &r, &out), TRUE);
	s.slowdown_pct.valid = false;
	assert_int_equal(check("slowdown(bpf)>2%", &r, &out), TRUE);
	assert_int_equal(check("slowdown(bpf)>3%", &r, &out), FALSE);
}

static void mistakes_are_explained(void **state)
{
	static const struct {
		const char *text, *why;
	} table[] = {
		{ "", "names no figure" },
		{ ">0", "names no figure" },
		{ ":bpf.exec.lost>0", "names no scenario" },
		{ "bpf", "names no figure; write SOURCE.FIELD" },
		{ "bpf>0", "names no figure; write SOURCE.FIELD" },
		{ "bpf.>0", "no name behind a dot" },
		{ "bpf.exec>0", "stops at 'exec'" },
		{ "bpf.cpu.kernel_ns>0", "stops at 'kernel_ns'" },
		{ "bpf.exec.lots>0", "'lots', which exec has not: did you mean 'lost'?" },
		{ "bpf.excc.lost>0", "'excc', which a source has not: did you mean 'exec'?" },
		{ "bpf.exec.zzzzzzzz>0", "it has expected, matched, lost" },
		{ "bpf.exec.lost.more>0", "'lost', which has no parts" },
		{ "bpf.name>0", "'name', which is no number" },
		{ "bpf.exec.lost", "compares nothing" },
		{ "bpf.exec.lost=0", "compares nothing" },
		{ "bpf.exec.lost>", "needs a number behind '>'" },
		{ "bpf.exec.lost>=x", "needs a number behind '>='" },
		{ "bpf.exec.lost>nan", "needs a number" },
		{ "bpf.exec.lost>inf", "needs a number" },
		{ "bpf.exec.lost>0x10", "needs a number" },
		{ "bpf.exec.lost>0 and more", "goes on with 'and more'" },
		{ "bpf.exec.lost>1%", "% goes with slowdown" },
		{ "rate(none)>1%", "% goes with slowdown" },
		{ "slowdown(bpf)>1%%", "goes on with '%'" },
		{ "slowdwn(bpf)>1", "knows no 'slowdwn': did you mean 'slowdown'?" },
		{ "cost(bpf)>1", "there are rate, slowdown, delivered, identified and cpu_us" },
		{ "rate()>1", "needs the name of a monitor" },
		{ "delivered()>1", "needs the name of a source" },
		{ "rate(none>1", "has no ) behind 'none'" },
		{ "rate(none", "has no ) behind 'none'" },
	};
	struct condition c;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_int_equal(condition_parse(&c, table[i].text, &e), -EINVAL);
		if (!strstr(e.text, table[i].why) || strncmp(e.text, "--fail-if '", 11) != 0)
			fail_msg("%s\nhas not: %s", e.text, table[i].why);
	}
}

/* Every prefix of a long one, and names that are too long: no harm, one sentence. */
static void whatever_is_written_does_no_harm(void **state)
{
	char text[] = "workers-4:netlink.lost_at.socket_dropped >= 1000.5 %", longer[2048];
	struct condition c;
	struct err e;

	(void)state;
	for (size_t n = strlen(text); n > 0; n--) {
		text[n] = '\0';
		condition_parse(&c, text, &e);
	}
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(condition_parse(&c, longer, &e), -EINVAL);
	for (size_t i = 0; i < 4; i++) {
		longer[i * 300] = ".(:>"[i];
		assert_int_equal(condition_parse(&c, longer, &e), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_hold_or_not),
		cmocka_unit_test(where_it_holds_is_told),
		cmocka_unit_test(noise_does_not_count),
		cmocka_unit_test(mistakes_are_explained),
		cmocka_unit_test(whatever_is_written_does_no_harm),
	};

	return cmocka_run_group_tests_name("condition", tests, samples_make, samples_free);
}
