// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/human.h"
#include "base/json_out.h"
#include "base/signame.h"
#include "base/walltime.h"

/* An outbuf into a pipe; finish() flushes it and returns all that came out. */
static struct outbuf out;
static int pipe_fd[2];
static char got[64 << 10];

static void begin(void)
{
	assert_int_equal(pipe2(pipe_fd, O_CLOEXEC), 0);
	assert_int_equal(outbuf_init(&out, pipe_fd[1]), 0);
}

static const char *finish(void)
{
	ssize_t n;

	assert_int_equal(outbuf_flush(&out), 0);
	outbuf_free(&out);
	close(pipe_fd[1]);
	n = read(pipe_fd[0], got, sizeof(got) - 1);
	assert_true(n >= 0);
	got[n] = '\0';
	close(pipe_fd[0]);
	return got;
}

static void numbers(void **state)
{
	(void)state;
	begin();
	for (uint64_t v = 1, i = 0; i < 20; i++, v *= 10) {
		outbuf_u64(&out, v - 1);
		outbuf_putc(&out, ' ');
	}
	outbuf_u64(&out, UINT64_MAX);
	outbuf_putc(&out, ' ');
	outbuf_i64(&out, INT64_MIN);
	outbuf_pad_u64(&out, 42, 5);
	outbuf_pad_u64(&out, 123456, 3);
	assert_string_equal(finish(),
			    "0 9 99 999 9999 99999 999999 9999999 99999999 999999999 9999999999 "
			    "99999999999 999999999999 9999999999999 99999999999999 "
			    "999999999999999 9999999999999999 99999999999999999 "
			    "999999999999999999 9999999999999999999 "
			    "18446744073709551615 -9223372036854775808   42123456");
}

static void structure(void **state)
{
	struct json_out j = { .out = &out };

	(void)state;
	begin();
	jout_open(&j, '{');
	jout_key(&j, "a");
	jout_u64(&j, 1);
	jout_key(&j, "b");
	jout_open(&j, '[');
	jout_close(&j, ']');
	jout_key(&j, "c");
	jout_open(&j, '[');
	jout_i64(&j, -1);
	jout_bool(&j, true);
	jout_open(&j, '{');
	jout_close(&j, '}');
	jout_string(&j, "x\"", 2);
	jout_close(&j, ']');
	jout_key(&j, "d");
	jout_hex(&j, "\x00\xfe", 2);
	jout_close(&j, '}');
	jout_newline(&j);
	jout_open(&j, '[');
	jout_close(&j, ']');
	assert_string_equal(finish(),
			    "{\"a\":1,\"b\":[],\"c\":[-1,true,{},\"x\\\"\"],\"d\":\"00fe\"}\n[]");
}

/* A strict reader takes what was written from any bytes, and gets valid UTF-8 back unchanged. */
static void strict_readers_take_any_bytes(void **state)
{
	struct json_out j = { .out = &out };
	char src[600];
	json_t *root;
	bool whole;

	(void)state;
	for (size_t i = 0; i < sizeof(src); i++)
		src[i] = (char)(i * 7 + i / 256);
	begin();
	jout_open(&j, '[');
	assert_false(jout_string(&j, src, sizeof(src)));
	whole = jout_string(&j, "caf\xc3\xa9\n\033\xc2\x9b", 9);
	assert_true(whole);
	jout_close(&j, ']');
	root = json_loads(finish(), JSON_ALLOW_NUL, NULL);
	assert_non_null(root);
	assert_string_equal(json_string_value(json_array_get(root, 1)),
			    "caf\xc3\xa9\n\033\xc2\x9b");
	json_decref(root);
}

static void strings_longer_than_the_buffer(void **state)
{
	static char src[200 << 10];
	struct json_out j = { .out = &out };
	FILE *f = tmpfile();

	(void)state;
	assert_non_null(f);
	memset(src, 1, sizeof(src));
	assert_int_equal(outbuf_init(&out, fileno(f)), 0);
	outbuf_puts(&out, "[");
	jout_string(&j, src, sizeof(src));
	outbuf_puts(&out, "]");
	assert_int_equal(outbuf_flush(&out), 0);
	assert_int_equal(lseek(fileno(f), 0, SEEK_END), 6 * sizeof(src) + 4);
	outbuf_free(&out);
	fclose(f);
}

static void the_first_error_is_kept(void **state)
{
	(void)state;
	assert_int_equal(outbuf_init(&out, open("/dev/full", O_WRONLY | O_CLOEXEC)), 0);
	outbuf_puts(&out, "x");
	assert_int_equal(out.err, 0);
	assert_int_equal(outbuf_flush(&out), -ENOSPC);
	close(out.fd);
	outbuf_puts(&out, "y");
	assert_int_equal(outbuf_flush(&out), -ENOSPC);
	assert_int_equal(out.err, -ENOSPC);
	outbuf_free(&out);
}

static void *slow_reader(void *arg)
{
	size_t *total = arg;
	char buf[1000];
	ssize_t n;

	while ((n = read(pipe_fd[0], buf, sizeof(buf))) > 0)
		*total += (size_t)n;
	return NULL;
}

/* The writer is told EAGAIN and writes short again and again; nothing may be lost. */
static void a_pipe_that_does_not_block(void **state)
{
	static char chunk[100000];
	pthread_t reader;
	size_t total = 0;

	(void)state;
	begin();
	assert_int_equal(fcntl(pipe_fd[1], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(pthread_create(&reader, NULL, slow_reader, &total), 0);
	for (int i = 0; i < 10; i++)
		outbuf_put(&out, chunk, sizeof(chunk));
	assert_int_equal(outbuf_flush(&out), 0);
	close(pipe_fd[1]);
	pthread_join(reader, NULL);
	assert_int_equal(total, 10 * sizeof(chunk));
	close(pipe_fd[0]);
	outbuf_free(&out);
}

static void wall_clock_texts(void **state)
{
	struct walltime w = walltime_fixed(false, 1764550932000000000);
	char iso[WALLTIME_ISO_LEN + 1] = "", clock[WALLTIME_CLOCK_LEN + 1] = "";

	(void)state;
	walltime_iso(&w, 123456789, iso);
	assert_string_equal(iso, "2025-12-01T01:02:12.123456789Z");
	walltime_clock(&w, 999999999, clock);
	assert_string_equal(clock, "01:02:12.999");
	walltime_iso(&w, 1000000000, iso);
	assert_string_equal(iso, "2025-12-01T01:02:13.000000000Z");
	walltime_iso(&w, 0, iso);
	assert_string_equal(iso, "2025-12-01T01:02:12.000000000Z");
	/* Hostile recordings: any number, never garbage. */
	walltime_iso(&w, UINT64_MAX / 2, iso);
	assert_int_equal(iso[10], 'T');
	w = walltime_fixed(false, INT64_MIN);
	walltime_iso(&w, 5, iso);
	assert_memory_equal(iso, "0000-00-00T00:00:00.", 20);
}

static void durations_for_people(void **state)
{
	static const struct {
		uint64_t ns;
		const char *want;
	} cases[] = { { 0, "0 ns" },
		      { 999, "999 ns" },
		      { 1000, "1.00 µs" },
		      { 12345, "12.3 µs" },
		      { 123456, "123 µs" },
		      { 999499, "999 µs" },
		      { 999500, "1.00 ms" },
		      { 9996000, "10.0 ms" },
		      { 12500000000, "12.5 s" },
		      { 59940000000, "59.9 s" },
		      { 125000000000, "2m05s" },
		      { 11520000000000, "3h12m" },
		      { 442800000000000, "5d03h" },
		      { UINT64_MAX, "213503d23h" } };
	char buf[HUMAN_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(human_duration(buf, cases[i].ns), strlen(cases[i].want));
		assert_string_equal(buf, cases[i].want);
	}
}

static void signal_names(void **state)
{
	char buf[SIGNAME_MAX];

	(void)state;
	signame_format(buf, 11);
	assert_string_equal(buf, "SIGSEGV");
	signame_format(buf, 34);
	assert_string_equal(buf, "SIGRTMIN");
	signame_format(buf, 64);
	assert_string_equal(buf, "SIGRTMIN+30");
	signame_format(buf, 99);
	assert_string_equal(buf, "signal 99");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(structure),
		cmocka_unit_test(strict_readers_take_any_bytes),
		cmocka_unit_test(strings_longer_than_the_buffer),
		cmocka_unit_test(the_first_error_is_kept),
		cmocka_unit_test(a_pipe_that_does_not_block),
		cmocka_unit_test(wall_clock_texts),
		cmocka_unit_test(durations_for_people),
		cmocka_unit_test(signal_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
