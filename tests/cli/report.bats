#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# report: saved reports, printed again.

bats_require_minimum_version 1.5.0
load tree

setup() {
	DATA=$PT_SRC/tests/data
	cd "$BATS_TEST_TMPDIR"
}

@test "report prints head, table and verdict" {
	run -0 "$PROCTRACE" report "$DATA/report-serial.json"
	contains "proctrace bench · Linux 6.18.44 x86_64 · 2 CPUs · KVM guest · 6 rounds × 2 s"
	contains "serial · 1 worker · vfork, wait · 11 351 launches/s without a monitor"
	contains "eBPF delivered and named every launch"
}

@test "report says where events were lost, and what failed" {
	run -0 "$PROCTRACE" report "$DATA/report-lossy.json"
	contains "! Interrupted"
	contains "netlink lost 62 371 (exec 24 948, exit 37 423): receive buffer full 62 371"
	contains "! CHECK FAILED, eBPF: generated 39 050, accounted for 39 049"
	contains "99.9993"
}

@test "no line is wider than 100 columns" {
	"$PROCTRACE" report "$DATA/report-lossy.json" >out
	LC_ALL=C.UTF-8 run -1 grep -nE '^.{101,}$' out
}

@test "report --json gives the same report again" {
	"$PROCTRACE" report --json "$DATA/report-lossy.json" >again.json
	# Keys that came later are added; what an earlier version wrote stays as it was.
	jq -e --slurpfile old "$DATA/report-lossy.json" \
		'. as $new | $old[0] | [paths(scalars) as $p | getpath($p) == ($new | getpath($p))] | all' again.json
	"$PROCTRACE" report --json again.json | cmp again.json -
	diff <("$PROCTRACE" report "$DATA/report-lossy.json") <("$PROCTRACE" report again.json)
}

@test "a hostile report cannot write to the terminal" {
	"$PROCTRACE" report "$DATA/report-hostile.json" >out
	LC_ALL=C run -1 grep -n "$(printf '[\001-\010\013-\037\177]')" out
	grep -F '\x1b]0;owned\x07' out
}

@test "there is no colour in a file or a pipe" {
	"$PROCTRACE" report "$DATA/report-serial.json" | cat >out
	grep -q eBPF out
	run -1 grep -n "$(printf '\033')" out
}

# as_terminal COMMAND...: runs it on a terminal of its own.
as_terminal() {
	command -v script >/dev/null || skip "script(1) is not installed"
	TERM=xterm script -qec "$*" /dev/null </dev/null >out
}

@test "colour on a terminal, unless NO_COLOR is set" {
	as_terminal "'$PROCTRACE' report '$DATA/report-serial.json'"
	grep -q "$(printf '\033\\[1m')" out
	NO_COLOR=1 as_terminal "'$PROCTRACE' report '$DATA/report-serial.json'"
	run -1 grep -n "$(printf '\033')" out
}

@test "files that are no report get one sentence" {
	echo '{"schema": "proctrace.report/1"}' >missing.json
	head -c 3000 "$DATA/report-serial.json" >cut.json
	sed 's/"cpus": 2,/"cpus": "two",/' "$DATA/report-serial.json" >wrong.json
	: >empty.json
	for file in missing cut wrong empty nowhere; do
		run -1 --separate-stderr "$PROCTRACE" report $file.json
		[[ -z $output ]]
		[[ ${#stderr_lines[@]} -eq 1 ]]
		[[ $stderr == "proctrace: "*"$file.json"* ]] || { echo "$file: $stderr"; return 1; }
	done
	run -1 --separate-stderr "$PROCTRACE" report wrong.json
	[[ $stderr == *"host.cpus must be a whole number"* ]]
}

@test "report wants one file" {
	run -2 "$PROCTRACE" report
	run -2 "$PROCTRACE" report a.json b.json
	run -2 "$PROCTRACE" report --html x "$DATA/report-serial.json"
}

@test "a full disk is a failure" {
	run -1 --separate-stderr bash -c '"$1" report "$2" >/dev/full' - "$PROCTRACE" "$DATA/report-serial.json"
	[[ $stderr == *"No space left on device"* ]]
	run -1 --separate-stderr bash -c '"$1" report --json "$2" >/dev/full' - "$PROCTRACE" \
		"$DATA/report-serial.json"
	[[ $stderr == *"No space left on device"* ]]
}
