#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trace against the truth: tests/root/workload does hard things and writes down what is to be seen.

bats_require_minimum_version 1.5.0
load common

setup_file() {
	# Static, so that it also runs in a chroot; where other users can reach it, which bats's folders are not.
	BIN=$(mktemp -d /tmp/proctrace-workload.XXXXXX)
	export BIN
	chmod 755 "$BIN"
	cc -O1 -D_GNU_SOURCE -static -pthread -o "$BIN/workload" "$PT_SRC"/tests/root/workload/*.c
}

teardown_file() {
	rm -r "$BIN"
}

# Runs the workload under a trace with the options given: the events are in $GOT, what was wanted in $WANT.
traced() {
	WANT=$BATS_TEST_TMPDIR/want GOT=$BATS_TEST_TMPDIR/got
	mkdir -p "$BATS_TEST_TMPDIR/tmp"
	TMPDIR=$BATS_TEST_TMPDIR/tmp "$PROCTRACE" trace --json --events fork,exec,exit --args-max 128K --cwd --usage \
		--output "$GOT" "$@" -- "$BIN/workload" run "$WANT"
	[ "$(jq -s 'map(.case) | unique | length' "$WANT")" -ge 50 ]
}

# Prints the differences; $1: whether failed execs are to be seen.
compare() {
	jq -nr --slurpfile want "$WANT" --slurpfile got "$GOT" --argjson failed "$1" -f "$PT_SRC/tests/root/workload.jq"
}

right() {
	local failed=$1
	traced "${@:2}"
	run compare "$failed"
	echo "$output"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "each lifecycle is seen exactly as it was: tp_btf" {
	right false --attach tp_btf
}

@test "each lifecycle is seen exactly as it was: raw_tp" {
	right false --attach raw_tp
}

@test "with failed execs: tp_btf" {
	right true --attach tp_btf --failed
}

@test "with failed execs: raw_tp" {
	right true --attach raw_tp --failed
}

@test "the comparison finds what is wrong" {
	traced
	cp "$GOT" "$BATS_TEST_TMPDIR/right"
	finds() { # text, change to the events as a jq program
		jq -sc "$2 | .[]" "$BATS_TEST_TMPDIR/right" >"$GOT"
		run compare false
		echo "$output"
		[[ "$output" == *"$1"* ]]
	}
	[ -z "$(compare false)" ]
	finds 'not ["fork","exec","exit"]' 'del(.[12])'
	finds 'not ["fork","exec","exit"]' '. + [.[12]]'
	finds 'nobody: ' '. + [.[12] | .pid = 0]'
	finds 'ppid is 1, not' '.[20].ppid = 1'
	finds 'interp is "/bin/x", not null' '(.[] | select(.comm == "deleted" and .event == "exec")).interp = "/bin/x"'
	finds 'exit_code is 4, not 3' '(.[] | select(.exit_code == 3)).exit_code = 4'
	finds 'duration_ns is 99000000000, at most' '(.[] | select(.exit_code == 3)).duration_ns = 99000000000'
	finds 'args is' '(.[] | select(.args)).args |= .[1:]'
}

@test "a process that was there before ends with what is true of it" {
	sleep 100 3>&- &
	pid=$!
	read -rt 0.05 <> <(:) || :
	"$PROCTRACE" trace --pid $pid --record "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/text" 3>&- &
	tracer=$!
	wait_until grep -q DETAILS "$BATS_TEST_TMPDIR/text"
	kill -TERM $pid
	wait $pid || :
	wait_until grep -q ' exit ' "$BATS_TEST_TMPDIR/text"
	kill -INT $tracer
	wait $tracer
	"$PROCTRACE" trace --json --source "replay:$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/json"
	jq -es "length == 1 and (.[0] | .event == \"exit\" and .pid == $pid and .ppid == $$ and .comm == \"sleep\"
		and .signal == 15 and .duration_ns >= 50000000)" "$BATS_TEST_TMPDIR/json" || {
		cat "$BATS_TEST_TMPDIR/json"
		false
	}
}

@test "CPU time and memory are those that the kernel tells its parent" {
	"$PROCTRACE" trace --json --usage --output "$BATS_TEST_TMPDIR/out" -- \
		bash -c 'TIMEFORMAT="%U %S"; time dd if=/dev/zero of=/dev/null bs=64M count=40 2>/dev/null' 2>"$BATS_TEST_TMPDIR/err"
	read -r user sys < <(grep -E '^[0-9.]+ [0-9.]+$' "$BATS_TEST_TMPDIR/err")
	jq -es --arg user "$user" --arg sys "$sys" 'map(select(.event == "exit" and .comm == "dd"))[0]
		| ((.cpu_user_ns + .cpu_sys_ns) / 1e9 - ($user | tonumber) - ($sys | tonumber)) as $off
		| $off < 0.01 and $off > -0.05
		and .max_rss_bytes > 64 * 1048576 and .max_rss_bytes < 80 * 1048576' "$BATS_TEST_TMPDIR/out" || {
		cat "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
		false
	}
}

@test "threads are told where they are asked for" {
	"$PROCTRACE" trace --json --threads --output "$BATS_TEST_TMPDIR/out" -- \
		"$BIN/workload" storm 17
	[ "$(jq -s 'map(select(.event == "fork" and .thread and .tid != .pid)) | length' "$BATS_TEST_TMPDIR/out")" -eq 17 ]
	[ "$(jq -s 'map(select(.event == "exit")) | length' "$BATS_TEST_TMPDIR/out")" -eq 1 ]
}
