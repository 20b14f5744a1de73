#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bench on the running kernel: the ledger against real launches.

bats_require_minimum_version 1.5.0
load common

# Runs bench into $out (JSON); the rest are its options.
bench() {
	out=$BATS_TEST_TMPDIR/report.json
	"$PROCTRACE" bench --output "$out" "$@" >"$BATS_TEST_TMPDIR/text"
}

# Fails unless the jq expression is true for every source of every run.
every_source() {
	jq -e "[.runs[].sources[] | $1] | all" "$out" >/dev/null || {
		echo "not for every source: $1" >&2
		jq -c '.runs[].sources[]' "$out" >&2
		return 1
	}
}

identities_hold() {
	every_source '[.exec, .exit, .all] | map(.expected == .matched + .lost) | all'
	every_source '[.exec, .exit, .all] | map(.reported_lost == null or .lost == .reported_lost + .unexplained) | all'
	every_source '.all.reported_lost != null and .checks_ok'
	every_source '.all.unexplained == 0 and .all.over_reported == 0'
	every_source '[.exec, .exit] | map(.wrong == 0 and .duplicate == 0) | all'
}

@test "the ledger closes: exact counts, every monitor" {
	bench --scenario serial --count 2003 --rounds 1
	identities_hold
	every_source '.exec.expected >= 2003 and .exec.lost == 0 and .exit.lost == 0'
	# Our launches and the harness's, no more and no less.
	jq -e '[.runs[] | . as $r | .sources[] | .exec.expected == $r.load.launches + $r.load.harness] | all' "$out"
	jq -e '[.runs[] | .load.launches == 2003] | all' "$out"
	# With names: eBPF names all of them.
	jq -e '[.runs[].sources[] | select(.name == "bpf") | .identified == .exec.matched] | all' "$out"
	wait_until none_left
}

@test "several workers and bursts close too" {
	bench --duration 0.3 --rounds 1 --scenario workers --scenario burst --monitor bpf,netlink,bpf+netlink
	identities_hold
	every_source '.all.lost == 0'
	jq -e '[.runs[] | select(.sources | length == 2) | .cross.exec | .both > 0 and .only_a == 0 and .only_b == 0 and .neither == 0] | all' "$out"
}

@test "methods fork and spawn, raw_tp programs" {
	bench --scenario serial --count 211 --rounds 1 --method fork --monitor bpf+netlink
	identities_hold
	every_source '.all.lost == 0'
	bench --scenario serial --count 211 --rounds 1 --method spawn --monitor bpf --attach raw_tp
	identities_hold
	every_source '.all.lost == 0'
}

@test "an independent observer counts the launches that are claimed" {
	command -v perf >/dev/null || skip "perf is not installed"
	perf record -q -a -m 16M -e sched:sched_process_exec -o "$BATS_TEST_TMPDIR/perf.data" -- \
		"$PROCTRACE" bench --scenario serial --count 503 --rounds 1 --monitor none,bpf \
		--output "$BATS_TEST_TMPDIR/report.json" >/dev/null 2>"$BATS_TEST_TMPDIR/err" ||
		skip "perf cannot record tracepoints here: $(tail -n 1 "$BATS_TEST_TMPDIR/err")"
	# An observer on a busy machine may lose, too, but it says so.
	! perf script -i "$BATS_TEST_TMPDIR/perf.data" --show-lost-events 2>/dev/null | grep -q PERF_RECORD_LOST ||
		skip "perf itself lost events on this busy machine"
	seen=$(perf script -i "$BATS_TEST_TMPDIR/perf.data" -F event,trace 2>/dev/null | grep -c "filename=$TMPDIR/.*/testApp")
	claimed=$(jq '.warm_up_launches + ([.runs[].load | .launches + .harness] | add)' "$BATS_TEST_TMPDIR/report.json")
	echo "perf saw $seen, bench claims $claimed"
	# One more: load_open() tries once whether the folder of its testApps can execute.
	[ "$seen" -eq $((claimed + 1)) ]
}

@test "more launches than there are pids" {
	pid_max=$(cat /proc/sys/kernel/pid_max)
	((pid_max <= 65536)) || skip "pid_max is $pid_max: wrapping it would take minutes"
	bench --scenario serial --count $((pid_max + 2003)) --rounds 1 --monitor bpf+netlink
	identities_hold
	every_source '.all.lost == 0'
}

@test "forced loss is reported at its place, also with others starting processes" {
	# Ends by itself, whatever becomes of the test.
	(for ((i = 0; i < 20011; i++)); do
		[ -d "$BATS_TEST_TMPDIR" ] && [ ! -e "$BATS_TEST_TMPDIR/stop" ] || break
		/bin/true
	done) 3>&- &
	noise=$!
	bench --scenario serial --ring 4096 --rcvbuf 4096 --stall 500 --rounds 1 --duration 1.2 \
		--monitor bpf,netlink,netlink-names,bpf+netlink
	touch "$BATS_TEST_TMPDIR/stop"
	wait "$noise"
	identities_hold
	every_source '.all.lost > 0'
	jq -e '[.runs[].sources[] | select(.name == "bpf") | .lost_at.ring_full >= .all.lost and .lost_at.socket_dropped == 0 and .all.uncertain == 0] | all' "$out"
	jq -e '[.runs[].sources[] | select(.name != "bpf") | .lost_at.socket_dropped >= .all.reported_lost and .lost_at.ring_full == 0] | all' "$out"
	grep -q 'all of it reported by its own' <(tr -s '\n ' ' ' <"$BATS_TEST_TMPDIR/text")
}

@test "--fail-on-loss exits 3 with loss, 0 without" {
	run "$PROCTRACE" bench --scenario serial --ring 4096 --stall 500 --rounds 1 --duration 1 --monitor bpf --fail-on-loss
	[ "$status" -eq 3 ]
	run "$PROCTRACE" bench --scenario serial --count 23 --rounds 1 --monitor bpf --fail-on-loss
	[ "$status" -eq 0 ]
}

@test "--equal-bytes gives both the same memory" {
	bench --scenario serial --count 23 --rounds 1 --monitor bpf+netlink --equal-bytes 1M
	every_source '.buffer_bytes == 1048576'
}

@test "report prints again what bench printed" {
	bench --scenario serial --count 101 --rounds 6 --monitor none,bpf
	"$PROCTRACE" report "$out" >"$BATS_TEST_TMPDIR/again"
	diff "$BATS_TEST_TMPDIR/text" "$BATS_TEST_TMPDIR/again"
	[ "$(wc -L <"$BATS_TEST_TMPDIR/text")" -le 100 ]
}

@test "the same seed gives the same order" {
	order() {
		"$PROCTRACE" bench --scenario serial --count 2 --rounds 3 --monitor none,bpf,netlink --seed "$1" --json |
			jq -c '[.runs[] | .monitor]'
	}
	[ "$(order 23)" = "$(order 23)" ]
	[ "$(order 23)" != "$(order 24)" ]
}

# Starts a long bench in the background; $pid is its process.
bench_background() {
	env --default-signal=INT "$PROCTRACE" bench --scenario serial --duration 1 --rounds 30 --monitor "$1" \
		--output "$BATS_TEST_TMPDIR/out.json" >"$BATS_TEST_TMPDIR/text" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
}

has_testapp() { [ -n "$(our_folders)" ] && [ "$(our_processes | wc -l)" -ge 3 ]; }

@test "SIGINT and SIGTERM: what was measured is reported, nothing is left, status 130" {
	for sig in INT TERM; do
		bench_background bpf,netlink
		wait_until has_testapp
		sleep 1.3 # into the middle of a cell
		kill -"$sig" "$pid"
		status=0
		wait "$pid" || status=$?
		[ "$status" -eq 130 ]
		jq -e '.interrupted and (.runs | length > 0)' "$BATS_TEST_TMPDIR/out.json"
		grep -q 'launches/s' "$BATS_TEST_TMPDIR/text"
		wait_until none_left
	done
}

@test "SIGKILL at any moment leaves no process, folder, program or subscription" {
	helper_build cn_listening
	[ "$("$BATS_FILE_TMPDIR/cn_listening")" = no ] ||
		skip "another program listens to the proc connector, or was killed while it did"
	for delay in 0 0.05 0.13 0.3 0.7 1.1; do
		bench_background bpf+netlink
		wait_until has_testapp
		sleep "$delay"
		kill -KILL "$pid"
		wait "$pid" || :
		wait_until none_left
	done
	not_listening() { [ "$("$BATS_FILE_TMPDIR/cn_listening")" = no ]; }
	wait_until not_listening
}

@test "a closed pipe and a full disk: told or quiet, nothing left, the report not lost" {
	run --separate-stderr bash -c "'$PROCTRACE' bench --scenario serial --count 23 --rounds 1 --monitor bpf --output '$BATS_TEST_TMPDIR/kept' | true"
	jq -e '.runs | length == 1' "$BATS_TEST_TMPDIR/kept"
	run --separate-stderr bash -c "'$PROCTRACE' bench --scenario serial --count 23 --rounds 1 --monitor bpf >/dev/full"
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"No space left on device"* ]]
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=4k none "$BATS_TEST_TMPDIR/small" || skip "cannot mount a tmpfs here"
	dd if=/dev/zero of="$BATS_TEST_TMPDIR/small/fill" bs=4k count=4 2>/dev/null || :
	run --separate-stderr "$PROCTRACE" bench --scenario serial --count 23 --rounds 1 --monitor bpf --output "$BATS_TEST_TMPDIR/small/report"
	left=$(ls -A "$BATS_TEST_TMPDIR/small")
	umount "$BATS_TEST_TMPDIR/small"
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"No space left on device"* ]]
	[[ "$output" == *"launches/s"* ]]
	[ "$left" = fill ]
	wait_until none_left
}

one_sentence() { # expected status, text, command...
	local want=$1 text=$2
	shift 2
	run --separate-stderr "$@"
	echo "$stderr"
	[ "$status" -eq "$want" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ "$stderr" == *"$text"* ]]
	[ -z "$output" ]
}

@test "refusals: another network namespace" {
	can_unshare -n
	one_sentence 1 "network namespace" unshare -n "$PROCTRACE" bench --monitor netlink
}

@test "refusals: another user namespace" {
	can_unshare -Ur
	one_sentence 1 "user namespace" unshare -Ur "$PROCTRACE" bench --monitor netlink
}

@test "refusals: another pid namespace" {
	can_unshare -pf --mount-proc
	one_sentence 1 "pid namespace" unshare -pf --mount-proc "$PROCTRACE" bench --monitor netlink
}

@test "refusals: one sentence, what and the cure" {
	one_sentence 1 "run it with sudo" setpriv --reuid 65534 --clear-groups "$PROCTRACE" bench
	one_sentence 2 "/nowhere" "$PROCTRACE" bench --btf /nowhere
	one_sentence 1 "/proc/x" "$PROCTRACE" bench --output /proc/x/y
	one_sentence 1 "/no/such/program" "$PROCTRACE" bench --target /no/such/program
	one_sentence 1 "/etc/passwd" "$PROCTRACE" bench --target /etc/passwd
	one_sentence 2 "--monitor 'nobody'" "$PROCTRACE" bench --monitor nobody
	one_sentence 2 "--scenario 'x'" "$PROCTRACE" bench --scenario x
	one_sentence 2 "--stall '1000'" "$PROCTRACE" bench --stall 1000
	one_sentence 2 "--equal-bytes" "$PROCTRACE" bench --equal-bytes 1M --ring 1M
	wait_until none_left
}

@test "targets of all kinds: the ledger closes, names are known" {
	for target in /bin/true "$BATS_TEST_TMPDIR/script.sh"; do
		printf '#!/bin/sh\nexit 3\n' >"$BATS_TEST_TMPDIR/script.sh"
		chmod +x "$BATS_TEST_TMPDIR/script.sh"
		bench --scenario serial --count 23 --rounds 1 --monitor bpf+netlink --target "$target"
		identities_hold
		every_source '.all.lost == 0'
		jq -e '[.runs[].sources[] | select(.name == "bpf") | .identified >= 23] | all' "$out"
	done
}

@test "A/A: nobody against nobody is measured like monitors, and told as a table" {
	# The full test takes a minute and is run by hand or in CI; this is its course with the fewest pairs.
	run "$PROCTRACE" bench --self-test aa --rounds 6 --count 53
	[ "$status" -le 1 ]
	[[ $output =~ ([0-9]+)' of 20 intervals hold 0; 19 must' ]]
	if [ "${BASH_REMATCH[1]}" -ge 19 ]; then [ "$status" -eq 0 ]; else [ "$status" -eq 1 ]; fi
	[ "$(grep -cE ' (yes|no) ' <<<"$output")" -eq 20 ]
	wait_until none_left
}

@test "--rounds auto goes on until the interval is narrow, or the time is over" {
	bench --scenario serial --count 53 --rounds auto:1000 --monitor none,bpf
	jq -e '.config.rounds >= 8 and .config.auto_pct == 1000' "$out"
	# A time that is over at once: the least number of rounds.
	bench --scenario serial --count 53 --rounds auto:0.0001 --max-time 1ms --monitor none,bpf
	jq -e '.config.rounds == 8' "$out"
	bench --scenario serial --count 53 --rounds auto:0.0001 --max-time 9s --monitor none,bpf
	jq -e '.config.rounds > 8' "$out"
	run "$PROCTRACE" bench --rounds auto9
	[ "$status" -eq 2 ]
}

@test "slices: neighbours that nobody watched, the same idle time, kernel times, disturbances" {
	bench --scenario serial --count 199 --rounds 2 --monitor none,bpf,netlink
	# none X none Y none; warm-up and timed slices are not among those that count.
	jq -e '[.runs[] | select(.round == 1 and (.kernel_timed | not)) | .monitor == "none"] == [true, false, true, false, true]' "$out"
	jq -e '[.runs[] | select(.sequence > 2) | .gap_s >= 0.1] | all' "$out"
	jq -e '[.runs[] | select(.kernel_timed)] | length == 2 and (map(.sources[0].cpu.kernel_ns_per_event > 0) | all)' "$out"
	jq -e '[.runs[] | select(.kernel_timed | not) | .sources[].cpu.kernel_ns_per_event == null] | all' "$out"
	jq -e '[.runs[].disturbance | has("steal") and has("foreign_processes")] | all' "$out"
	jq -e '[.latency_pooled_ns[] | .launch.n == (if .monitor == "none" then 6 else 2 end) * 199] | length == 3 and all' "$out"
}

@test "others that start processes in a slice are seen and told" {
	(while [ ! -e "$BATS_TEST_TMPDIR/stop" ]; do /bin/true; done) 3>&- &
	noise=$!
	bench --scenario serial --duration 0.2 --rounds 2 --monitor none,bpf
	touch "$BATS_TEST_TMPDIR/stop"
	wait "$noise"
	jq -e '[.runs[].disturbance.processes] | all' "$out"
	grep -q 'slices disturbed: .*foreign processes' <(tr -s '\n ' ' ' <"$BATS_TEST_TMPDIR/text")
}

@test "the article's experiments: every row, exact, explained, the same when printed again" {
	bench --suite article --count 53 --rounds 1
	identities_hold
	every_source '.all.lost == 0'
	jq -e '[.summary[].scenario] | unique | length == 11' "$out"
	jq -e '[.explained_us[] | select(.name == "target.testApp" or .name == "sleep.3us") | .median > 0] == [true, true]' "$out"
	"$PROCTRACE" report "$out" | diff "$BATS_TEST_TMPDIR/text" -
	[ "$(wc -L <"$BATS_TEST_TMPDIR/text")" -le 100 ]
	flat=$(tr -s '\n ' ' ' <"$BATS_TEST_TMPDIR/text")
	for part in 'What is started.' 'How it is started.' 'The pause.' 'More workers.' 'All at once.' 'CPU.' 'None lost.' 'two questions'; do
		[[ $flat == *"$part"* ]] || { echo "no '$part'" >&2; return 1; }
	done
	wait_until none_left
}
