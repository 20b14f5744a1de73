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

# Counts what reaches it until it ends by itself.
counter() {
	# shellcheck disable=SC2016
	"$PROCTRACE" trace --output /dev/null -- bash -c '
		n=0
		trap "n=\$((n + 1))" TERM
		touch "$0/ready"
		until [ -e "$0/go" ]; do read -rt 0.02 <> <(:); done
		exit "$n"' "$BATS_TEST_TMPDIR" 3>&- &
	pid=$!
}

@test "trace passes a signal on to its command once" {
	counter
	wait_until [ -e "$BATS_TEST_TMPDIR/ready" ]
	kill -TERM "$pid"
	# Others start and end meanwhile: each wakes the trace.
	for _ in 1 2 3 4 5 6 7 8 9 10; do /bin/sleep 0.05; done
	touch "$BATS_TEST_TMPDIR/go"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 1 ]
}

@test "trace: a command outlives what its trace is written to, and its status is returned" {
	# shellcheck disable=SC2016
	local script='read -rt 0.2 <> <(:); /bin/true; read -rt 0.2 <> <(:); echo done >"$0/done"; exit 5'
	status=0
	"$PROCTRACE" trace -- bash -c "$script" "$BATS_TEST_TMPDIR" 2> >(:) || status=$?
	[ "$status" -eq 5 ]
	[ -e "$BATS_TEST_TMPDIR/done" ]
	rm "$BATS_TEST_TMPDIR/done"
	run --separate-stderr "$PROCTRACE" trace --output /dev/full -- bash -c "$script" "$BATS_TEST_TMPDIR"
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"cannot write the trace: No space left on device"* ]]
	[ -e "$BATS_TEST_TMPDIR/done" ]
}

@test "nohup: a hangup ends neither bench nor trace" {
	(trap '' HUP; exec "$PROCTRACE" bench --scenario serial --duration 1 --rounds 1 --monitor bpf >/dev/null 3>&-) &
	pid=$!
	has_testapp() { [ -n "$(our_folders)" ]; }
	wait_until has_testapp
	kill -HUP "$pid"
	wait "$pid"
}
