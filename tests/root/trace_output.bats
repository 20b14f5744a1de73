#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What trace writes on the running kernel: files, their owners, cgroups.

bats_require_minimum_version 1.5.0
load common

@test "files belong to the user who called sudo; those that were there keep their owner" {
	cd "$BATS_TEST_TMPDIR"
	: >old
	SUDO_UID=65534 SUDO_GID=65533 "$PROCTRACE" trace --output new --record rec -- /bin/true
	SUDO_UID=65534 SUDO_GID=65533 "$PROCTRACE" trace --output old -- /bin/true
	[ "$(stat -c %u:%g new)" = 65534:65533 ]
	[ "$(stat -c %u:%g rec)" = 65534:65533 ]
	[ "$(stat -c %u:%g old)" = 0:0 ]
	[ -s new ] && [ -s rec ] && [ -s old ]
	SUDO_UID=x SUDO_GID=-1 "$PROCTRACE" trace --output strange -- /bin/true
	[ "$(stat -c %u:%g strange)" = 0:0 ]
}

@test "JSON names the cgroup by its path, and the container in it" {
	root=$(findmnt -nrt cgroup2 -o TARGET | head -1)
	[ -n "$root" ] || skip "no cgroup v2 hierarchy is mounted here"
	id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
	group=$root/docker-$id.scope
	mkdir "$group" || skip "the cgroup v2 hierarchy cannot be written to here"
	"$PROCTRACE" trace --json --output "$BATS_TEST_TMPDIR/out" -- \
		sh -c "echo \$\$ >$group/cgroup.procs && /bin/true; sleep 0.2" || status=$?
	rmdir "$group"
	[ -z "${status:-}" ]
	jq -se --arg id "$id" '[.[] | select(.comm == "true")] |
		length == 2 and all(.cgroup == "/docker-\($id).scope" and .container == $id)' \
		"$BATS_TEST_TMPDIR/out"
}

@test "--source both: every event seen by both, the last line says so" {
	run --separate-stderr "$PROCTRACE" trace --source both --json --events fork,exec,exit -- \
		sh -c 'i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i + 1)); done; (exit 3); exit 23'
	[ "$status" -eq 23 ]
	last=${stderr_lines[-1]}
	# 100 forks of true and one of the subshell; 101 execs; 102 exits.
	[[ "$last" == "proctrace: 101 fork, 101 exec, 102 exit, "*" 0 lost,"*"; 304 seen by both, 0 only by eBPF, 0 only by netlink" ]]
	[[ "$stderr" != *mismatch* ]]
}

@test "--source both: what only one saw is said" {
	# When a thread calls exec, netlink tells of the end of the old leader: for it the process is over.
	cc -O1 -pthread -o "$BATS_TEST_TMPDIR/thread_exec" "$PT_SRC/tests/root/thread_exec.c"
	for json in "" --json; do
		run --separate-stderr "$PROCTRACE" trace --source both $json --output "$BATS_TEST_TMPDIR/out$json" -- \
			"$BATS_TEST_TMPDIR/thread_exec" /bin/true
		[ "$status" -eq 0 ]
		[[ "${stderr_lines[-1]}" == *"; 2 seen by both, 1 only by eBPF, 0 only by netlink" ]]
	done
	grep -q 'only  eBPF saw the exec of [0-9]* true$' "$BATS_TEST_TMPDIR/out"
	jq -se '[.[] | select(.event == "mismatch")] | length == 1 and .[0].only == "eBPF" and .[0].kind == "exec" and
		.[0].comm == "true"' "$BATS_TEST_TMPDIR/out--json"
}

@test "--stats: a line each second on stderr" {
	run --separate-stderr "$PROCTRACE" trace --stats --duration 1.5 --output /dev/null
	[ "$status" -eq 0 ]
	[[ "${stderr_lines[0]}" =~ ^proctrace:\ [0-9]+\ events/s,\ [0-9]+\ lost,\ buffer\ at\ most\ [0-9]+\ %\ full,\ [0-9.]+\ %\ of\ a\ CPU$ ]]
}

@test "a timeline is whole after Ctrl-C, and closes what still runs" {
	sleep 1000 3>&- &
	sleeper=$!
	env --default-signal=INT "$PROCTRACE" trace --timeline "$BATS_TEST_TMPDIR/t.json" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
	pid=$!
	wait_until grep -q DETAILS "$BATS_TEST_TMPDIR/out"
	sleep 1001 3>&- &
	second=$!
	wait_until grep -q 'sleep 1001' "$BATS_TEST_TMPDIR/out"
	kill "$sleeper" # was there before
	wait_until grep -q SIGTERM "$BATS_TEST_TMPDIR/out"
	kill -INT "$pid"
	wait "$pid"
	kill "$second"
	jq -e --argjson pid "$second" '[.traceEvents[] | select(.ph == "B" and .args.pid == $pid)] | length >= 1' "$BATS_TEST_TMPDIR/t.json"
	jq -e '[.traceEvents[] | select(.ph == "E" and .args.end == "still running")] | length >= 1' "$BATS_TEST_TMPDIR/t.json"
	jq -e '([.traceEvents[] | select(.ph == "B")] | length) == ([.traceEvents[] | select(.ph == "E")] | length)' "$BATS_TEST_TMPDIR/t.json"
}

@test "events that come slowly are shown at once, also through a pipe" {
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	"$PROCTRACE" trace --json --name proctrace_slow >"$BATS_TEST_TMPDIR/pipe" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	exec 8<"$BATS_TEST_TMPDIR/pipe"
	cp /bin/true "$BATS_TEST_TMPDIR/proctrace_slow"
	for _ in 1 2 3; do
		line=
		until [ -n "$line" ]; do # till it listens
			"$BATS_TEST_TMPDIR/proctrace_slow"
			read -rt 2 -u 8 line || :
		done
		[ "$(jq -r .comm <<<"$line")" = proctrace_slow ]
		while read -rt 0.3 -u 8 line; do :; done
	done
	kill "$pid"
	wait "$pid"
	exec 8<&-
}

@test "nohup is respected; stopped and continued, it goes on and tells what it missed" {
	(
		trap '' HUP
		exec "$PROCTRACE" trace >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&-
	) &
	pid=$!
	wait_until grep -q DETAILS "$BATS_TEST_TMPDIR/out"
	kill -HUP "$pid"
	kill -STOP "$pid"
	is_stopped() { grep -q '^State:.T' "/proc/$pid/status"; }
	wait_until is_stopped
	/bin/true proctrace-while-stopped
	kill -CONT "$pid"
	wait_until grep -q proctrace-while-stopped "$BATS_TEST_TMPDIR/out"
	kill "$pid"
	wait "$pid"
	grep -q 'lost, in' "$BATS_TEST_TMPDIR/err"
}
