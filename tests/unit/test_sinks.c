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
#include <string.h>
#include <unistd.h>

#include "sink/json.h"
#include "sink/recfile.h"
#include "sink/text.h"

#define WALL_OFFSET 1764550932000000000 /* 2025-12-01T01:02:12Z at mono 0 */

static int fd;
static char got[1 << 20];

static int make_file(void **state)
{
	char name[] = "/tmp/test_sinks.XXXXXX";

	(void)state;
	setenv("TZ", "UTC", 1);
	fd = mkostemp(name, O_CLOEXEC);
	return fd < 0 || unlink(name);
}

static int close_file(void **state)
{
	(void)state;
	return close(fd);
}

/* Closes the sink and returns all that it wrote. */
static const char *finish(struct sink *s)
{
	ssize_t n;

	s->ops->flush(s);
	assert_int_equal(s->ops->error(s), 0);
	s->ops->close(s);
	n = pread(fd, got, sizeof(got) - 1, 0);
	assert_true(n >= 0);
	got[n] = '\0';
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return got;
}

static struct sink *new_json(void)
{
	return sink_json_new(&(struct sink_json_cfg){
		.fd = fd, .wall_known = true, .wall_offset_ns = WALL_OFFSET });
}

static struct sink *new_text(unsigned width)
{
	return sink_text_new(&(struct sink_text_cfg){
		.fd = fd, .width = width, .wall_known = true, .wall_offset_ns = WALL_OFFSET });
}

static struct event exec_event(const char *args, size_t n)
{
	struct event ev = event_empty(EV_EXEC);

	ev.ts_ns = 123456789;
	ev.pid = ev.tid = 4711;
	ev.ppid = 1;
	ev.uid = 0;
	strcpy(ev.comm, "ls");
	ev.path = (struct str){ "/bin/ls", 7 };
	ev.args = (struct str){ args, n };
	return ev;
}

static struct event exit_event(int status)
{
	struct event ev = event_empty(EV_EXIT);

	ev.ts_ns = 1123456789;
	ev.pid = 4711;
	ev.tid = 4712;
	ev.status = status;
	ev.duration_ns = 2130000;
	return ev;
}

#define ARGS(s) s, sizeof(s) - 1

static void json_exec(void **state)
{
	struct event ev = exec_event(ARGS("ls\0-l\0a b\0\0"));
	struct sink *s = new_json();

	(void)state;
	sink_event(s, &ev);
	assert_string_equal(
		finish(s), "{\"event\":\"exec\",\"ts\":\"2025-12-01T01:02:12.123456789Z\",\"mono_"
			   "ns\":123456789,"
			   "\"pid\":4711,\"ppid\":1,\"uid\":0,\"comm\":\"ls\",\"path\":\"/bin/ls\","
			   "\"args\":[\"ls\",\"-l\",\"a b\",\"\"]}\n");
}

static void json_exit(void **state)
{
	struct event code = exit_event(3 << 8), core = exit_event(11 | 0x80);
	struct sink *s = new_json();

	(void)state;
	sink_event(s, &code);
	sink_event(s, &core);
	assert_string_equal(
		finish(s),
		"{\"event\":\"exit\",\"ts\":\"2025-12-01T01:02:13.123456789Z\",\"mono_ns\":"
		"1123456789,"
		"\"pid\":4711,\"tid\":4712,\"exit_code\":3,\"duration_ns\":2130000}\n"
		"{\"event\":\"exit\",\"ts\":\"2025-12-01T01:02:13.123456789Z\",\"mono_ns\":"
		"1123456789,"
		"\"pid\":4711,\"tid\":4712,\"signal\":11,\"signal_name\":\"SIGSEGV\",\"core\":true,"
		"\"duration_ns\":2130000}\n");
}

static void json_leaves_out_what_is_absent(void **state)
{
	struct event ev = event_empty(EV_FORK), none = event_empty(EV_EXEC);
	struct sink *s = new_json();

	(void)state;
	ev.pid = 5;
	none.args = (struct str){ "", 0 };
	none.flags = EVF_ARGS_TRUNCATED | EVF_GONE;
	sink_event(s, &ev);
	sink_event(s, &none);
	s->ops->lost(s, EV_EXEC, 312, "ring full");
	s->ops->lost(s, EV_KINDS, 1, NULL);
	assert_string_equal(
		finish(s),
		"{\"event\":\"fork\",\"pid\":5}\n"
		"{\"event\":\"exec\",\"args\":[],\"args_truncated\":true,\"gone\":true}\n"
		"{\"event\":\"lost\",\"kind\":\"exec\",\"count\":312,\"place\":\"ring full\"}\n"
		"{\"event\":\"lost\",\"count\":1}\n");
}

static void json_has_all_fields(void **state)
{
	struct event ev = exec_event(ARGS("a\0")), end = exit_event(0), fork = event_empty(EV_FORK);
	struct sink *s = new_json();

	(void)state;
	ev.ts_ns = end.ts_ns = EV_NO_TIME;
	ev.cpu = 1;
	ev.tid = 4712;
	ev.ns_pid = 5;
	ev.pidns = 4026531836;
	ev.gid = 6;
	ev.euid = 7;
	ev.loginuid = 8;
	ev.sessionid = 9;
	ev.cgroup_id = 10;
	strcpy(ev.old_comm, "sh");
	strcpy(ev.parent_comm, "\xff");
	ev.interp = (struct str){ "/bin/sh", 7 };
	ev.cwd = (struct str){ "/", 1 };
	ev.flags = EVF_EXEC_FAILED;
	ev.error = ENOENT;
	end.cpu_user_ns = 11;
	end.cpu_sys_ns = 12;
	end.max_rss_bytes = 13;
	fork.pid = 1;
	fork.tid = 2;
	fork.flags = EVF_THREAD;
	sink_event(s, &ev);
	sink_event(s, &end);
	sink_event(s, &fork);
	assert_string_equal(
		finish(s),
		"{\"event\":\"exec\",\"cpu\":1,\"pid\":4711,\"tid\":4712,\"ppid\":1,\"ns_pid\":5,"
		"\"pidns\":4026531836,\"uid\":0,\"gid\":6,\"euid\":7,\"loginuid\":8,"
		"\"sessionid\":9,\"cgroup_id\":10,\"comm\":\"ls\",\"old_comm\":\"sh\","
		"\"parent_comm\":\"\xef\xbf\xbd\",\"parent_comm_hex\":\"ff\","
		"\"path\":\"/bin/ls\",\"interp\":\"/bin/sh\",\"cwd\":\"/\",\"args\":[\"a\"],"
		"\"failed\":true,\"error\":2,\"error_name\":\"ENOENT\"}\n"
		"{\"event\":\"exit\",\"pid\":4711,\"tid\":4712,\"exit_code\":0,"
		"\"duration_ns\":2130000,\"cpu_user_ns\":11,\"cpu_sys_ns\":12,"
		"\"max_rss_bytes\":13}\n"
		"{\"event\":\"fork\",\"pid\":1,\"tid\":2,\"thread\":true}\n");
}

static void json_of_hostile_bytes_is_valid_and_lossless(void **state)
{
	struct event ev = exec_event(ARGS("\033]0;x\a\0\xff\"\n\0"));
	struct sink *s = new_json();
	json_t *root;

	(void)state;
	memcpy(ev.comm, "\xff\n\"\\0123456789a", 16);
	sink_event(s, &ev);
	root = json_loads(finish(s), 0, NULL);
	assert_non_null(root);
	assert_string_equal(json_string_value(json_object_get(root, "comm_hex")),
			    "ff0a225c3031323334353637383961");
	assert_string_equal(json_string_value(json_object_get(root, "args_hex")),
			    "1b5d303b780700ff220a00");
	assert_string_equal(json_string_value(json_array_get(json_object_get(root, "args"), 1)),
			    "\xef\xbf\xbd\"\n");
	assert_null(json_object_get(root, "path_hex"));
	json_decref(root);
}

static void text_lines(void **state)
{
	struct event exec = exec_event(ARGS("ls\0-l\0a b\0\0")), code = exit_event(3 << 8),
		     core = exit_event(11 | 0x80), term = exit_event(15);
	struct sink *s = new_text(0);

	(void)state;
	exec.uid = 4000000000U; /* nobody's: shown as its number */
	term.duration_ns = EV_NO_TIME;
	sink_event(s, &exec);
	sink_event(s, &code);
	sink_event(s, &core);
	sink_event(s, &term);
	s->ops->lost(s, EV_EXEC, 312, "ring full");
	s->ops->lost(s, EV_KINDS, 1, NULL);
	assert_string_equal(
		finish(s),
		"TIME         EVENT     PID    PPID USER     COMM            DETAILS\n"
		"01:02:12.123 exec     4711       1 4000000000 ls              ls -l 'a b' ''\n"
		"01:02:13.123 exit     4711       - -        -               exit 3 after 2.13 ms\n"
		"01:02:13.123 exit     4711       - -        -               SIGSEGV (core) after "
		"2.13 ms\n"
		"01:02:13.123 exit     4711       - -        -               SIGTERM\n"
		"             lost  312 exec events were lost here: ring full\n"
		"             lost  1 event was lost here\n");
}

static void text_says_what_is_missing(void **state)
{
	struct event cut = exec_event(ARGS("ls\0-l")), unreadable = exec_event("", 0),
		     gone = event_empty(EV_EXEC);
	struct sink *s = new_text(0);

	(void)state;
	cut.flags = EVF_ARGS_TRUNCATED;
	unreadable.flags = EVF_ARGS_UNREADABLE;
	gone.flags = EVF_GONE;
	gone.pid = 5;
	sink_event(s, &cut);
	sink_event(s, &unreadable);
	sink_event(s, &gone);
	assert_string_equal(finish(s),
			    "TIME         EVENT     PID    PPID USER     COMM            DETAILS\n"
			    "01:02:12.123 exec     4711       1 root     ls              ls -l …\n"
			    "01:02:12.123 exec     4711       1 root     ls              /bin/ls "
			    "(arguments could not "
			    "be read)\n"
			    "             exec        5       - -        -               (gone "
			    "before its name was "
			    "read)\n");
}

static void text_is_safe_for_a_terminal(void **state)
{
	struct event ev = exec_event(ARGS("\033]0;x\a\0\xff\"\n\0it's\0"));
	struct sink *s = new_text(0);

	(void)state;
	strcpy(ev.comm, "e\033[2J\n\xff");
	sink_event(s, &ev);
	assert_non_null(strstr(finish(s),
			       " e\\x1b[2J\\n\\xff  $'\\x1b]0;x\\x07' $'\\xff\"\\n' $'it\\'s'\n"));
	for (const char *p = got; *p; p++)
		assert_true(*p == '\n' || (unsigned char)*p >= ' ');
}

static void text_fits_the_terminal(void **state)
{
	struct event ev = exec_event(ARGS("0123456789\0abcdefghij\0"));
	struct sink *s;
	const char *line;

	(void)state;
	/* 60 columns stand before the details, which take 21. */
	s = new_text(81);
	sink_event(s, &ev);
	assert_non_null(strstr(finish(s), " 0123456789 abcdefghij\n"));
	s = new_text(80);
	sink_event(s, &ev);
	assert_non_null(strstr(finish(s), " 0123456789 abcdefgh…\n"));
	s = new_text(10);
	sink_event(s, &ev);
	line = finish(s);
	assert_string_equal(line, "TIME     …\n01:02:12.…\n");
}

static void very_long_arguments(void **state)
{
	static char args[128 << 10];
	struct event ev;
	struct sink *s;

	(void)state;
	memset(args, '\'', sizeof(args) - 1);
	ev = exec_event(args, sizeof(args));
	s = new_text(0);
	sink_event(s, &ev);
	assert_true(strlen(finish(s)) > 2 * sizeof(args));
	s = new_json();
	sink_event(s, &ev);
	assert_true(strlen(finish(s)) > sizeof(args));
	/* As many words as can be: each takes the most room for a byte. */
	memset(args, 0, sizeof(args));
	s = new_text(0);
	sink_event(s, &ev);
	assert_true(strlen(finish(s)) > 3 * (sizeof(args) - 1));
}

static void errors_are_told(void **state)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct sink *sinks[] = { sink_json_new(&(struct sink_json_cfg){ .fd = full }),
				 sink_text_new(&(struct sink_text_cfg){ .fd = full }),
				 sink_recfile_new(&(struct sink_recfile_cfg){ .fd = full }) };
	struct event ev = exit_event(0);

	(void)state;
	for (size_t i = 0; i < sizeof(sinks) / sizeof(sinks[0]); i++) {
		sink_event(sinks[i], &ev);
		assert_int_equal(sinks[i]->ops->error(sinks[i]), 0);
		sinks[i]->ops->flush(sinks[i]);
		assert_int_equal(sinks[i]->ops->error(sinks[i]), -ENOSPC);
		sinks[i]->ops->close(sinks[i]);
	}
	close(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_exec),
		cmocka_unit_test(json_exit),
		cmocka_unit_test(json_leaves_out_what_is_absent),
		cmocka_unit_test(json_has_all_fields),
		cmocka_unit_test(json_of_hostile_bytes_is_valid_and_lossless),
		cmocka_unit_test(text_lines),
		cmocka_unit_test(text_says_what_is_missing),
		cmocka_unit_test(text_is_safe_for_a_terminal),
		cmocka_unit_test(text_fits_the_terminal),
		cmocka_unit_test(very_long_arguments),
		cmocka_unit_test(errors_are_told),
	};

	return cmocka_run_group_tests(tests, make_file, close_file);
}
