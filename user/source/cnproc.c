// SPDX-License-Identifier: MIT
#include "source/cnproc.h"

#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

/* A sane bound for a CPU number out of a message: CONFIG_NR_CPUS is at most 8192. */
#define CPU_MAX 65536

/* Before 5.12 (and on every kernel for its smaller members) the union is shorter than 40 bytes may
 * say; what is needed is the header of proc_event and the fields of the event at hand. */
#define EVENT_HEAD offsetof(struct proc_event, event_data)

static void fork_take(const struct proc_event *ev, struct cnproc_msg *m)
{
	m->kind = EV_FORK;
	m->pid = ev->event_data.fork.child_tgid;
	m->tid = ev->event_data.fork.child_pid;
	m->ppid = ev->event_data.fork.parent_tgid;
}

static void exec_take(const struct proc_event *ev, struct cnproc_msg *m)
{
	m->kind = EV_EXEC;
	m->pid = ev->event_data.exec.process_tgid;
	m->tid = ev->event_data.exec.process_pid;
}

static void exit_take(const struct proc_event *ev, struct cnproc_msg *m)
{
	m->kind = EV_EXIT;
	m->pid = ev->event_data.exit.process_tgid;
	m->tid = ev->event_data.exit.process_pid;
	m->status = (int)ev->event_data.exit.exit_code;
	if (ev->event_data.exit.parent_tgid)
		m->ppid = ev->event_data.exit.parent_tgid;
}

static const struct {
	uint32_t what;
	void (*take)(const struct proc_event *, struct cnproc_msg *);
} takers[] = {
	{ PROC_EVENT_FORK, fork_take },
	{ PROC_EVENT_EXEC, exec_take },
	{ PROC_EVENT_EXIT, exit_take },
};

int cnproc_parse(const void *data, size_t len, struct cnproc_msg *m)
{
	const char *p = data;
	struct nlmsghdr nl;
	struct cn_msg cn;
	struct proc_event ev = { 0 };
	size_t room;

	if (len < sizeof(nl) + sizeof(cn) + EVENT_HEAD)
		return -EBADMSG;
	memcpy(&nl, p, sizeof(nl));
	memcpy(&cn, p + sizeof(nl), sizeof(cn));
	room = len - sizeof(nl) - sizeof(cn);
	if (nl.nlmsg_len < sizeof(nl) + sizeof(cn) || nl.nlmsg_len > len ||
	    cn.id.idx != CN_IDX_PROC || cn.id.val != CN_VAL_PROC || cn.len < EVENT_HEAD ||
	    cn.len > room)
		return -EBADMSG;
	memcpy(&ev, p + sizeof(nl) + sizeof(cn), cn.len < sizeof(ev) ? cn.len : sizeof(ev));
	*m = (struct cnproc_msg){
		.what = (uint32_t)ev.what,
		.cpu = ev.cpu,
		.seq = cn.seq,
		.ack = cn.ack,
		.ts_ns = ev.timestamp_ns,
		.pid = EV_NO_PID,
		.tid = EV_NO_PID,
		.ppid = EV_NO_PID,
		.status = EV_NO_STATUS,
	};
	if (ev.what == PROC_EVENT_NONE)
		m->ack_err = ev.event_data.ack.err;
	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
		if (takers[i].what == m->what) {
			takers[i].take(&ev, m);
			m->is_event = true;
		}
	return 0;
}

static int books_grow(struct cnproc_books *b, uint32_t cpu)
{
	uint32_t n = cpu + 1;
	struct cnproc_cpu *p = realloc(b->cpu, n * sizeof(*p));

	if (!p)
		return -ENOMEM;
	memset(p + b->ncpus, 0, (n - b->ncpus) * sizeof(*p));
	b->cpu = p;
	b->ncpus = n;
	return 0;
}

int cnproc_books_enter(struct cnproc_books *b, const struct cnproc_msg *m)
{
	struct cnproc_cpu *c;

	/* The numbering of acknowledgements is the kernel's own, but before 6.6 their cpu says -1. */
	if (m->cpu >= CPU_MAX)
		return 0;
	if (m->cpu >= b->ncpus && books_grow(b, m->cpu))
		return -ENOMEM;
	c = &b->cpu[m->cpu];
	if (!c->seen) {
		c->first = m->seq;
		c->seen = true;
	}
	c->last = m->seq;
	c->received++;
	b->received++;
	return 0;
}

uint64_t cnproc_books_generated(const struct cnproc_books *b)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < b->ncpus; i++)
		if (b->cpu[i].seen)
			n += (uint64_t)(b->cpu[i].last - b->cpu[i].first) + 1;
	return n;
}

uint64_t cnproc_books_gaps(const struct cnproc_books *b)
{
	uint64_t n = cnproc_books_generated(b);

	return n > b->received ? n - b->received : 0;
}

unsigned cnproc_books_gap_cpus(const struct cnproc_books *b, uint64_t *most)
{
	unsigned cpus = 0;

	*most = 0;
	for (uint32_t i = 0; i < b->ncpus; i++) {
		const struct cnproc_cpu *c = &b->cpu[i];
		const uint64_t numbered = c->seen ? (uint64_t)(c->last - c->first) + 1 : 0;

		if (numbered <= c->received)
			continue;
		cpus++;
		if (numbered - c->received > *most)
			*most = numbered - c->received;
	}
	return cpus;
}

void cnproc_books_free(struct cnproc_books *b)
{
	free(b->cpu);
	*b = (struct cnproc_books){ 0 };
}
