// SPDX-License-Identifier: MIT
/* Why ours differ from the article's: sentences that each rest on a figure of this very run. */
#include "report/article.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* µs a launch, and how many a second that are. */
static void add_cost(struct line *l, const char *what, double us)
{
	if (us > 0)
		line_add(l, "%s%s %s" NBSP "µs (%s/s)", l->s[l->n - 1] == ':' ? " " : ", ", what,
			 fmt_real(us, 3).s, fmt_real(1e6 / us, 3).s);
}

static double rate_of(const struct result *r, const char *scenario)
{
	const struct result_summary *none = summary_find(r, scenario, "none");

	return none ? none->rate_per_s.median : 0;
}

static double better(double slow_us, double fast_us)
{
	return fast_us > 0 ? slow_us / fast_us : 0;
}

static void why_serial(struct page *p, const struct result *r)
{
	const double app = article_figure(r, "target.testApp"),
		     t = article_figure(r, "target.true");
	const double given = article_figure(r, "target.given");
	struct line l = { .n = 0 };

	if (!(app > 0))
		return;
	line_add(&l, "What is started. A launch takes, with:");
	add_cost(&l, "testApp without a C library", app);
	add_cost(&l, "/bin/true with its dynamic one", t);
	add_cost(&l, fmt_name(r->config.target).s, given);
	if (t > 0)
		line_add(&l, ". The start of a C library alone makes it %s times as long",
			 fmt_real(better(t, app), 2).s);
	if (given > 0)
		line_add(&l, "; %s, %s times", fmt_name(r->config.target).s,
			 fmt_real(better(given, app), 2).s);
	line_add(&l, ".");
	if (!(given > 0))
		line_add(&l, " A program in Go starts a run time besides: give one by --target to "
			     "see what it takes.");
	page_say(p, STYLE_PLAIN, 2, l.s);

	l = (struct line){ .n = 0 };
	line_add(&l, "How it is started. A launch of testApp takes, by:");
	add_cost(&l, "vfork", app);
	add_cost(&l, "fork", article_figure(r, "method.fork"));
	add_cost(&l, "posix_spawn", article_figure(r, "method.spawn"));
	line_add(&l, ".");
	page_say(p, STYLE_PLAIN, 2, l.s);
}

static void why_pause(struct page *p, const struct result *r)
{
	const double asleep = article_figure(r, "sleep.3us");
	const double plain = article_figure(r, "nowait.plain"),
		     paused = article_figure(r, "nowait.pause");
	struct line l = { .n = 0 };

	if (!(asleep > 0) || !(plain > 0) || !(paused > 0))
		return;
	line_add(&l,
		 "The pause. A sleep of 3" NBSP "µs lasts %s" NBSP
		 "µs here (timer slack and waking up); starts without waiting take %s" NBSP
		 "µs each, with the pause %s" NBSP "µs. ",
		 fmt_real(asleep, 2).s, fmt_real(plain, 3).s, fmt_real(paused, 3).s);
	if (article_compare(r, "nowait.pause", "nowait.plain") > 0)
		line_add(&l,
			 "So %s" NBSP
			 "µs of each start are the pause, %s times what was asked for.",
			 fmt_real(paused - plain, 2).s, fmt_real((paused - plain) / 3, 2).s);
	else
		line_add(&l,
			 "The two cannot be told apart; a difference of %s" NBSP
			 "µs would have shown.",
			 fmt_real(article_detectable(r, "nowait.pause", "nowait.plain"), 3).s);
	page_say(p, STYLE_PLAIN, 2, l.s);
}

static void why_burst(struct page *p, const struct result *r)
{
	const double plain = article_figure(r, "nowait.plain"),
		     one = article_figure(r, "nowait.one");
	const double fds = article_figure(r, "nowait.fds"), fork = article_figure(r, "nowait.fork");
	const double mib = article_figure(r, "nowait.mib_fork"),
		     vmib = article_figure(r, "nowait.mib");
	const double serial = rate_of(r, "serial"), burst = rate_of(r, "burst");
	struct line l = { .n = 0 };

	if (!(plain > 0) || !(serial > 0) || !(burst > 0))
		return;
	line_add(&l,
		 "All at once. The article's launcher was slower with it (488 against 800/s); ours "
		 "starts %s/s against %s/s. ",
		 fmt_real(burst, 3).s, fmt_real(serial, 3).s);
	if (one > 0)
		line_add(&l,
			 "With one alive at a time a start takes %s" NBSP
			 "µs, with all that may live %s" NBSP "µs",
			 fmt_real(one, 3).s, fmt_real(plain, 3).s);
	if (one > 0 && article_compare(r, "nowait.plain", "nowait.one") > 0)
		line_add(&l, ": many alive make it slower. ");
	else if (one > 0)
		line_add(&l,
			 ": that many live is not seen to make it slower; a difference of %s" NBSP
			 "µs would have shown. ",
			 fmt_real(article_detectable(r, "nowait.plain", "nowait.one"), 3).s);
	if (fds > 0)
		line_add(
			&l,
			"A launcher that holds %s open descriptors (os/exec opens three a command) "
			"needs %s" NBSP "µs (%s/s). ",
			fmt_real(article_of(r, "nowait.fds"), 3).s, fmt_real(fds, 3).s,
			fmt_real(1e6 / fds, 3).s);
	if (fork > 0 && mib > 0 && vmib > 0)
		line_add(&l,
			 "One that holds %s" NBSP "MiB needs %s" NBSP
			 "µs by fork instead of %s, and %s by vfork.",
			 fmt_real(article_of(r, "nowait.mib"), 3).s, fmt_real(mib, 3).s,
			 fmt_real(fork, 3).s, fmt_real(vmib, 3).s);
	page_say(p, STYLE_PLAIN, 2, l.s);
}

/* "1: 10 900/s, 85 µs" for each number of workers; and from which one on there is no more than 5 % to win. */
static void why_workers(struct page *p, const struct result *r)
{
	static const char *const counts[] = { "1", "2", "4", "10" };
	double best = 0;
	const char *enough = NULL;
	struct line l = { .n = 0 };

	line_add(&l, "More workers. By their number, launches/s and the median launch:");
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct line name = { .n = 0 }, latency = { .n = 0 };
		double us;

		line_add(&name, "workers.%s", counts[i]);
		line_add(&latency, "latency.%s", name.s);
		us = article_figure(r, name.s);
		if (!(us > 0))
			return;
		line_add(&l, "%s%s: %s/s, %s" NBSP "µs", i ? "; " : " ", counts[i],
			 fmt_real(1e6 / us, 3).s, fmt_real(article_figure(r, latency.s), 3).s);
		if (!enough || 1e6 / us > 1.05 * best) {
			best = 1e6 / us;
			enough = counts[i];
		}
	}
	line_add(&l,
		 ". On these %u CPUs more than %s worker%s gain%s less than 5" NBSP
		 "%% and make%s each launch longer.",
		 r->host.cpus, enough, plural((uint64_t)atoi(enough)),
		 strcmp(enough, "1") == 0 ? "s" : "", strcmp(enough, "1") == 0 ? "s" : "");
	page_say(p, STYLE_PLAIN, 2, l.s);
}

static void why_cpu(struct page *p, const struct result *r)
{
	const struct article_cpu none = article_cpu(r, "serial", "none");
	const struct article_cpu names = article_cpu(r, "serial", "netlink-names");
	const double rate = rate_of(r, "serial");
	struct line l = { .n = 0 };

	if (!(rate > 0) || !(none.generator > 0))
		return;
	line_add(&l,
		 "CPU. The article's generator took 12.3" NBSP "%% of a CPU for 800/s: %s" NBSP
		 "µs a launch; ours %s" NBSP "%% for %s/s: %s" NBSP
		 "µs, and what it launches %s" NBSP "%%. ",
		 fmt_real(ARTICLE_GENERATOR_CPU * 1e4 / ARTICLE_SERIAL_RATE, 3).s,
		 fmt_real(none.generator, 3).s, fmt_real(rate, 3).s,
		 fmt_real(none.generator * 1e4 / rate, 3).s, fmt_real(none.launched, 3).s);
	if (names.reader > 0)
		line_add(&l,
			 "Its monitor took about 10" NBSP "%%: %s" NBSP
			 "µs a launch; ours that reads names %s" NBSP "%%.",
			 fmt_real(ARTICLE_MONITOR_CPU * 1e4 / ARTICLE_SERIAL_RATE, 3).s,
			 fmt_real(names.reader, 3).s);
	page_say(p, STYLE_PLAIN, 2, l.s);
}

/* Over all experiments of one monitor: launches, what was lost of their events, what was named. */
struct tally {
	uint64_t launches, events, lost, named;
	double top_rate, least_named; /* the highest rate; the smallest share */
	const char *least_in;
};

static struct tally tally_of(const struct result *r, const char *monitor)
{
	struct tally t = { .least_named = 1 };

	for (size_t i = 0; i < r->nsummaries; i++) {
		const struct result_summary *s = &r->summary[i];
		const struct ledger *l = &s->source[0].ledger;
		double share;

		if (strcmp(s->study, ARTICLE_STUDY) != 0 || strcmp(s->monitor, monitor) != 0 ||
		    !s->nsources || l->all.lost == LEDGER_UNKNOWN ||
		    l->identified == LEDGER_UNKNOWN || !l->kind[EV_EXEC].expected)
			continue;
		t.launches += l->kind[EV_EXEC].expected;
		t.events += l->all.expected;
		t.lost += l->all.lost;
		t.named += l->identified;
		t.top_rate = fmax(t.top_rate, s->rate_per_s.median);
		share = (double)l->identified / (double)l->kind[EV_EXEC].expected;
		if (share < t.least_named) {
			t.least_named = share;
			t.least_in = s->scenario;
		}
	}
	return t;
}

static void why_lost(struct page *p, const struct tally *netlink)
{
	struct line l = { .n = 0 };

	if (!netlink->launches)
		return;
	line_add(&l,
		 "None lost. Delivered is not identified: netlink lost %s of %s events here, "
		 "and its monitor could name %s" NBSP
		 "%% of the programs; the others were gone when it read /proc.",
		 fmt_count(netlink->lost).s, fmt_count(netlink->events).s,
		 fmt_percent(netlink->named, netlink->launches).s);
	if (netlink->least_in)
		line_add(&l, " Fewest in %s: %s" NBSP "%%.", fmt_name(netlink->least_in).s,
			 fmt_real(netlink->least_named * 100, 3).s);
	line_add(&l,
		 " Counting names that contain \"testApp\", it would have said %s of %s launches.",
		 fmt_count(netlink->named).s, fmt_count(netlink->launches).s);
	page_say(p, STYLE_PLAIN, 2, l.s);
}

/* How much was lost, as what may be said of it. */
static void add_lost(struct line *l, const struct tally *t)
{
	if (t->lost)
		line_add(l, "lost %s of %s events", fmt_count(t->lost).s, fmt_count(t->events).s);
	else
		line_add(l, "lost 0 of %s launches (less than %s" NBSP "%% at 95" NBSP "%%)",
			 fmt_count(t->launches).s, fmt_bound(stats_zero_of_n(t->launches) * 100).s);
}

static void questions_print(struct page *p, const struct result *r, const struct tally *bpf,
			    const struct tally *netlink)
{
	const double serial = rate_of(r, "serial");
	const char *best = "serial";
	double most = serial;
	struct line l = { .n = 0 };

	for (size_t i = 0; i < r->nsummaries; i++)
		if (strcmp(r->summary[i].study, ARTICLE_STUDY) == 0 &&
		    rate_of(r, r->summary[i].scenario) > most) {
			best = r->summary[i].scenario;
			most = rate_of(r, best);
		}
	page_blank(p);
	page_say(p, STYLE_TITLE, 0, "The article's two questions, for this machine");
	line_add(
		&l,
		"How many processes can be started a second? %s, one after the other (the article: "
		"about 800), and at most %s, in %s.",
		fmt_real(serial, 3).s, fmt_real(most, 3).s, fmt_name(best).s);
	page_say(p, STYLE_PLAIN, 2, l.s);
	l = (struct line){ .n = 0 };
	if (!bpf->launches || !netlink->launches)
		return;
	line_add(&l, "Is every one of them seen? At up to %s/s eBPF ",
		 fmt_real(bpf->top_rate, 3).s);
	add_lost(&l, bpf);
	line_add(&l, " and named %s" NBSP "%%; netlink ", fmt_percent(bpf->named, bpf->launches).s);
	add_lost(&l, netlink);
	line_add(&l, " and named %s" NBSP "%%.", fmt_percent(netlink->named, netlink->launches).s);
	page_say(p, STYLE_PLAIN, 2, l.s);
}

void article_why_print(struct page *p, const struct result *r)
{
	const struct tally bpf = tally_of(r, "bpf"), netlink = tally_of(r, "netlink-names");

	page_blank(p);
	page_say(p, STYLE_TITLE, 0, "Why ours differ, by what was measured in this run");
	why_serial(p, r);
	why_pause(p, r);
	why_workers(p, r);
	why_burst(p, r);
	why_cpu(p, r);
	why_lost(p, &netlink);
	questions_print(p, r, &bpf, &netlink);
}
