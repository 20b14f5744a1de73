// SPDX-License-Identifier: MIT
/* The datagram parser and the sequence books, from datagrams built here as the kernel builds them. */
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "source/cnproc.h"

#define DATAGRAM 76

struct datagram {
	char p[128];
	size_t len;
};

static struct datagram datagram_of(const struct proc_event *ev, uint32_t seq, uint32_t ack)
{
	const struct nlmsghdr nl = { .nlmsg_len = DATAGRAM, .nlmsg_type = NLMSG_DONE };
	const struct cn_msg cn = {
		.id = { CN_IDX_PROC, CN_VAL_PROC }, .seq = seq, .ack = ack, .len = sizeof(*ev)
	};
	struct datagram d = { .len = DATAGRAM };

	memcpy(d.p, &nl, sizeof(nl));
	memcpy(d.p + sizeof(nl), &cn, sizeof(cn));
	memcpy(d.p + sizeof(nl) + sizeof(cn), ev, sizeof(*ev));
	return d;
}

static void layout_is_the_known_one(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct nlmsghdr) + sizeof(struct cn_msg) +
				 sizeof(struct proc_event),
			 DATAGRAM);
}

static void fork_is_parsed(void **state)
{
	struct proc_event ev = { .what = PROC_EVENT_FORK,
				 .cpu = 3,
				 .timestamp_ns = 0x1122334455667788 };
	struct cnproc_msg m;
	struct datagram d;

	(void)state;
	ev.event_data.fork.parent_pid = 12;
	ev.event_data.fork.parent_tgid = 11;
	ev.event_data.fork.child_pid = 23;
	ev.event_data.fork.child_tgid = 22;
	d = datagram_of(&ev, 77, 0);
	assert_int_equal(cnproc_parse(d.p, d.len, &m), 0);
	assert_true(m.is_event);
	assert_int_equal(m.kind, EV_FORK);
	assert_int_equal(m.pid, 22);
	assert_int_equal(m.tid, 23);
	assert_int_equal(m.ppid, 11);
	assert_int_equal(m.cpu, 3);
	assert_int_equal(m.seq, 77);
	assert_int_equal(m.ts_ns, 0x1122334455667788);
	assert_int_equal(m.status, EV_NO_STATUS);
}

static void exit_carries_the_raw_status(void **state)
{
	struct proc_event ev = { .what = PROC_EVENT_EXIT };
	struct cnproc_msg m;
	struct datagram d;

	(void)state;
	ev.event_data.exit.process_pid = ev.event_data.exit.process_tgid = 2003;
	ev.event_data.exit.exit_code = 23 << 8;
	ev.event_data.exit.parent_tgid = 7;
	d = datagram_of(&ev, 1, 0);
	assert_int_equal(cnproc_parse(d.p, d.len, &m), 0);
	assert_int_equal(m.kind, EV_EXIT);
	assert_int_equal(m.status, 23 << 8);
	assert_int_equal(m.ppid, 7);
	/* A process that was reaped at once has no parent any more: absent, not 0. */
	ev.event_data.exit.parent_tgid = 0;
	d = datagram_of(&ev, 1, 0);
	assert_int_equal(cnproc_parse(d.p, d.len, &m), 0);
	assert_int_equal(m.ppid, EV_NO_PID);
}

static void ack_tells_its_errno(void **state)
{
	struct proc_event ev = { .what = PROC_EVENT_NONE };
	struct cnproc_msg m;
	struct datagram d;

	(void)state;
	ev.event_data.ack.err = EPERM;
	d = datagram_of(&ev, 5, 4243);
	assert_int_equal(cnproc_parse(d.p, d.len, &m), 0);
	assert_false(m.is_event);
	assert_int_equal(m.ack, 4243);
	assert_int_equal(m.ack_err, EPERM);
}

static void every_short_datagram_is_refused(void **state)
{
	struct proc_event ev = { .what = PROC_EVENT_EXEC };
	struct datagram d = datagram_of(&ev, 1, 0);
	struct cnproc_msg m;

	(void)state;
	for (size_t len = 0; len < DATAGRAM; len++)
		assert_int_equal(cnproc_parse(d.p, len, &m), -EBADMSG);
	assert_int_equal(cnproc_parse(d.p, DATAGRAM, &m), 0);
}

static void foreign_ids_and_lying_lengths_are_refused(void **state)
{
	struct proc_event ev = { .what = PROC_EVENT_EXEC };
	struct datagram d = datagram_of(&ev, 1, 0);
	struct cnproc_msg m;
	uint16_t len = 400;
	uint32_t idx = 9;

	(void)state;
	memcpy(d.p + sizeof(struct nlmsghdr) + offsetof(struct cn_msg, len), &len, sizeof(len));
	assert_int_equal(cnproc_parse(d.p, d.len, &m), -EBADMSG);
	d = datagram_of(&ev, 1, 0);
	memcpy(d.p + sizeof(struct nlmsghdr), &idx, sizeof(idx));
	assert_int_equal(cnproc_parse(d.p, d.len, &m), -EBADMSG);
}

static void enter(struct cnproc_books *b, uint32_t cpu, uint32_t seq)
{
	const struct cnproc_msg m = { .cpu = cpu, .seq = seq };

	assert_int_equal(cnproc_books_enter(b, &m), 0);
}

static void books_count_gaps_per_cpu(void **state)
{
	struct cnproc_books b = { 0 };
	uint64_t most;

	(void)state;
	assert_int_equal(cnproc_books_generated(&b), 0);
	enter(&b, 0, 100);
	enter(&b, 5, 7); /* CPUs 1 to 4 never spoke */
	enter(&b, 0, 101);
	enter(&b, 0, 125); /* 23 missing */
	enter(&b, 5, 8);
	assert_int_equal(cnproc_books_generated(&b), 26 + 2);
	assert_int_equal(cnproc_books_gaps(&b), 23);
	assert_int_equal(b.received, 5);
	assert_int_equal(cnproc_books_gap_cpus(&b, &most), 1);
	assert_int_equal(most, 23);
	enter(&b, 5, 30); /* 21 missing */
	assert_int_equal(cnproc_books_gap_cpus(&b, &most), 2);
	assert_int_equal(most, 23);
	cnproc_books_free(&b);
}

static void books_survive_wrapping(void **state)
{
	struct cnproc_books b = { 0 };

	(void)state;
	enter(&b, 1, UINT32_MAX - 1);
	enter(&b, 1, UINT32_MAX);
	enter(&b, 1, 0);
	enter(&b, 1, 3); /* 1 and 2 missing */
	assert_int_equal(cnproc_books_generated(&b), 6);
	assert_int_equal(cnproc_books_gaps(&b), 2);
	cnproc_books_free(&b);
}

static void books_ignore_a_message_without_cpu(void **state)
{
	struct cnproc_books b = { 0 };

	(void)state;
	enter(&b, UINT32_MAX, 12); /* acknowledgements before 6.6 */
	assert_int_equal(cnproc_books_generated(&b), 0);
	assert_int_equal(b.ncpus, 0);
	cnproc_books_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout_is_the_known_one),
		cmocka_unit_test(fork_is_parsed),
		cmocka_unit_test(exit_carries_the_raw_status),
		cmocka_unit_test(ack_tells_its_errno),
		cmocka_unit_test(every_short_datagram_is_refused),
		cmocka_unit_test(foreign_ids_and_lying_lengths_are_refused),
		cmocka_unit_test(books_count_gaps_per_cpu),
		cmocka_unit_test(books_survive_wrapping),
		cmocka_unit_test(books_ignore_a_message_without_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
