// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "source/hooks.h"

static void sockets_in_the_group_count(void **state)
{
	(void)state;
	assert_int_equal(hooks_connector_count(
				 "sk       Eth Pid    Groups   Rmem Wmem Dump Locks Drops Inode\n"
				 "0000000000000000 0   0      00000000 0 0 0 2 0 4\n"
				 "0000000000000001 11  0      00000000 0 0 0 2 0 9\n"
				 "0000000000000002 11  2003   00000001 0 0 0 2 0 10\n"
				 "0000000000000003 15  2003   00000001 0 0 0 2 0 11\n"
				 "0000000000000004 11  -4123  00000003 0 0 0 2 0 12\n"),
			 2);
}

static void nothing_of_it_counts_none(void **state)
{
	(void)state;
	assert_int_equal(hooks_connector_count(""), 0);
	assert_int_equal(hooks_connector_count("no table\nat all\n"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sockets_in_the_group_count),
		cmocka_unit_test(nothing_of_it_counts_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
