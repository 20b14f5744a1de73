// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/record_sink.h"

#define CAP 23

static const char names[3][16] = { "testApp1", "testApp2", "fifteen-letters" };

struct fixture {
	struct recording rec;
	struct sink *sink;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || recording_init(&f->rec, CAP))
		return -1;
	f->sink = record_sink_new(&f->rec, names, 3);
	*state = f;
	return f->sink ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	f->sink->ops->close(f->sink);
	recording_free(&f->rec);
	free(f);
	return 0;
}

static struct event event_of(enum event_kind kind, pid_t pid)
{
	struct event ev = event_empty(kind);

	ev.pid = pid;
	ev.tid = pid;
	ev.ts_ns = 1000;
	ev.rx_ns = 1500;
	return ev;
}

static uint8_t name_of(struct fixture *f, const char *comm, size_t len, unsigned flags)
{
	struct event ev = event_of(EV_EXEC, 7);

	memset(ev.comm, 0, sizeof(ev.comm));
	memcpy(ev.comm, comm, len);
	ev.flags = flags;
	sink_event(f->sink, &ev);
	return f->rec.rec[f->rec.n - 1].name;
}

static void fields_are_kept(void **state)
{
	struct fixture *f = *state;
	struct event ev = event_of(EV_EXIT, 4194303);

	ev.status = 0xff00;
	ev.ts_ns = 1ULL << 60;
	ev.rx_ns = ev.ts_ns + 77;
	sink_event(f->sink, &ev);
	assert_int_equal(f->rec.n, 1);
	assert_int_equal(f->rec.rec[0].ts_ns, 1ULL << 60);
	assert_int_equal(f->rec.rec[0].pid, 4194303);
	assert_int_equal(f->rec.rec[0].status, 0xff00);
	assert_int_equal(f->rec.rec[0].kind, EV_EXIT);
	assert_int_equal(f->rec.rec[0].name, 0);
	assert_int_equal(f->rec.latency.n, 1);
	assert_int_equal(f->rec.latency.max, 77);
}

static void absent_is_not_zero(void **state)
{
	struct fixture *f = *state;
	struct event ev = event_empty(EV_EXIT);

	sink_event(f->sink, &ev);
	assert_int_equal(f->rec.n, 1);
	assert_int_equal(f->rec.rec[0].pid, UINT32_MAX);
	assert_int_equal(f->rec.rec[0].status, REC_NO_STATUS);
	assert_int_equal(f->rec.rec[0].ts_ns, EV_NO_TIME);
	assert_int_equal(rec_kind(&f->rec.rec[0]), EV_EXIT);
	assert_int_equal(f->rec.latency.n, 0);
}

static void stamp_after_reading_is_marked(void **state)
{
	struct fixture *f = *state;
	struct event ev = event_of(EV_EXEC, 5);

	ev.rx_ns = ev.ts_ns;
	sink_event(f->sink, &ev);
	ev.rx_ns = ev.ts_ns - 1;
	sink_event(f->sink, &ev);
	assert_int_equal(f->rec.rec[0].kind, EV_EXEC);
	assert_int_equal(f->rec.rec[1].kind, EV_EXEC | REC_FROM_FUTURE);
	assert_int_equal(rec_kind(&f->rec.rec[1]), EV_EXEC);
	assert_int_equal(f->rec.latency.n, 1);
	assert_int_equal(f->rec.latency.max, 0);
}

static void names_are_found(void **state)
{
	struct fixture *f = *state;

	for (int again = 0; again < 2; again++) {
		assert_int_equal(name_of(f, "testApp1", 8, 0), 1);
		assert_int_equal(name_of(f, "testApp2", 8, 0), 2);
		assert_int_equal(name_of(f, "testApp2", 8, 0), 2);
		assert_int_equal(name_of(f, "fifteen-letters", 15, 0), 3);
	}
	assert_int_equal(name_of(f, "testApp", 7, 0), REC_NAME_OTHER);
	assert_int_equal(name_of(f, "testApp10", 9, 0), REC_NAME_OTHER);
	assert_int_equal(name_of(f, "TESTAPP1", 8, 0), REC_NAME_OTHER);
	assert_int_equal(name_of(f, "fifteen-letters!", 16, 0), REC_NAME_OTHER);
	assert_int_equal(name_of(f, "", 0, 0), 0);
	assert_int_equal(f->rec.gone, 0);
	assert_int_equal(name_of(f, "", 0, EVF_GONE), 0);
	assert_int_equal(f->rec.gone, 1);
	/* The name was there, though something else of the process was not. */
	assert_int_equal(name_of(f, "testApp1", 8, EVF_GONE), 1);
	assert_int_equal(f->rec.gone, 1);
}

/* Only an EXEC has a name: a fork's comm is still its parent's. */
static void other_kinds_have_no_name(void **state)
{
	struct fixture *f = *state;

	for (int k = EV_FORK; k <= EV_EXIT; k += 2) {
		struct event ev = event_of(k, 5);

		strcpy(ev.comm, "testApp1");
		sink_event(f->sink, &ev);
		assert_int_equal(f->rec.rec[f->rec.n - 1].name, 0);
	}
}

static void no_names_at_all(void **state)
{
	struct fixture *f = *state;
	struct sink *s = record_sink_new(&f->rec, NULL, 0);
	struct event ev = event_of(EV_EXEC, 5);

	assert_non_null(s);
	strcpy(ev.comm, "testApp1");
	sink_event(s, &ev);
	assert_int_equal(f->rec.rec[0].name, REC_NAME_OTHER);
	s->ops->close(s);
}

static void garbage_behind_a_name_does_not_matter(void **state)
{
	struct fixture *f = *state;
	char dirty[1][16] = { "abc\0garbage" };
	struct sink *s = record_sink_new(&f->rec, (const char(*)[16])dirty, 1);
	struct event ev = event_of(EV_EXEC, 5);

	assert_non_null(s);
	dirty[0][0] = 'x'; /* it was copied */
	strcpy(ev.comm, "abc");
	sink_event(s, &ev);
	assert_int_equal(f->rec.rec[0].name, 1);
	s->ops->close(s);
}

static void threads_are_left_out(void **state)
{
	static const struct {
		enum event_kind kind;
		pid_t pid, tid;
		bool recorded;
	} table[] = {
		{ EV_FORK, 7, 7, true },	 { EV_FORK, 7, 8, false },
		{ EV_EXIT, 7, 8, false },	 { EV_EXIT, 7, EV_NO_PID, true },
		{ EV_EXIT, EV_NO_PID, 8, true }, { EV_EXEC, 7, 8, true },
		{ EV_FORK, 7, EV_NO_PID, true }, { EV_EXIT, 7, 7, true },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct event ev = event_of(table[i].kind, table[i].pid);
		size_t n = f->rec.n;

		ev.tid = table[i].tid;
		sink_event(f->sink, &ev);
		assert_int_equal(f->rec.n - n, table[i].recorded);
	}
	assert_int_equal(f->rec.threads, 2);
	assert_int_equal(f->rec.latency.n, 6);
}

static void full_is_counted_by_kind(void **state)
{
	struct fixture *f = *state;
	struct event ev = event_of(EV_FORK, 5);

	for (int i = 0; i < CAP; i++)
		sink_event(f->sink, &ev);
	assert_int_equal(f->rec.full, 0);
	for (int k = 0; k < EV_KINDS; k++) {
		for (int i = 0; i <= k; i++) {
			ev.kind = k;
			sink_event(f->sink, &ev);
		}
	}
	ev.kind = EV_EXIT;
	ev.tid = 6; /* a thread: would not have been recorded anyway */
	sink_event(f->sink, &ev);
	assert_int_equal(f->rec.n, CAP);
	assert_int_equal(f->rec.full, 6);
	for (int k = 0; k < EV_KINDS; k++)
		assert_int_equal(f->rec.full_by_kind[k], k + 1);
	assert_int_equal(f->rec.threads, 1);
	assert_int_equal(f->rec.latency.n, CAP);
}

static void reset_empties_all(void **state)
{
	struct fixture *f = *state;
	struct event ev = event_of(EV_EXEC, 5);

	ev.flags = EVF_GONE;
	for (int i = 0; i < CAP + 3; i++)
		sink_event(f->sink, &ev);
	f->rec.threads = 1;
	recording_reset(&f->rec);
	assert_int_equal(f->rec.n + f->rec.full + f->rec.full_by_kind[EV_EXEC], 0);
	assert_int_equal(f->rec.gone + f->rec.threads + f->rec.latency.n, 0);
	assert_int_equal(f->rec.cap, CAP);
	sink_event(f->sink, &ev);
	assert_int_equal(f->rec.n, 1);
}

static void recording_without_room(void **state)
{
	struct recording r;
	struct sink *s;
	struct event ev = event_of(EV_EXEC, 5);

	(void)state;
	assert_int_equal(recording_init(&r, 0), 0);
	s = record_sink_new(&r, NULL, 0);
	assert_non_null(s);
	sink_event(s, &ev);
	assert_int_equal(r.full, 1);
	s->ops->close(s);
	recording_free(&r);
	recording_free(&r);
	recording_free(NULL);
	assert_true(recording_init(&r, SIZE_MAX / 4) < 0);
	assert_true(recording_init(&r, SIZE_MAX / 32) < 0);
	recording_free(&r);
}

#define test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(fields_are_kept),
		test(absent_is_not_zero),
		test(stamp_after_reading_is_marked),
		test(names_are_found),
		test(other_kinds_have_no_name),
		test(no_names_at_all),
		test(garbage_behind_a_name_does_not_matter),
		test(threads_are_left_out),
		test(full_is_counted_by_kind),
		test(reset_empties_all),
		cmocka_unit_test(recording_without_room),
	};

	return cmocka_run_group_tests_name("record_sink", tests, NULL, NULL);
}
