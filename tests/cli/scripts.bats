#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The scripts that install, test and lint: each must say no when something is wrong.

load tree

setup() {
	TREE=$BATS_TEST_TMPDIR/tree
	FAKE=$BATS_TEST_TMPDIR/fake
	mkdir -p "$FAKE"
	tree_copy "$TREE"
	cd "$TREE"
}

# fake NAME BODY: a program of that name comes first in PATH.
fake() {
	printf '#!/bin/bash\n%s\n' "$2" >"$FAKE/$1"
	chmod +x "$FAKE/$1"
}

# --- bootstrap.sh -----------------------------------------------------------------------------------

on_debian() {
	[[ -x /usr/bin/apt-get && -x /usr/bin/dpkg-query ]] || skip 'not Debian'
}

# dpkg-query finds all installed but $1, until apt-get has "installed" it.
fake_packages() {
	fake dpkg-query "[[ \"\${*: -1}\" == $1 && ! -e $FAKE/done ]] || echo -n installed"
	fake apt-get "echo \"\$*\" >>$FAKE/asked; [[ \$* != *install* ]] || touch $FAKE/done"
	fake sudo 'exit 1'
}

# As someone without root: this user, or, for root, nobody.
unprivileged() {
	if [[ $EUID -eq 0 ]]; then
		chmod -R a+rwX "$BATS_TEST_TMPDIR"
		chmod a+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/*/
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

@test "bootstrap: no command, or an unknown one, prints how it is used" {
	run scripts/bootstrap.sh
	status_is 2
	contains 'Usage: bootstrap.sh COMMAND'
	run scripts/bootstrap.sh nonsense
	status_is 2
	run scripts/bootstrap.sh --help
	status_is 0
	contains 'check'
}

@test "bootstrap: with everything installed, apt-get is not asked" {
	on_debian
	fake_packages nothing
	PATH=$FAKE:$PATH run scripts/bootstrap.sh deps
	status_is 0
	[[ ! -e $FAKE/asked ]]
}

@test "bootstrap: installs only what is missing, asking no question" {
	on_debian
	[[ $EUID -eq 0 ]] || skip 'needs root'
	fake_packages jq
	PATH=$FAKE:$PATH run scripts/bootstrap.sh deps
	status_is 0
	output=$(<"$FAKE/asked")
	contains update
	contains '-y --no-install-recommends install jq'
	[[ ${output##*install } == jq ]]
}

@test "bootstrap: without root and sudo, it names the command to type" {
	on_debian
	fake_packages jq
	PATH=$FAKE:$PATH run unprivileged scripts/bootstrap.sh deps
	status_is 1
	[[ ${#lines[@]} -eq 1 ]]
	contains 'sudo apt-get install --no-install-recommends jq'
	[[ ! -e $FAKE/asked ]]
}

@test "bootstrap: an installation that fails is one sentence" {
	on_debian
	[[ $EUID -eq 0 ]] || skip 'needs root'
	fake_packages jq
	fake apt-get 'exit 100'
	PATH=$FAKE:$PATH run scripts/bootstrap.sh deps
	status_is 1
	contains 'bootstrap.sh: these packages are missing and apt-get could not install them'
	contains ': jq'
}

@test "bootstrap: bench without root builds, then says that root is needed" {
	on_debian
	fake_packages nothing
	fake make 'touch built'
	PATH=$FAKE:$PATH run unprivileged scripts/bootstrap.sh bench --duration 1
	status_is 1
	[[ -e built ]]
	contains 'bench needs root'
	contains 'sudo scripts/bootstrap.sh bench --duration 1'
}

@test "bootstrap: a build that fails is said so" {
	on_debian
	fake_packages nothing
	fake make 'exit 2'
	PATH=$FAKE:$PATH run scripts/bootstrap.sh build
	status_is 1
	contains 'the build failed'
}

# --- run-tests.sh -----------------------------------------------------------------------------------

# One unit program with the given tests, instead of all others.
one_unit_test() {
	rm -f tests/unit/*.c
	{
		printf '// SPDX-License-Identifier: MIT\n#include <stdarg.h>\n#include <stddef.h>\n'
		printf '#include <setjmp.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <cmocka.h>\n'
		printf 'static void good(void **s)\n{\n\t(void)s;\n}\n'
		printf 'static void bad(void **s)\n{\n\t(void)s;\n\tassert_int_equal(1, 2);\n}\n'
		printf 'static void left(void **s)\n{\n\t(void)s;\n\tprint_message("no reason\\n");\n\tskip();\n}\n'
		printf 'static void gone(void **s)\n{\n\t(void)s;\n\t_exit(0);\n}\n' | sed 's/_exit/_Exit/'
		printf 'static void unused(void)\n{\n\t(void)good, (void)bad, (void)left, (void)gone;\n}\n'
		printf 'int main(void)\n{\n\tconst struct CMUnitTest t[] = {\n'
		printf '\t\tcmocka_unit_test(%s),\n' "$@"
		printf '\t};\n\n\tunused();\n\treturn cmocka_run_group_tests(t, NULL, NULL);\n}\n'
	} >tests/unit/test_one.c
	# The program itself is not the matter here.
	mkdir -p build/tests/unit
	gcc tests/unit/test_one.c -o build/tests/unit/test_one -lcmocka
	fake make 'exit 0'
}

@test "run-tests: sums up on its last line" {
	pkg-config --exists cmocka || skip 'cmocka is not installed'
	one_unit_test good good
	PATH=$FAKE:$PATH run scripts/run-tests.sh unit
	status_is 0
	[[ ${lines[-1]} == '2 passed, 0 failed, 0 skipped' ]]
}

@test "run-tests: a failing test fails, a skipped one is named" {
	pkg-config --exists cmocka || skip 'cmocka is not installed'
	one_unit_test good bad left
	PATH=$FAKE:$PATH run scripts/run-tests.sh unit
	status_is 1
	contains 'FAIL  unit test_one: 2 - bad'
	contains '0x1 != 0x2'
	contains 'skip  unit test_one: left: no reason'
	[[ ${lines[-1]} == '1 passed, 1 failed, 1 skipped' ]]
}

@test "run-tests: tests that never ran are failures, even where the program ends with 0" {
	pkg-config --exists cmocka || skip 'cmocka is not installed'
	one_unit_test good gone good
	PATH=$FAKE:$PATH run scripts/run-tests.sh unit
	status_is 1
	contains 'did not run'
	[[ ${lines[-1]} == *' failed, 0 skipped' && ${lines[-1]} != *' 0 failed'* ]]
}

@test "run-tests: bats tests are counted one by one" {
	rm -f tests/cli/*.bats
	printf '@test "%s" { %s; }\n' one true two 'echo why; false' three 'skip "no reason"' >tests/cli/x.bats
	mkdir -p build
	fake make 'touch build/proctrace'
	PATH=$FAKE:$PATH run scripts/run-tests.sh cli
	status_is 1
	contains 'FAIL  cli x.bats: 2 two'
	contains '# why'
	contains 'skip  cli x.bats: three: no reason'
	[[ ${lines[-1]} == '1 passed, 1 failed, 1 skipped' ]]
}

@test "run-tests: without root, root tests are skipped and counted" {
	rm -f tests/root/*.bats
	printf '@test "%s" { true; }\n' one two >tests/root/x.bats
	mkdir -p build
	fake make 'touch build/proctrace'
	PATH=$FAKE:$PATH run unprivileged scripts/run-tests.sh root
	status_is 0
	contains 'they need root'
	[[ ${lines[-1]} == '0 passed, 0 failed, 2 skipped' ]]
}

@test "run-tests: a build that fails, or warns, is a failure" {
	fake make 'echo "x.c:1: warning: odd"'
	PATH=$FAKE:$PATH run scripts/run-tests.sh build
	status_is 1
	contains 'FAIL  build: gcc DEVELOPER=1'
	contains 'warning: odd'
	fake make 'exit 2'
	PATH=$FAKE:$PATH run scripts/run-tests.sh unit
	status_is 1
	[[ ${lines[-1]} == '0 passed, 1 failed, 0 skipped' ]]
}

@test "run-tests: an unknown suite is refused" {
	run scripts/run-tests.sh nonsense
	status_is 2
	contains "no suite is called 'nonsense'"
}

# --- lint.sh ----------------------------------------------------------------------------------------

@test "lint: a file without licence, space at the end, no newline" {
	printf 'int x; \nint y;' >user/base/zz_probe.c
	run scripts/lint.sh licence space
	status_is 1
	contains '# user/base/zz_probe.c: no SPDX line at the top'
	contains '# user/base/zz_probe.c:1: space at the end of the line'
	contains '# user/base/zz_probe.c: no newline at the end'
}

@test "lint: an include that goes upward, or sideways, or is not relative to user/" {
	echo '#include "cmd/cmd.h"' >user/base/zz_a.c
	echo '#include "source/source.h"' >user/load/zz_b.c
	echo '#include "zz_d.h"' >user/event/zz_c.c
	echo '#include "../user/base/err.h"' >bpf/zz_e.h
	run scripts/lint.sh includes
	status_is 1
	contains '# user/base/zz_a.c: user/base must not include "cmd/cmd.h"'
	contains '# user/load/zz_b.c: user/load must not include "source/source.h"'
	contains '# user/event/zz_c.c: "zz_d.h" is not relative to user/'
	contains '# bpf/zz_e.h: the BPF half must not include'
}

@test "lint: a function, a file, a header that is too long" {
	{
		echo 'int zz_long(void)'
		echo '{'
		printf '\tzz(%d);\n' {1..48}
		echo '}'
	} >user/base/zz_a.c
	printf '// %d\n' {1..500} >user/base/zz_b.c
	printf '// %d\n' {1..116} >user/base/zz_c.h
	run scripts/lint.sh sizes
	status_is 1
	contains 'user/base/zz_a.c:2: zz_long() has 50 lines'
	contains 'user/base/zz_b.c: 500 lines'
	contains 'user/base/zz_c.h: 116 lines'
}

@test "lint: shell scripts" {
	command -v shellcheck >/dev/null || skip 'shellcheck is not installed'
	printf '#!/bin/bash\n# SPDX-License-Identifier: MIT\nrm $1\n' >scripts/zz.sh
	run scripts/lint.sh shell
	status_is 1
	contains '# scripts/zz.sh:3:4:'
}

# --- check-vmlinux.sh -------------------------------------------------------------------------------

vmlinux_works() {
	run scripts/check-vmlinux.sh
	[[ $status -ne 77 ]] || skip "$output"
}

@test "check-vmlinux: proves the header as it is" {
	vmlinux_works
	status_is 0
	contains 'fields and constants proven'
}

@test "check-vmlinux: a field of another type, an unknown one, another value" {
	vmlinux_works
	sed -i 's/__u64 start_time/__u32 start_time/; s/arg_end;/arg_finish;/; s/PIDTYPE_PGID = 2/PIDTYPE_PGID = 7/' \
		vmlinux/vmlinux.h
	run scripts/check-vmlinux.sh
	status_is 1
	contains 'task_struct.start_time: INT unsigned int of 4 bytes here'
	contains 'mm_struct.arg_finish: not in this kernel'
	contains 'mm_struct.arg_finish: no BPF program reads it'
	contains 'PIDTYPE_PGID = 7: another value'
}

@test "check-vmlinux: what only other kernels have is a flavour's" {
	vmlinux_works
	before=$(grep -oE '[0-9]+ of other kernels' <<<"$output" || echo 0)
	sed -i 's/^struct upid {/struct task_struct___before {\n\tlong comm_of_yore;\n};\n\n&/' vmlinux/vmlinux.h
	echo '/* comm_of_yore */' >>bpf/proctrace.bpf.c
	run scripts/check-vmlinux.sh
	status_is 0
	contains "$((${before%% *} + 1)) of other kernels left alone"
}

@test "check-vmlinux: without BTF it cannot check, and says so" {
	run scripts/check-vmlinux.sh /nowhere
	status_is 77
	contains 'cannot be read'
}
