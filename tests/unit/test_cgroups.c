// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>

#include "sink/cgroups.h"

#define ID64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void containers_are_found_in_paths(void **state)
{
	static const struct {
		const char *path, *id;
	} cases[] = {
		{ "/docker/" ID64, ID64 },
		{ "/system.slice/docker-" ID64 ".scope", ID64 },
		{ "/kubepods.slice/kubepods-pod1/cri-containerd-" ID64 ".scope/init", ID64 },
		{ "/machine.slice/libpod-" ID64 ".scope/container", ID64 },
		{ "/lxc/0123456789ab", "0123456789ab" },
		{ "/0123456789ab/aaaaaaaaaaaa", "aaaaaaaaaaaa" },
		{ "/lxc/0123456789a", NULL },
		{ "/x0123456789ab", NULL },
		{ "/user.slice/user-1000.slice/session-3.scope", NULL },
		{ "/docker-" ID64 ".service", NULL },
		{ "/", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str path = { cases[i].path, strlen(cases[i].path) };
		struct str id = cgroup_container(path);

		assert_int_equal(!id.p, !cases[i].id);
		if (!id.p)
			continue;
		assert_int_equal(id.len, strlen(cases[i].id));
		assert_memory_equal(id.p, cases[i].id, id.len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(containers_are_found_in_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
