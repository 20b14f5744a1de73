#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154 # status, output, stderr are of bats
# Surroundings that mean no good: helpers killed or stopped, signals ignored, limits, namespaces.

bats_require_minimum_version 1.5.0
load common

teardown() {
	if [ -n "${pid:-}" ]; then
		kill -CONT "$pid" 2>/dev/null || :
		kill -KILL "$pid" 2>/dev/null || :
	fi
}

# A bench of one long cell, in the background.
bench_start() {
	"$PROCTRACE" bench --scenario serial --duration "$1" --rounds 1 --monitor netlink --json \
		>"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
}

guardian() {
	pgrep -P "$pid" proctrace-guard
}

# The janitor, a worker, the prober in the order of their start, and the guardian.
all_helpers() {
	guardian && [ "$(pgrep -P "$pid" | wc -l)" -ge 4 ]
}

# SIGNAL NUMBER: sends it to the helper of that number, and waits for bench.
helper_hit() {
	local victim
	bench_start 3 >/dev/null
	wait_until all_helpers >/dev/null
	victim=$(pgrep -P "$pid" | grep -vx "$(guardian)" | sort -n | sed -n "$2p")
	[ -n "$victim" ]
	kill -"$1" "$victim"
	status=0
	wait "$pid" || status=$?
}

@test "a helper that is killed or stopped: one sentence, nothing left" {
	local sig helper
	for sig in KILL STOP; do
		for helper in 1 2 3; do
			helper_hit "$sig" "$helper"
			[ "$status" -eq 1 ]
			[ "$(wc -l <"$BATS_TEST_TMPDIR/err")" -eq 1 ]
			grep -qE "load generator \(pid [0-9]+\) (died|was stopped by someone): signal" "$BATS_TEST_TMPDIR/err"
			wait_until none_left
		done
	done
}

@test "a guardian that is stopped holds nothing up, and leaves no subscription" {
	helper_build cn_listening
	before=$("$BATS_FILE_TMPDIR/cn_listening")
	bench_start 1
	wait_until guardian
	kill -STOP "$(guardian)"
	ended() { ! kill -0 "$pid" 2>/dev/null; }
	wait_until ended
	wait "$pid"
	wait_until none_left
	same() { [ "$("$BATS_FILE_TMPDIR/cn_listening")" = "$before" ]; }
	wait_until same
}

@test "what others start does not hide netlink's acknowledgement from a small buffer" {
	"$PROCTRACE" load --duration 30 >/dev/null 3>&- &
	pid=$!
	wait_until pgrep -P "$pid"
	for _ in 1 2 3 4 5; do
		"$PROCTRACE" bench --scenario serial --count 23 --rounds 1 --monitor netlink --rcvbuf 1 >/dev/null
	done
	kill -TERM "$pid"
	wait "$pid" || :
	pid=
	wait_until none_left
}

@test "SIGCHLD ignored by whoever started us" {
	run timeout 20 env --ignore-signal=CHLD "$PROCTRACE" trace --output /dev/null -- sh -c 'exit 5'
	[ "$status" -eq 5 ]
	run timeout 20 env --ignore-signal=CHLD "$PROCTRACE" bench --scenario serial --count 23 --rounds 1 --monitor netlink
	[ "$status" -eq 0 ]
}
