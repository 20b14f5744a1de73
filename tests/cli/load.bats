#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `proctrace load`: what it counts, prints and refuses, and how it ends.

bats_require_minimum_version 1.5.0

load tree

setup() {
	# Its copies of testApp go here, so that what is left over can be seen.
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
}

teardown() {
	if [[ -n ${PID:-} ]]; then
		kill -KILL "$PID" 2>/dev/null || true
	fi
}

load_json() {
	run --separate-stderr "$PROCTRACE" load --json "$@"
	status_is 0
}

# holds FILTER: it is true of the JSON in $output.
holds() {
	jq -e "$1" >/dev/null <<<"$output" || { printf 'not so: %s\n%s\n' "$1" "$output"; return 1; }
}

refuses() {
	local want=$1 text=$2
	shift 2
	run --separate-stderr timeout 60 "$PROCTRACE" load "$@"
	status_is "$want"
	[[ -z $output ]]
	output=$stderr
	contains "$text"
	[[ ${#stderr_lines[@]} -eq 1 ]]
}

# until_true COMMAND...: waits for it, at most 20 s.
until_true() {
	local end=$((SECONDS + 20))
	until "$@"; do
		[[ $SECONDS -lt $end ]] || { echo "in vain: $*"; return 1; }
		sleep 0.02
	done
}

# Starts one in the background: PID is its pid, OUT its output, POOL its processes.
start_load() {
	OUT=$BATS_TEST_TMPDIR/out
	"$PROCTRACE" load --duration 1000 "$@" >"$OUT" 2>&1 3>&- &
	PID=$!
	until_true runs
	mapfile -t POOL < <(pgrep -P "$PID")
}

# The janitor, two workers and the prober are there, and something was launched.
runs() {
	local workers
	mapfile -t workers < <(pgrep -P "$PID")
	[[ ${#workers[@]} -eq 4 ]] && launches "${workers[@]}"
}

# Page faults of children that were reaped (cminflt in /proc/PID/stat) tell that a worker launches.
launches() {
	local pid stat
	for pid in "$@"; do
		stat=$(cat "/proc/$pid/stat" 2>/dev/null) || return 1
		# shellcheck disable=SC2086
		set -- ${stat##*) }
		[[ $9 -gt 0 ]] && return 0
	done
	return 1
}

all_gone() {
	local pid
	for pid in "${POOL[@]}"; do
		# A zombie that init has not reaped yet is gone, too.
		[[ ! -e /proc/$pid/stat || $(<"/proc/$pid/stat") == *') Z '* ]] || return 1
	done
}

nothing_left() {
	until_true all_gone
	until_true rmdir "$TMPDIR"
}

@test "a pause ends with the run, and none follows the last start" {
	run --separate-stderr timeout 20 "$PROCTRACE" load --json --pause 9999h --count 1
	status_is 0
	holds '.load.launches == 1'
	run --separate-stderr timeout 20 "$PROCTRACE" load --json --pause 9999h --duration 100ms
	status_is 0
	holds '.load.launches == 1'
}

@test "--count launches exactly so many" {
	load_json --count 2003 --workers 3
	holds '.schema == "proctrace.load/1" and .load.launches == 2003 and .load.failed == 0'
	holds '.load.bad_status == 0 and .load.launch_latency_ns.n == 2003'
	holds '[.load.per_worker[].launches] == [668, 668, 667]'
	holds '.host.cpus >= 1 and (.host.kernel | length) > 0 and .load.cpu_s >= 0'
	nothing_left
}

@test "every method and mode launches all" {
	local method mode
	for method in vfork fork spawn; do
		for mode in wait nowait; do
			load_json --method "$method" --mode "$mode" --count 503
			holds ".load.method == \"$method\" and .load.mode == \"$mode\""
			holds '.load.launches == 503 and .load.failed == 0 and .load.bad_status == 0'
		done
	done
	nothing_left
}

@test "--workers A-B makes a run for each number" {
	load_json --count 23 --workers 2-4
	holds '[.runs[].workers] == [2, 3, 4] and ([.runs[].launches] | add) == 69'
	holds '.load.rate_per_s == ([.runs[].rate_per_s] | max)'
	run "$PROCTRACE" load --count 23 --workers 2-4
	status_is 0
	[[ $(grep -cE '^ +[234] .* 23 ' <<<"$output") -eq 3 ]]
	contains '4 workers, launches/s of each:'
}

@test "text says what was measured, and where, in 100 columns" {
	run "$PROCTRACE" load --count 503 --workers 2 --pause 1us
	status_is 0
	contains 'proctrace load · Linux '
	contains 'vfork, wait · target testApp · pause 1 µs'
	contains 'p99.9'
	contains 'Latency: from the start until the end was seen.'
	[[ $(LC_ALL=C.UTF-8 wc -L <<<"$output") -le 100 ]]
}

@test "--rate keeps to the times that it intended" {
	load_json --rate 500 --count 101 --workers 2
	holds '.load.launches == 101 and .load.rate_target == 500 and .load.duration_s > 0.19'
}

@test "--inflight bounds how many live at once" {
	load_json --mode nowait --inflight 3 --count 503
	holds '.load.launches == 503 and .load.inflight == 3'
	load_json --mode nowait --count 23
	holds '.load.inflight >= 1 and .load.inflight <= 4096'
}

@test "a target of one's own is launched" {
	printf '#!/bin/sh\necho to be seen nowhere\nexit 3\n' >"$BATS_TEST_TMPDIR/script"
	chmod +x "$BATS_TEST_TMPDIR/script"
	load_json --target "$BATS_TEST_TMPDIR/script" --count 23
	holds '.load.launches == 23 and .load.failed == 0 and .load.bad_status == 0'
	[[ -z $stderr ]]
	nothing_left
}

@test "a target's children have default signals and no descriptor of ours" {
	cat >"$BATS_TEST_TMPDIR/look" <<-'EOF'
		#!/bin/sh
		grep -E '^Sig(Ign|Blk)' /proc/self/status >"${0%/*}/signals"
		ls /proc/self/fd >"${0%/*}/fds"
	EOF
	chmod +x "$BATS_TEST_TMPDIR/look"
	load_json --target "$BATS_TEST_TMPDIR/look" --count 1
	run cat "$BATS_TEST_TMPDIR/signals"
	[[ $(grep -c '0000000000000000$' <<<"$output") -eq 2 ]]
	# 0, 1, 2, and the one that ls reads the folder with.
	[[ $(wc -l <"$BATS_TEST_TMPDIR/fds") -eq 4 ]]
}

@test "a target that goes away is a failed start, counted by errno" {
	cat >"$BATS_TEST_TMPDIR/once" <<-'EOF'
		#!/bin/sh
		rm -f "$0"
	EOF
	chmod +x "$BATS_TEST_TMPDIR/once"
	load_json --target "$BATS_TEST_TMPDIR/once" --duration 300ms
	holds '.load.launches == 1 and .load.failed > 0 and .load.failed_by[0].errno == "ENOENT"'
}

@test "refusals: one sentence, and what to do" {
	refuses 1 "cannot launch '/does/not/exist': No such file" --target /does/not/exist
	refuses 1 'it is a folder' --target /
	echo text >"$BATS_TEST_TMPDIR/text"
	refuses 1 'it is not executable' --target "$BATS_TEST_TMPDIR/text"
	chmod +x "$BATS_TEST_TMPDIR/text"
	refuses 1 'nor a script that begins with #!' --target "$BATS_TEST_TMPDIR/text"
	refuses 2 '--workers' --workers 0
	refuses 2 'at most 256' --workers 257
	refuses 2 'at most 256' --workers 1-300
	refuses 2 '--count' --count 0
	refuses 2 '--duration' --duration 0
	refuses 2 '--inflight' --mode nowait --inflight 0
	refuses 2 '--rate' --rate -1
	refuses 2 'leave out one' --rate 5 --pause 1ms
	refuses 2 '--method' --method clone
	refuses 2 'unexpected' operand
	nothing_left
}

@test "a TMPDIR that does not exist is passed over" {
	TMPDIR=/does/not/exist load_json --count 23
	holds '.load.launches == 23'
}

@test "SIGINT and SIGTERM end it in order: what was measured is printed, nothing is left" {
	local sig status
	for sig in INT TERM; do
		# Background jobs of a shell ignore SIGINT; env gives the default back.
		OUT=$BATS_TEST_TMPDIR/out
		env --default-signal=INT "$PROCTRACE" load --duration 1000 --workers 2 >"$OUT" 2>&1 3>&- &
		PID=$!
		until_true runs
		mapfile -t POOL < <(pgrep -P "$PID")
		kill -"$sig" "$PID"
		status=0
		wait "$PID" || status=$?
		[[ $status -eq 130 ]] || { echo "status $status"; cat "$OUT"; false; }
		output=$(<"$OUT")
		contains 'Interrupted: this is what was measured until then.'
		contains 'workers'
		all_gone
		[[ -z $(ls "$TMPDIR") ]]
	done
}

@test "SIGKILL of the command leaves no process and no folder" {
	local mode
	for mode in wait nowait; do
		start_load --workers 2 --mode "$mode"
		[[ -n $(ls "$TMPDIR") ]]
		kill -KILL "$PID"
		wait "$PID" || true
		nothing_left
		mkdir "$TMPDIR"
	done
}

@test "SIGKILL at any moment of its start leaves no process and no folder" {
	local i
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		"$PROCTRACE" load --duration 1000 --workers 5 >/dev/null 2>&1 3>&- &
		PID=$!
		sleep "0.0$((i * 5 / 10))$((i * 5 % 10))"
		mapfile -t POOL < <(pgrep -P "$PID")
		kill -KILL "$PID"
		wait "$PID" || true
		nothing_left
		mkdir "$TMPDIR"
	done
}

@test "a target's children die with the command" {
	printf '#!/bin/sh\nexec sleep 1234\n' >"$BATS_TEST_TMPDIR/long"
	chmod +x "$BATS_TEST_TMPDIR/long"
	"$PROCTRACE" load --duration 1000 --workers 2 --mode nowait --inflight 6 \
		--target "$BATS_TEST_TMPDIR/long" >/dev/null 2>&1 3>&- &
	PID=$!
	six() {
		mapfile -t POOL < <(pgrep -P "$(pgrep -d, -P "$PID")")
		[[ ${#POOL[@]} -eq 6 ]]
	}
	until_true six
	kill -KILL "$PID"
	wait "$PID" || true
	nothing_left
}

@test "a worker that is killed ends the run with a sentence" {
	local status=0
	start_load --workers 2
	kill -KILL "${POOL[1]}"
	wait "$PID" || status=$?
	[[ $status -eq 1 ]]
	output=$(<"$OUT")
	contains 'died: signal 9'
	nothing_left
}

@test "folders of dead owners are swept away, those of live ones are not" {
	local dead=$TMPDIR/proctrace-0123456789abcdef live=$TMPDIR/proctrace-fedcba9876543210
	mkdir "$dead" "$live" "$TMPDIR/proctrace-other"
	touch "$dead/testApp"
	touch -d '1 hour ago' "$dead" "$live"
	exec 9<"$live"
	flock 9
	load_json --count 23
	[[ ! -e $dead && -e $live && -e $TMPDIR/proctrace-other ]]
	exec 9<&-
}

@test "a reader that has gone, a full disk" {
	run bash -c '"$1" load --count 23 >/dev/full' - "$PROCTRACE"
	status_is 1
	contains 'No space left'
	run bash -c 'set -o pipefail; "$1" load --count 23 | true' - "$PROCTRACE"
	lacks 'proctrace:'
	nothing_left
}

@test "ballast: more than there is is refused in one sentence, and it makes launches dearer" {
	run --separate-stderr "$PROCTRACE" load --count 2 --ballast-fds 4000000000
	[ "$status" -eq 1 ]
	[[ ${stderr:?} == *'ulimit -Hn'* ]]
	run --separate-stderr "$PROCTRACE" load --count 2 --ballast-mib 4000000000
	[ "$status" -eq 1 ]
	[[ $stderr == *'MiB that are free' ]]
	(($(ulimit -Hn) >= 1500)) || skip "only $(ulimit -Hn) descriptors are allowed"
	# The worker really holds them.
	"$PROCTRACE" load --duration 20 --ballast-fds 1000 --ballast-mib 64 >"$BATS_TEST_TMPDIR/out" 3>&- &
	pid=$!
	held() {
		local p
		for p in $(pgrep -P "$pid"); do
			[ "$(find "/proc/$p/fd" -mindepth 1 2>/dev/null | wc -l)" -ge 1000 ] &&
				[ "$(awk '/^RssAnon/ { print $2 }' "/proc/$p/status")" -ge 65536 ] && return
		done
		return 1
	}
	deadline=$((SECONDS + 10))
	until held; do ((SECONDS < deadline)); done
	kill -INT "$pid"
	wait "$pid" || [ $? -eq 130 ]
}
