// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "base/json_out.h"
#include "sink/summary_print.h"

static void put_u64(struct json_out *j, const char *key, uint64_t v)
{
	jout_key(j, key);
	jout_u64(j, v);
}

static void put_name(struct json_out *j, const char *key, const char *hex_key, const char name[16])
{
	const size_t n = strnlen(name, 16);

	jout_key(j, key);
	if (jout_string(j, name, n))
		return;
	jout_key(j, hex_key);
	jout_hex(j, name, n);
}

static void put_counts(struct json_out *j, const struct tally_row *r)
{
	put_u64(j, "starts", r->starts);
	put_u64(j, "ended", r->ended);
	put_u64(j, "ok", r->ok);
	put_u64(j, "failed", r->failed);
	put_u64(j, "killed", r->killed);
	put_u64(j, "short_lived", r->short_lived);
	if (r->cpu_known)
		put_u64(j, "cpu_ns", r->cpu_ns);
	if (!r->life)
		return;
	put_u64(j, "life_p50_ns", sketch_quantile(r->life, 0.5));
	put_u64(j, "life_p99_ns", sketch_quantile(r->life, 0.99));
	put_u64(j, "life_max_ns", r->life->max);
}

static void put_program(struct json_out *j, const struct tally_row *r)
{
	put_name(j, "comm", "comm_hex", r->comm);
	put_counts(j, r);
}

static void put_pair(struct json_out *j, const struct tally_row *r)
{
	put_name(j, "parent_comm", "parent_comm_hex", r->parent);
	if (r->starts && r->ppid != EV_NO_PID)
		put_u64(j, "ppid", (uint64_t)r->ppid);
	put_name(j, "comm", "comm_hex", r->comm);
	put_counts(j, r);
}

static void put_table(struct json_out *j, const struct summary_print *p, const char *key,
		      const struct tally_table *tab,
		      void (*put)(struct json_out *, const struct tally_row *))
{
	const struct tally_row **top = calloc(p->top, sizeof(*top));
	unsigned n = top ? tally_top(tab, top, p->top) : 0;

	jout_key(j, key);
	jout_open(j, '[');
	for (unsigned i = 0; i < n; i++) {
		jout_open(j, '{');
		put(j, top[i]);
		jout_close(j, '}');
	}
	jout_close(j, ']');
	free(top);
}

static void put_times(struct json_out *j, const struct summary_print *p)
{
	char text[WALLTIME_ISO_LEN];

	if (p->to_ns == EV_NO_TIME)
		return;
	walltime_iso(p->wall, p->to_ns, text);
	jout_key(j, "ts");
	jout_string(j, text, sizeof(text));
	put_u64(j, "mono_ns", p->to_ns);
	if (p->from_ns != EV_NO_TIME && p->from_ns <= p->to_ns)
		put_u64(j, "period_ns", p->to_ns - p->from_ns);
}

void summary_json(const struct summary_print *p, const struct tally *t)
{
	struct json_out j = { .out = p->out };

	jout_open(&j, '{');
	jout_key(&j, "event");
	jout_string(&j, "summary", 7);
	put_times(&j, p);
	put_counts(&j, &t->all);
	put_u64(&j, "failed_execs", t->failed_execs);
	put_u64(&j, "lost", t->lost);
	put_u64(&j, "program_count", t->program.n);
	put_u64(&j, "other_starts", t->program.other.starts);
	put_table(&j, p, "programs", &t->program, put_program);
	put_table(&j, p, "started_by", &t->pair, put_pair);
	jout_close(&j, '}');
	jout_newline(&j);
}
