// SPDX-License-Identifier: MIT
#include "sample_result.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

static void fill_host(struct result *r)
{
	r->host = (struct result_host){
		.kernel = "6.18.44",
		.arch = "x86_64",
		.virt = "KVM guest",
		.cpu_model = "Intel(R) Xeon(R) Processor",
		.clocksource = "kvm-clock",
		.cpus = 2,
		.cpus_possible = 2,
		.pid_max = 32768,
		.rmem_max = 212992,
		.mem_bytes = 8ULL << 30,
		.page_size = 4096,
	};
	r->config = (struct result_config){
		.duration_s = 2,
		.method = "vfork",
		.target = "testApp",
		.ring_bytes = 8 << 20,
		.rcvbuf_bytes = 16 << 20,
		.seed = 42,
	};
	strcpy(r->version, "0.1.0");
	r->wall_time_s = 1796086872; /* 2026-12-01 */
}

static void fill_line(struct ledger_line *l, uint64_t expected)
{
	*l = (struct ledger_line){ .expected = expected, .matched = expected };
}

/* A source that delivered everything. */
static void fill_source(struct result_source *s, const char *name, uint64_t launches, double named)
{
	bool bpf = strcmp(name, "bpf") == 0;

	*s = (struct result_source){
		.buffer_bytes = bpf ? 8 << 20 : 32 << 20,
		.capacity_events = bpf ? 116508 : 40329,
		.bytes_per_event = bpf ? 72 : 832,
		.buffer_peak = bpf ? 16384 : 190000,
		.generated = 2 * launches + 14,
		.delivered = 2 * launches + 14,
		.names = named >= 0,
		.latency = { 2 * launches, 2100000, 4100000, 5000000, 6100000, 9000000 + launches },
		.reader_user_s = (double)launches * 0.4e-6,
		.reader_sys_s = (double)launches * 0.5e-6,
		.checks_ok = true,
	};
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->ledger.kinds = EV_MASK(EV_EXEC) | EV_MASK(EV_EXIT);
	fill_line(&s->ledger.kind[EV_EXEC], launches);
	fill_line(&s->ledger.kind[EV_EXIT], launches);
	fill_line(&s->ledger.all, 2 * launches);
	s->ledger.foreign = s->ledger.foreign_generated = 14;
	s->ledger.identified = named >= 0 ? (uint64_t)((double)launches * named) : 0;
	s->ledger.identities_hold = s->ledger.books_checked = s->ledger.books_balance = true;
	if (bpf)
		return;
	/* One counter for all kinds: what it says of one kind is not known. */
	for (unsigned k = EV_EXEC; k <= EV_EXIT; k++)
		s->ledger.kind[k].reported = s->ledger.kind[k].unexplained =
			s->ledger.kind[k].over_reported = s->ledger.kind[k].uncertain =
				LEDGER_UNKNOWN;
}

static void fill_cross(struct result_run *run)
{
	run->has_cross = true;
	run->cross.kind[EV_EXEC].both = run->cross.kind[EV_EXIT].both = run->launches;
	run->cross.ts_n = run->launches;
	run->cross.ts_p50_ns = 1210;
	run->cross.ts_p99_ns = 4000;
	run->cross.ts_max_ns = 80300;
	run->cross.a_first = 0.999;
}

static struct result_run *add_run(struct result *r, const char *scenario, uint32_t workers,
				  const char *monitor, uint32_t round, double rate)
{
	struct result_run *run = result_add_run(r);

	if (!run)
		abort();
	snprintf(run->scenario, sizeof(run->scenario), "%s", scenario);
	snprintf(run->monitor, sizeof(run->monitor), "%s", monitor);
	strcpy(run->method, "vfork");
	strcpy(run->mode, "wait");
	run->round = round;
	run->workers = workers;
	run->duration_s = 2.0001 + round * 1e-7;
	run->rate_per_s = rate * (1 + 0.002 * (((round + monitor[0]) * 5) % 7) / 3);
	run->launches = (uint64_t)(run->rate_per_s * run->duration_s);
	run->harness = 7;
	run->cpu_s = 1.7;
	run->child_cpu_s = 0.1 / 3;
	run->launch_latency =
		(struct result_latency){ run->launches, 84000, 90000, 120000, 300000, 2000000 };
	return run;
}

static void add_round(struct result *r, const char *scenario, uint32_t workers, double rate,
		      uint32_t round, double named)
{
	struct result_run *run;

	add_run(r, scenario, workers, "none", round, rate);
	run = add_run(r, scenario, workers, "bpf", round, rate * (1 - 0.004 + 0.002 * (round % 3)));
	run->nsources = 1;
	fill_source(&run->source[0], "bpf", run->launches, 1);
	run = add_run(r, scenario, workers, "netlink", round, rate * 0.958);
	run->nsources = 1;
	fill_source(&run->source[0], "netlink", run->launches, -1);
	run = add_run(r, scenario, workers, "netlink-names", round, rate * 0.64);
	run->nsources = 1;
	fill_source(&run->source[0], "netlink-names", run->launches, named);
	run->source[0].latency =
		(struct result_latency){ 2 * run->launches, 12000, 16000, 81000, 99000, 1300000 };
	run->source[0].reader_sys_s *= 60;
	run = add_run(r, scenario, workers, "bpf+netlink", round, rate * 0.95);
	run->nsources = 2;
	fill_source(&run->source[0], "bpf", run->launches, 1);
	fill_source(&run->source[1], "netlink", run->launches, -1);
	fill_cross(run);
}

static void fill(struct result *r)
{
	memset(r, 0, sizeof(*r));
	fill_host(r);
	r->config.rounds = 6;
	for (uint32_t round = 1; round <= 6; round++) {
		add_round(r, "serial", 1, 11332, round, 0.978);
		add_round(r, "workers-4", 4, 19518, round, 0.34);
	}
}

void sample_result(struct result *r)
{
	fill(r);
	if (result_summarise(r))
		abort();
}

static void lose(struct result_source *s, uint64_t exec, uint64_t exit_events, uint64_t unexplained)
{
	struct ledger *l = &s->ledger;

	l->kind[EV_EXEC].matched -= exec;
	l->kind[EV_EXEC].lost = exec;
	l->kind[EV_EXIT].matched -= exit_events;
	l->kind[EV_EXIT].lost = exit_events;
	l->all.matched -= exec + exit_events;
	l->all.lost = exec + exit_events;
	l->all.unexplained = unexplained;
	l->all.reported = l->all.lost - unexplained;
	if (strcmp(s->name, "bpf") == 0)
		l->lost_at[LOST_RING_FULL] = l->all.reported;
	else
		l->lost_at[LOST_SOCKET_DROPPED] = l->all.reported;
	if (s->names && l->identified > l->kind[EV_EXEC].matched)
		l->identified = l->kind[EV_EXEC].matched;
}

void sample_result_lossy(struct result *r)
{
	fill(r);
	for (size_t i = 0; i < r->nruns; i++) {
		struct result_run *run = &r->run[i];
		struct result_source *s = &run->source[0];

		if (strcmp(run->scenario, "workers-4") != 0 || !run->nsources)
			continue;
		if (strcmp(run->monitor, "bpf") == 0 && run->round == 2)
			lose(s, 1, 0, 0);
		if (strcmp(run->monitor, "netlink") == 0)
			lose(s, run->launches / 3, run->launches / 2, run->round == 3 ? 17 : 0);
	}
	r->run[6].source[0].ledger.all.duplicate = 3;
	r->run[6].source[0].ledger.all.wrong = 2;
	r->run[6].source[0].ledger.all.wrong_status = 2;
	r->run[6].source[0].ledger.misnamed = 4;
	r->run[6].source[0].checks_ok = false;
	r->run[6].source[0].ledger.books_balance = false;
	strcpy(r->run[6].source[0].ledger.books_why, "generated 39 050, accounted for 39 049");
	r->run[7].source[0].ledger.all.uncertain = 14;
	r->run[9].failed = 12;
	r->run[9].truth_full = true;
	r->run[r->nruns - 1].interrupted = true;
	r->interrupted = true;
	r->config.stall_ms = 500;
	if (result_summarise(r))
		abort();
}

void sample_result_small(struct result *r, unsigned rounds, double speed)
{
	memset(r, 0, sizeof(*r));
	fill_host(r);
	r->config.rounds = rounds;
	for (uint32_t round = 1; round <= rounds; round++) {
		struct result_run *run;

		add_run(r, "serial", 1, "none", round, 11332 * speed);
		run = add_run(r, "serial", 1, "bpf", round, 11300 * speed);
		run->nsources = 1;
		fill_source(&run->source[0], "bpf", run->launches, 1);
	}
	if (result_summarise(r))
		abort();
}

char *sample_text(const struct result *r)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		abort();
	text_report(r, f, false);
	fclose(f);
	return text;
}
