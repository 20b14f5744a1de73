#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154 # status, output, stderr are of bats
# The program's manners: help, version, and what it says to words that it does not know.

bats_require_minimum_version 1.5.0

load tree
load rec

COMMANDS=(bench trace load compare report sources)

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# TEXT: stderr holds exactly this line.
complains() {
	[[ $stderr == "proctrace: $1" ]] || { printf 'stderr: %s\nwanted: %s\n' "$stderr" "proctrace: $1"; return 1; }
}

@test "--help lists each command on stdout" {
	run --separate-stderr "$PROCTRACE" --help
	status_is 0
	[[ -z $stderr ]]
	for command in "${COMMANDS[@]}"; do
		grep -qE "^  $command +[a-z]" <<<"$output"
	done
	help=$output
	run "$PROCTRACE" help
	status_is 0
	[[ $output == "$help" ]]
	run "$PROCTRACE" -h
	[[ $output == "$help" ]]
}

@test "no command at all: the same help on stderr, status 2" {
	run --separate-stderr "$PROCTRACE"
	status_is 2
	[[ -z $output ]]
	[[ $stderr == *Commands:* ]]
}

@test "--version prints one line" {
	run --separate-stderr "$PROCTRACE" --version
	status_is 0
	[[ $output =~ ^proctrace\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "an unknown command is named, with the nearest one" {
	run --separate-stderr "$PROCTRACE" trcae
	status_is 2
	[[ -z $output ]]
	complains "unknown command 'trcae': did you mean 'trace'? See 'proctrace --help'"
	run --separate-stderr "$PROCTRACE" zzzzzz
	status_is 2
	complains "unknown command 'zzzzzz'; see 'proctrace --help'"
	run --separate-stderr "$PROCTRACE" help benhc
	status_is 2
	complains "unknown command 'benhc': did you mean 'bench'? See 'proctrace --help'"
	run --separate-stderr "$PROCTRACE" --verison
	status_is 2
	complains "unknown option '--verison'; see 'proctrace --help'"
}

@test "complaints show hostile words escaped" {
	run --separate-stderr "$PROCTRACE" $'\e[31mx\n\xff'
	status_is 2
	complains "unknown command '\\x1b[31mx\\n\\xff'; see 'proctrace --help'"
}

@test "each command's --help: stdout, status 0, at most 100 columns, every option explained" {
	local command line
	for command in "${COMMANDS[@]}"; do
		run --separate-stderr "$PROCTRACE" "$command" --help
		status_is 0
		[[ -z $stderr ]]
		contains "Usage: proctrace $command"
		contains "--help"
		while IFS= read -r line; do
			[[ ${#line} -le 100 ]] || { echo "$command: too long: $line"; false; }
		done <<<"$output"
		help=$output
		run "$PROCTRACE" help "$command"
		status_is 0
		[[ $output == "$help" ]]
	done
}

@test "each command names an unknown option and the nearest one" {
	local command
	for command in "${COMMANDS[@]}"; do
		run --separate-stderr "$PROCTRACE" "$command" --hepl
		status_is 2
		[[ -z $output ]]
		complains "unknown option '--hepl': did you mean '--help'? See 'proctrace $command --help'"
		run --separate-stderr "$PROCTRACE" "$command" -%
		status_is 2
		complains "unknown option '-%'; see 'proctrace $command --help'"
	done
}

@test "options without their value, and flags with one" {
	run --separate-stderr "$PROCTRACE" trace --duration
	status_is 2
	complains "option '--duration' needs a value: --duration TIME"
	run --separate-stderr "$PROCTRACE" trace --json=yes
	status_is 2
	complains "option '--json' takes no value: 'yes' is in vain"
}

@test "values that make no sense are quoted, with what would" {
	run --separate-stderr "$PROCTRACE" trace --duration soon
	status_is 2
	[[ $stderr == "proctrace: --duration 'soon' is not a duration; give "* ]]
	run --separate-stderr "$PROCTRACE" trace --ring -1
	status_is 2
	complains "--ring '-1' is not a size; give bytes, or 64K, 8M, 1G"
	run --separate-stderr "$PROCTRACE" trace --ring 99999999999G
	status_is 2
	complains "--ring '99999999999G' is too large for a size"
	run --separate-stderr "$PROCTRACE" trace --uid 4294967296
	status_is 2
	complains "--uid '4294967296' is too large; at most 4294967294"
	run --separate-stderr "$PROCTRACE" trace --attach kprobe
	status_is 2
	complains "--attach 'kprobe' is not known; give auto, tp_btf or raw_tp"
}

@test "a full disk is no success" {
	[[ -e /dev/full ]] || skip "no /dev/full here"
	run bash -c '"$PROCTRACE" --help >/dev/full'
	status_is 1
	contains "proctrace: cannot write the output: "
	run bash -c '"$PROCTRACE" sources >/dev/full'
	status_is 1
	run bash -c '"$PROCTRACE" sources --json >/dev/full'
	status_is 1
}

@test "a closed standard descriptor is nobody else's" {
	# A file of ours that got the number of stderr would hold what is said there.
	{
		rec_header
		rec_exec 2000000 10 1 0 ls /bin/ls ls
	} >f.rec
	"$PROCTRACE" trace --source replay:f.rec --output out 2>/dev/null
	"$PROCTRACE" trace --source replay:f.rec --output out2 <&- >&- 2>&-
	cmp out out2
	# Nothing is written, and that is told.
	run bash -c '"$PROCTRACE" trace --source replay:f.rec >&- 2>err'
	status_is 1
	grep -qx 'proctrace: cannot write the trace: Bad file descriptor' err
	run bash -c '"$PROCTRACE" load --count 23 --json <&- >&-'
	status_is 1
	contains 'proctrace: cannot write the output: Bad file descriptor'
}

@test "a limit to the size of files is told as a full disk is" {
	local want='cannot write the (output|report|trace): File too large'
	run bash -c 'prlimit --fsize=50 "$PROCTRACE" report "$PT_SRC/tests/data/report-serial.json" 2>&1 >out | cat'
	[[ $output =~ $want ]]
	{
		rec_header
		rec_exec 2000000 10 1 0 ls /bin/ls ls
	} >f.rec
	run bash -c 'prlimit --fsize=50 "$PROCTRACE" trace --source replay:f.rec --output out 2>&1'
	status_is 1
	[[ $output =~ $want ]]
}

@test "an option that is 0 or out of range does not pass for one that is not given" {
	local words
	for words in 'bench --ring 0' 'bench --ring 2G' 'bench --rcvbuf 0' 'bench --rcvbuf 3G' \
		'bench --equal-bytes 0' 'bench --rounds 0' 'bench --rounds 1001' 'bench --seed 0' \
		'bench --stall 1000' 'bench --duration 0' 'bench --count 0' 'trace --ring 0' \
		'trace --ring 2G' 'trace --rcvbuf 0' 'trace --duration 0' 'trace --duration 0.4ns' \
		'trace --pid 4294967295' 'trace --uid 4294967295'; do
		# shellcheck disable=SC2086
		run --separate-stderr timeout 10 "$PROCTRACE" $words
		status_is 2
		[[ -z $output && $stderr == "proctrace: --"* ]]
	done
}

@test "sources: each mechanism, whether it works, within 100 columns" {
	local line
	run --separate-stderr "$PROCTRACE" sources
	status_is 0
	for name in bpf netlink netlink-names replay; do
		grep -qE "^$name +(yes|no) " <<<"$output"
	done
	while IFS= read -r line; do
		[[ ${#line} -le 100 ]]
	done <<<"$output"
}

@test "sources --json: valid, with a reason for each that does not work" {
	"$PROCTRACE" sources --json >out
	jq -e '.schema == "proctrace.sources/1"' out
	jq -e '[.sources[].name] == ["bpf", "netlink", "netlink-names", "replay"]' out
	jq -e 'all(.sources[]; .works or (.why | length > 0))' out
	jq -e 'all(.sources[]; .events == ["fork", "exec", "exit"])' out
}

@test "sources takes no operands" {
	run --separate-stderr "$PROCTRACE" sources bpf
	status_is 2
	complains "unexpected argument 'bpf'; see 'proctrace sources --help'"
}
