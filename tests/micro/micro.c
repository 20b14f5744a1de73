// SPDX-License-Identifier: MIT
/*
 * What the program's small steps cost: ns per operation, and the ratio to a reference loop that is run
 * next to each of them, so that results of other days and machines compare.
 *
 *     micro [--save FILE] [--baseline FILE]
 *
 * --baseline compares ratios with those of a saved run; an operation that has become more than a
 * quarter dearer is named, and the status is 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/hist.h"
#include "base/stats.h"
#include "bench/reconcile.h"
#include "bench/record_sink.h"
#include "event/recformat.h"
#include "sink/json.h"
#include "sink/text.h"
#include "source/cnproc.h"

#define SLICES 21
#define SLICE_NS (4 * NSEC_PER_MSEC)
#define DEARER 1.25
#define LAUNCHES 100003U
#define MAX_LAUNCH_PIDS 32000U

/* ---- what is measured: each does its thing @n times ------------------------------------------- */

static volatile uint64_t result; /* so that nothing is optimised away */

static void reference(size_t n)
{
	uint64_t x = result | 1;

	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	result = x;
}

static struct event sample_exec(void)
{
	static const char args[] = "/usr/bin/cc\0-O2\0-g\0-Wall\0-c\0main.c\0-o\0main.o";
	struct event ev = event_empty(EV_EXEC);

	ev.cpu = 1;
	ev.ts_ns = 123456789012345;
	ev.rx_ns = ev.ts_ns + 2003;
	ev.pid = ev.tid = 23456;
	ev.ppid = 2345;
	ev.uid = 0;
	ev.cgroup_id = 1;
	memcpy(ev.comm, "cc", 3);
	ev.path = (struct str){ "/usr/bin/cc", 11 };
	ev.args = (struct str){ args, sizeof(args) };
	return ev;
}

static void parse_datagram(size_t n)
{
	const struct nlmsghdr nl = { .nlmsg_len = 76, .nlmsg_type = NLMSG_DONE };
	const struct cn_msg cn = { .id = { CN_IDX_PROC, CN_VAL_PROC }, .len = 40 };
	const struct proc_event pe = { .what = PROC_EVENT_EXEC, .timestamp_ns = 12345 };
	struct cnproc_msg m;
	char d[76];

	memcpy(d, &nl, sizeof(nl));
	memcpy(d + sizeof(nl), &cn, sizeof(cn));
	memcpy(d + sizeof(nl) + sizeof(cn), &pe, sizeof(pe));
	for (size_t i = 0; i < n; i++) {
		d[40] = (char)i;
		result += (uint64_t)cnproc_parse(d, sizeof(d), &m) + m.cpu;
	}
}

static void decode_recorded(size_t n)
{
	const struct event ev = sample_exec();
	uint8_t buf[1024];
	struct recformat_item item;
	size_t size = recformat_event_size(&ev);

	recformat_put_event(buf, &ev);
	for (size_t i = 0; i < n; i++)
		result += (uint64_t)recformat_get(buf, size, &item, &size, NULL);
}

static void sink_feed(struct sink *s, size_t n)
{
	struct event ev = sample_exec();

	if (!s)
		abort();
	for (size_t i = 0; i < n; i++) {
		ev.pid = 1000 + (pid_t)(i % 30000);
		ev.ts_ns += 40000;
		sink_event(s, &ev);
	}
	s->ops->close(s);
}

static int null_fd;

static void format_json(size_t n)
{
	const struct sink_json_cfg cfg = { .fd = null_fd, .wall_known = true };

	sink_feed(sink_json_new(&cfg), n);
}

static void format_text(size_t n)
{
	const struct sink_text_cfg cfg = { .fd = null_fd, .wall_known = true };

	sink_feed(sink_text_new(&cfg), n);
}

static void escape_plain(size_t n)
{
	static const char text[] = "/usr/lib/x86_64-linux-gnu/libexec/some-helper";
	char dst[ESCAPE_TEXT_MAX(sizeof(text))];

	for (size_t i = 0; i < n; i++)
		result += escape_text(dst, sizeof(dst), text, sizeof(text) - 1);
}

static void escape_hostile(size_t n)
{
	static const char text[] = "\033]0;\xff\xfe\nabc\\\"\x80 d\x7f\xc3\xa4\xe2\x80\xae";
	char dst[ESCAPE_JSON_MAX(sizeof(text))];

	for (size_t i = 0; i < n; i++)
		result += escape_json(dst, sizeof(dst), text, sizeof(text) - 1, NULL);
}

static void hist_insert(size_t n)
{
	static struct hist h;
	uint64_t x = 88172645463325252ULL;

	hist_init(&h);
	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		hist_add(&h, x >> 36);
	}
	result += h.n;
}

static void record_event(size_t n)
{
	static const char names[1][16] = { "cc" };
	struct recording rec = { 0 };

	if (recording_init(&rec, n))
		abort();
	sink_feed(record_sink_new(&rec, names, 1), n);
	recording_free(&rec);
}

/* One operation is one launch with its exec and exit. */
static void reconcile_launch(size_t n)
{
	static struct truth truth;
	static struct truth_launch launch[LAUNCHES];
	struct recording rec = { 0 };
	struct source_stats st = { .naccounts = 1,
				   .account[0].kinds = EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT) };
	const struct reconcile_cfg cfg = { 0 };
	struct ledger ledger;

	if (n > LAUNCHES)
		n = LAUNCHES;
	if (recording_init(&rec, 2 * n))
		abort();
	for (uint32_t i = 0; i < n; i++) {
		uint64_t t = 1000 + i * 100ULL;
		uint32_t pid = 300 + i % MAX_LAUNCH_PIDS;

		launch[i] = (struct truth_launch){ t, t + 90, (pid_t)pid, 0, 0, 0 };
		rec.rec[2 * i] = (struct rec){ .ts_ns = t + 30, .pid = pid, .kind = EV_EXEC };
		rec.rec[2 * i + 1] = (struct rec){ .ts_ns = t + 60, .pid = pid, .kind = EV_EXIT };
	}
	atomic_store(&rec.n, 2 * n);
	truth.nsegments = 1;
	truth.segment[0] = (struct truth_segment){ launch, n };
	if (reconcile(&truth, &rec, &st, &cfg, &ledger, NULL, NULL) || ledger.all.lost)
		abort();
	recording_free(&rec);
}

static const struct {
	const char *name;
	void (*run)(size_t n);
	size_t most; /* operations in one call; 0: any number */
} table[] = {
	{ "parse a datagram", parse_datagram, 0 },
	{ "decode a recorded event", decode_recorded, 0 },
	{ "format an exec as JSON", format_json, 0 },
	{ "format an exec as text", format_text, 0 },
	{ "escape 45 plain bytes", escape_plain, 0 },
	{ "escape 20 hostile bytes", escape_hostile, 0 },
	{ "histogram insert", hist_insert, 0 },
	{ "record an event", record_event, 1000003 },
	{ "reconcile a launch", reconcile_launch, LAUNCHES },
};

#define ROWS (sizeof(table) / sizeof(table[0]))

/* ---- measuring -------------------------------------------------------------------------------- */

static double ns_per_op(void (*run)(size_t), size_t n)
{
	uint64_t begin = clock_now_ns();

	run(n);
	return (double)(clock_now_ns() - begin) / (double)n;
}

/* As many operations as fill a slice. */
static size_t calibrate(void (*run)(size_t), size_t most)
{
	size_t n = 16;

	for (;;) {
		uint64_t begin = clock_now_ns();

		if (most && n >= most)
			return most;
		run(n);
		if (clock_now_ns() - begin >= SLICE_NS)
			return n;
		n *= 2;
	}
}

struct figure {
	double ns, ratio;
};

/* Operation and reference in turn: what slows the machine down slows both. */
static struct figure measure(size_t row)
{
	size_t n = calibrate(table[row].run, table[row].most), r = calibrate(reference, 0);
	double ns[SLICES], ratio[SLICES];

	for (int i = 0; i < SLICES; i++) {
		double ref = ns_per_op(reference, r);

		ns[i] = ns_per_op(table[row].run, n);
		ratio[i] = ns[i] / ref;
	}
	return (struct figure){ stats_median_ci(ns, SLICES).median,
				stats_median_ci(ratio, SLICES).median };
}

/* ---- command line ----------------------------------------------------------------------------- */

static int compare(const char *name, double ratio, const json_t *baseline)
{
	double before = json_number_value(json_object_get(baseline, name));

	if (before <= 0) {
		puts("");
		return 0;
	}
	printf("%9.2f×%s\n", ratio / before, ratio > DEARER * before ? "  dearer than before" : "");
	return ratio > DEARER * before;
}

static const char *option(int argc, char **argv, const char *name)
{
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], name))
			return argv[i + 1];
	return NULL;
}

int main(int argc, char **argv)
{
	const char *save = option(argc, argv, "--save"), *base = option(argc, argv, "--baseline");
	json_error_t why;
	json_t *baseline = base ? json_load_file(base, 0, &why) : NULL, *out = json_object();
	int dearer = 0;

	if (base && !baseline) {
		fprintf(stderr, "micro: cannot read '%s': %s\n", base, why.text);
		return 2;
	}
	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	printf("%-26s %10s %12s%s\n", "operation", "ns", "÷ reference",
	       baseline ? "    ÷ before" : "");
	for (size_t i = 0; i < ROWS; i++) {
		struct figure f = measure(i);

		printf("%-26s %10.1f %11.1f", table[i].name, f.ns, f.ratio);
		dearer += compare(table[i].name, f.ratio, baseline);
		json_object_set_new(out, table[i].name, json_real(f.ratio));
	}
	if (save && json_dump_file(out, save, JSON_INDENT(2))) {
		fprintf(stderr, "micro: cannot write '%s': %s\n", save, strerror(errno));
		return 2;
	}
	json_decref(out);
	json_decref(baseline);
	return dearer > 0;
}
