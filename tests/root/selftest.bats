#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bench --self-test on the running kernel: faults between the real sources and their recordings.

bats_require_minimum_version 1.5.0
load common

@test "every fault is found exactly, in what the kernel tells" {
	run --separate-stderr "$PROCTRACE" bench --self-test=faults --json
	echo "$stderr"
	jq -r '.runs[].faults[] | select(.exact | not) | "\(.fault): \(.why)"' <<<"$output"
	[ "$status" -eq 0 ]
	jq -e '.missed == 0 and [.runs[].name] == ["as eBPF", "as netlink", "eBPF", "netlink"]' <<<"$output"
	# The places are counted among the launches alone: what others do changes nothing.
	jq -e '[.runs[].faults[] | select(.fault == "drop every 7th exec")] | length == 4 and all(.injected == 286 and .found == 286)' <<<"$output"
	jq -e '[.runs[].faults[] | select(.fault == "nothing")] | all(.found == 0 and .exact)' <<<"$output"
	wait_until none_left
}

@test "interrupted: status 130, nothing is left" {
	env --default-signal=INT "$PROCTRACE" bench --self-test >"$BATS_TEST_TMPDIR/out" 3>&- &
	pid=$!
	is_live() { [ -n "$(our_folders)" ]; } # what is made up in memory needs none
	wait_until is_live
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 130 ]
	[ ! -s "$BATS_TEST_TMPDIR/out" ]
	wait_until none_left
}
