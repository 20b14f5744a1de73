#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bench --suite full on the running kernel: studies, and going on after an interruption.

bats_require_minimum_version 1.5.0
load common

# Runs a part of the suite into $out (JSON); the rest are its options.
full() {
	out=$BATS_TEST_TMPDIR/report.json
	"$PROCTRACE" bench --suite full --rounds 1 --output "$out" "$@" >"$BATS_TEST_TMPDIR/text"
}

# How many finished cells the report holds, 0 while there is none.
cells() {
	jq '[.runs[] | select(.interrupted | not)] | length' "$out" 2>/dev/null || echo 0
}

some_cells() {
	[ "$(cells)" -ge 2 ]
}

# What of the suite is in order of time, begun in the background: $pid.
begin() {
	out=$BATS_TEST_TMPDIR/report.json
	# Signals that this shell ignores would stay ignored in it.
	env --default-signal=INT "$PROCTRACE" bench --suite full --rounds 1 --duration 200ms --scenario lifetime \
		--output "$out" >"$BATS_TEST_TMPDIR/text" 2>&1 &
	pid=$!
}

# Waits for what begin() began.
ended_with() {
	local status=0
	wait "$pid" || status=$?
	[ "$status" = "$1" ]
}

@test "a buffer holds as many events as the stall law says" {
	full --scenario stall-bpf-64K-2000 --scenario stall-netlink-1024K-2000
	jq -e '.laws.stall | length == 2' "$out"
	# Whatever else this machine does: it is the events that fill the buffer.
	jq -e '.laws.stall | map(.lossless == 0 and .hit > 0) | all' "$out"
	jq -e '.laws.stall | map(.held_events / .capacity_events > 0.85 and .held_events / .capacity_events < 1.15) | all' "$out"
	jq -e '.laws.stall | map(.apart_pct > -15 and .apart_pct < 15) | all' "$out"
	jq -e '[.runs[].sources[].all.unexplained] | add == 0' "$out"
	grep -q 'To survive a stall of 250 ms at 10 000 launches/s: eBPF .*iB, netlink .*iB' "$BATS_TEST_TMPDIR/text"
	wait_until none_left
}

@test "each lifetime is named by eBPF, and the report says so again" {
	full --duration 50ms --scenario lifetime-0 --scenario lifetime-10000
	jq -e '[.laws.lifetime[] | select(.source == "bpf") | .share] | length == 2 and all(. == 1)' "$out"
	jq -e '[.laws.lifetime[] | select(.source == "netlink-names" and .lifetime_ns == 10000000) | .share] | all(. > 0.5)' "$out"
	"$PROCTRACE" report "$out" >"$BATS_TEST_TMPDIR/again"
	diff "$BATS_TEST_TMPDIR/text" "$BATS_TEST_TMPDIR/again"
}

@test "bursts, bad places, victims and other targets keep their books" {
	full --duration 50ms --scenario burst-1000 --scenario starved --scenario victim --scenario target
	jq -e '[.runs[].sources[] | .checks_ok and .exec.lost == 0] | all' "$out"
	# Two bursts before the same monitor.
	jq -e '[.runs[] | select(.scenario == "burst-1000") | .load.launches == 2000] | all' "$out"
	# What this machine does not have is left out with a reason, and nothing else is.
	jq -e '[.runs[] | select(.skipped != "") | .scenario] | map(. == "starved-limited" or . == "target-static") | all' "$out"
	jq -e '[.runs[] | select(.scenario == "target-script" and .monitor == "bpf") | .sources[0].identified == .sources[0].exec.expected] | all' "$out"
	wait_until none_left
}

@test "Ctrl-C keeps finished cells, and the same command goes on" {
	begin
	wait_until some_cells
	kill -INT "$pid"
	ended_with 130
	jq -e '.interrupted' "$out"
	before=$(cells)
	"$PROCTRACE" report "$out" | grep -q Interrupted
	full --duration 200ms --scenario lifetime 2>"$BATS_TEST_TMPDIR/err"
	grep -q "going on with '$out': $before cells of it are there" "$BATS_TEST_TMPDIR/err"
	jq -e '.interrupted == false' "$out"
	# Each cell once.
	jq -e '[.runs[] | .scenario + .monitor] | length == 20 and (unique | length) == 20' "$out"
	wait_until none_left
}

@test "what SIGKILL leaves is a report, and can be gone on with" {
	begin
	wait_until some_cells
	kill -KILL "$pid"
	ended_with 137
	jq -e '.interrupted' "$out"
	full --duration 200ms --scenario lifetime 2>/dev/null
	[ "$(cells)" = 20 ]
	wait_until none_left
}

@test "an unfinished report of another run is refused, not replaced" {
	begin
	wait_until some_cells
	kill -INT "$pid"
	ended_with 130
	cp "$out" "$BATS_TEST_TMPDIR/copy"
	run -2 full --duration 100ms --scenario lifetime
	[[ $output == *"unfinished report of another --duration"* ]]
	run -2 full --duration 200ms --scenario knee
	[[ $output == *"unfinished report of other scenarios or monitors"* ]]
	cmp "$out" "$BATS_TEST_TMPDIR/copy"
}

@test "a part of the suite that does not exist is refused" {
	run -2 "$PROCTRACE" bench --suite full --scenario nonsense
	[[ $output == *"'nonsense' is neither a scenario nor a study of this suite"* ]]
	run -2 "$PROCTRACE" bench --suite full --rate 100
	[[ $output == *"--suite says itself what runs"* ]]
}
