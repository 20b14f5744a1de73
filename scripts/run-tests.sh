#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Runs the tests and sums them up: the last line is "N passed, N failed, N skipped". Status 1 if one
# failed. See tests/README.md for what each suite is.
#
# Usage: run-tests.sh [SUITE...]
#   build  unit  cli  root  fuzz  lint  vmlinux  sanitized      (all of these by default)
#   vm                            (boots other kernels: many minutes, and packages to fetch)
#
# Environment: O (build folder), CC, CLANG, FUZZ_SECONDS (for each target, 5),
# PT_BUILD_USER (whoever is to own what is built, when this runs as root; bootstrap.sh sets it).
set -euo pipefail

readonly SUITES=(build unit cli root fuzz lint vmlinux sanitized)
readonly ASKED_FOR=(vm)
PT_SRC=$(cd "$(dirname "$0")/.." && pwd)
export PT_SRC
cd "$PT_SRC"

O=${O:-build}
CC=${CC:-gcc}
CLANG=${CLANG:-clang}
FUZZ_SECONDS=${FUZZ_SECONDS:-5}

# What a calling make hands down (its O=, SAN=, job server) is not meant for the builds in here.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES SAN DEVELOPER

passed=0
failed=0
skipped=0
as_user=()
if [[ $EUID -eq 0 && -n ${PT_BUILD_USER:-} ]]; then
	as_user=(runuser -u "$PT_BUILD_USER" --)
fi

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
# The unprivileged half writes its own logs nowhere; it only has to be able to enter.
chmod 755 "$logs"

# --- counting ---------------------------------------------------------------------------------------

pass() {
	passed=$((passed + 1))
	printf '  ok    %s\n' "$1"
}

# NAME [LOG]: the log explains it.
fail() {
	failed=$((failed + 1))
	printf '  FAIL  %s\n' "$1"
	if [[ -n ${2:-} ]]; then
		tail -n 60 "$2" | sed 's/^/        /'
	fi
}

# NAME REASON [HOW MANY]
skip() {
	skipped=$((skipped + ${3:-1}))
	printf '  skip  %s: %s\n' "$1" "$2"
}

# LABEL LOG STATUS: counts the TAP in LOG; what failed and what was skipped is shown, with its reason.
tap_count() {
	local label=$1 log=$2 status=$3 line before='' shown=0 ok=0 bad=0 left=0 planned=0 n
	# bats: "ok 2 name # skip reason". cmocka: "not ok 3 # SKIP name" (1.1.5), later "ok 3 # SKIP name";
	# it knows no reasons, so the line that the test printed before is taken for one.
	local re_skip_bats='^ok [0-9]+ -? ?(.+) # skip ?(.*)$' re_skip_cmocka='^(not )?ok [0-9]+ # SKIP (.*)$'
	local re_plan='^1\.\.([0-9]+)'
	while IFS= read -r line; do
		if [[ $line =~ $re_skip_bats ]]; then
			left=$((left + 1)) shown=0
			printf '  skip  %s: %s: %s\n' "$label" "${BASH_REMATCH[1]}" \
				"${BASH_REMATCH[2]:-no reason given}"
		elif [[ $line =~ $re_skip_cmocka ]]; then
			left=$((left + 1)) shown=0
			printf '  skip  %s: %s: %s\n' "$label" "${BASH_REMATCH[2]}" \
				"${before:-no reason given}"
		elif [[ $line == 'not ok '* ]]; then
			bad=$((bad + 1)) shown=1
			printf '  FAIL  %s: %s\n' "$label" "${line#not ok }"
		elif [[ $line == 'ok '* ]]; then
			ok=$((ok + 1)) shown=0
		elif [[ $line =~ $re_plan ]]; then
			planned=$((planned + BASH_REMATCH[1])) shown=0
		elif [[ $shown -eq 1 ]]; then
			printf '        %s\n' "$line"
		fi
		if [[ $line == *'ok '[0-9]* ]]; then before=''; else before=${line#\# }; fi
	done <"$log"

	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left))
	n=$((planned - ok - bad - left))
	if [[ $n -gt 0 ]]; then
		fail "$label: $n of $planned tests did not run (status $status)" "$log"
		failed=$((failed + n - 1))
	elif [[ $status -ne 0 && $bad -eq 0 && ($left -eq 0 || $status -gt 1) ]]; then
		fail "$label: ended with status $status" "$log"
	elif [[ $((ok + bad + left)) -eq 0 ]]; then
		fail "$label: no test ran" "$log"
	fi
	printf '  ----  %s: %d ok, %d failed, %d skipped\n' "$label" "$ok" "$bad" "$left"
}

heading() {
	printf '\n%s\n' "$1"
}

have() {
	PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null
}

# --- building ---------------------------------------------------------------------------------------

build_in() {
	local dir=$1
	shift
	"${as_user[@]}" make -j"$(nproc)" O="$dir" CLANG="$CLANG" "$@"
}

build_goals() {
	echo all
	if pkg-config --exists cmocka; then
		echo tests
	fi
}

# NAME FOLDER VARIABLES...: a build without an error or a warning is one test.
build_variant() {
	local name=$1 dir=$2 log=$logs/build status=0 goals
	shift 2
	mapfile -t goals < <(build_goals)
	build_in "$dir" "$@" "${goals[@]}" >"$log" 2>&1 || status=$?
	if [[ $status -ne 0 ]] || grep -q 'warning:' "$log"; then
		fail "build: $name" "$log"
		return 1
	fi
	pass "build: $name"
}

# The plain program, for the suites that need one; quiet unless it fails.
build_plain() {
	local goals
	mapfile -t goals < <(build_goals)
	if ! build_in "$O" CC="$CC" "${goals[@]}" >"$logs/plain" 2>&1; then
		fail 'build: the program' "$logs/plain"
		return 1
	fi
}

suite_build() {
	heading 'build: with each compiler, warnings are errors'
	build_variant "$CC" "$O" CC="$CC" || true
	local cc
	for cc in gcc "$CLANG"; do
		if have "$cc"; then
			build_variant "$cc DEVELOPER=1" "$O/variant/$cc" CC="$cc" DEVELOPER=1 || true
		else
			skip "build: $cc DEVELOPER=1" "$cc is not installed"
		fi
	done
}

# --- unit, command line, root -----------------------------------------------------------------------

# LABEL FOLDER: the cmocka programs that were built there.
run_unit() {
	local label=$1 dir=$2 program log=$logs/tap status
	if ! pkg-config --exists cmocka; then
		skip "$label" 'cmocka is not installed' "$(find tests/unit -name 'test_*.c' | wc -l)"
		return
	fi
	for program in tests/unit/test_*.c; do
		[[ -e $program ]] || continue
		program=$(basename "$program" .c)
		status=0
		CMOCKA_MESSAGE_OUTPUT=TAP "${as_user[@]}" timeout -k 5 120 "$dir/tests/unit/$program" \
			>"$log" 2>&1 </dev/null || status=$?
		tap_count "$label $program" "$log" "$status"
	done
}

# LABEL PROGRAM FILES...: each bats file, with the given program, as whoever runs it.
run_bats() {
	local label=$1 program=$2 file log=$logs/tap status
	shift 2
	for file in "$@"; do
		[[ -e $file ]] || continue
		if ! have bats || ! have jq; then
			skip "$label $(basename "$file")" 'bats and jq are needed' \
				"$(grep -c '^@test' "$file")"
			continue
		fi
		status=0
		PROCTRACE=$program "${runner[@]}" timeout -k 20 900 bats --tap "$file" \
			>"$log" 2>&1 </dev/null || status=$?
		tap_count "$label $(basename "$file")" "$log" "$status"
	done
}

run_cli() {
	local runner=("${as_user[@]}")
	run_bats "$@"
}

run_root() {
	local runner=()
	if [[ $EUID -ne 0 ]]; then
		skip_root "$@"
		return
	fi
	run_bats "$@"
}

skip_root() {
	local label=$1 file n=0
	shift 2
	for file in "$@"; do
		[[ -e $file ]] && n=$((n + $(grep -c '^@test' "$file")))
	done
	[[ $n -eq 0 ]] || skip "$label: $n tests" 'they need root' "$n"
}

suite_unit() {
	heading 'unit: pure code'
	build_plain || return 0
	run_unit unit "$O"
}

suite_cli() {
	heading 'cli: the command line, without root'
	build_plain || return 0
	run_cli cli "$(realpath "$O/proctrace")" tests/cli/*.bats
}

suite_root() {
	heading 'root: on the real kernel'
	build_plain || return 0
	run_root root "$(realpath "$O/proctrace")" tests/root/*.bats
}

# The same once more with sanitizers in; the tests of Makefile and scripts gain nothing.
suite_sanitized() {
	local dir=$O/variant/sanitized program file files=()
	heading 'sanitized: unit, cli and root with SAN=address,undefined'
	build_variant "$CC SAN=address,undefined" "$dir" CC="$CC" SAN=address,undefined ||
		return 0
	program=$(realpath "$dir/proctrace")
	for file in tests/cli/*.bats; do
		[[ $file == */build.bats || $file == */scripts.bats ]] || files+=("$file")
	done
	export UBSAN_OPTIONS=print_stacktrace=1 PT_SANITIZED=1
	run_unit 'sanitized unit' "$dir"
	run_cli 'sanitized cli' "$program" "${files[@]}"
	run_root 'sanitized root' "$program" tests/root/*.bats
	unset UBSAN_OPTIONS PT_SANITIZED
}

# --- virtual machines -------------------------------------------------------------------------------

suite_vm() {
	heading 'vm: on other kernels, each in a virtual machine'
	build_plain || return 0
	local status=0
	"${as_user[@]}" env O="$O" CC="$CC" tests/vm/run.sh >"$logs/tap" 2>&1 </dev/null || status=$?
	tap_count vm "$logs/tap" "$status"
	[[ ! -e $O/vm/table ]] || sed 's/^/  /' "$O/vm/table"
}

# --- fuzzing ----------------------------------------------------------------------------------------

# Can clang link a fuzz target? Its runtime is a package of its own.
fuzz_works() {
	echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n ? 0 : 0; }' |
		"$CLANG" -fsanitize=fuzzer,address,undefined -x c - -o "$logs/probe" 2>"$logs/probe.err"
}

run_fuzzer() {
	local name=$1 dir=$O/fuzz/run/$1 log=$logs/fuzz status=0
	"${as_user[@]}" rm -rf "$dir"
	"${as_user[@]}" mkdir -p "$dir/corpus"
	# A copy: what the fuzzer adds is not for the source tree.
	if [[ -d tests/fuzz/corpus/${name#fuzz_} ]]; then
		"${as_user[@]}" cp -r "tests/fuzz/corpus/${name#fuzz_}/." "$dir/corpus"
	fi
	"${as_user[@]}" timeout -k 5 $((FUZZ_SECONDS + 60)) "$O/tests/fuzz/$name" \
		-max_total_time="$FUZZ_SECONDS" -timeout=10 -rss_limit_mb=2048 -verbosity=1 \
		-artifact_prefix="$dir/" "$dir/corpus" >"$log" 2>&1 </dev/null || status=$?
	if [[ $status -eq 0 ]]; then
		pass "fuzz: $name: $(grep '^Done' "$log" || echo 'done')"
	else
		fail "fuzz: $name (status $status; the input is kept in $dir)" "$log"
	fi
}

suite_fuzz() {
	heading "fuzz: each target for $FUZZ_SECONDS s, starting from the kept corpus"
	local source sources=(tests/fuzz/fuzz_*.c)
	[[ -e ${sources[0]} ]] || return 0
	if ! fuzz_works; then
		skip 'fuzz' "$CLANG has no libFuzzer and sanitizer runtime (package libclang-rt-N-dev)" \
			"${#sources[@]}"
		return 0
	fi
	if ! build_in "$O" CC="$CC" fuzzers >"$logs/fuzzers" 2>&1; then
		fail 'fuzz: build' "$logs/fuzzers"
		return 0
	fi
	for source in "${sources[@]}"; do
		run_fuzzer "$(basename "$source" .c)"
	done
}

# --- lint and vmlinux.h -----------------------------------------------------------------------------

suite_lint() {
	heading 'lint: style, scripts, who includes whom, sizes'
	local status=0
	"${as_user[@]}" scripts/lint.sh >"$logs/tap" 2>&1 </dev/null || status=$?
	tap_count lint "$logs/tap" "$status"
}

suite_vmlinux() {
	heading 'vmlinux: each field that is read exists in the running kernel'
	local status=0
	scripts/check-vmlinux.sh >"$logs/vmlinux" 2>&1 </dev/null || status=$?
	case $status in
	0) pass "vmlinux: $(tail -n 1 "$logs/vmlinux")" ;;
	77) skip vmlinux "$(tail -n 1 "$logs/vmlinux")" ;;
	*) fail vmlinux "$logs/vmlinux" ;;
	esac
}

main() {
	local suite wanted=("$@")
	[[ $# -gt 0 ]] || wanted=("${SUITES[@]}")
	for suite in "${wanted[@]}"; do
		if [[ " ${SUITES[*]} ${ASKED_FOR[*]} " != *" $suite "* ]]; then
			echo "run-tests.sh: no suite is called '$suite'; there are: ${SUITES[*]} ${ASKED_FOR[*]}" >&2
			exit 2
		fi
	done
	for suite in "${wanted[@]}"; do
		"suite_$suite"
	done
	printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
	[[ $failed -eq 0 ]]
}

main "$@"
