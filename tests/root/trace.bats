#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trace on the running kernel.

bats_require_minimum_version 1.5.0
load common

# Events of kind $1 in JSON lines on stdin: how many.
count_kind() {
	jq -s --arg k "$1" '[.[] | select(.event == $k)] | length'
}

@test "a command: every exec and exit of it and its descendants, and nothing else" {
	run --separate-stderr "$PROCTRACE" trace --json --output "$BATS_TEST_TMPDIR/out" -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11; do /bin/true; done; (exit 3); exit 23'
	[ "$status" -eq 23 ]
	[ "$(count_kind exec <"$BATS_TEST_TMPDIR/out")" -eq 12 ]
	[ "$(count_kind exit <"$BATS_TEST_TMPDIR/out")" -eq 13 ]
	[ "$(jq -s '[.[] | select(.exit_code == 3)] | length' "$BATS_TEST_TMPDIR/out")" -eq 1 ]
	[ "$(jq -s '.[-1].exit_code' "$BATS_TEST_TMPDIR/out")" -eq 23 ]
}

@test "raw_tp programs tell the same as tp_btf ones" {
	for how in tp_btf raw_tp; do
		"$PROCTRACE" trace --attach $how --json --events fork,exec,exit --output "$BATS_TEST_TMPDIR/$how" -- \
			sh -c '/bin/echo "" x; (exit 7); kill -KILL $$' || [ $? -eq 137 ]
		jq -c 'select(.comm != null) | {event, comm, path, args, exit_code, signal, uid}' \
			"$BATS_TEST_TMPDIR/$how" >"$BATS_TEST_TMPDIR/$how.what"
	done
	[ -s "$BATS_TEST_TMPDIR/tp_btf.what" ]
	diff "$BATS_TEST_TMPDIR/tp_btf.what" "$BATS_TEST_TMPDIR/raw_tp.what"
	grep -q '"args":\["/bin/echo","","x"\]' "$BATS_TEST_TMPDIR/raw_tp.what"
	grep -q '"signal":9' "$BATS_TEST_TMPDIR/raw_tp.what"
}

@test "netlink follows a command too" {
	for source in netlink netlink-names; do
		"$PROCTRACE" trace --source $source --json --output "$BATS_TEST_TMPDIR/$source" -- \
			sh -c '/bin/true; /bin/true; /bin/true; exit 5' || [ $? -eq 5 ]
		[ "$(count_kind exec <"$BATS_TEST_TMPDIR/$source")" -eq 4 ]
		[ "$(count_kind exit <"$BATS_TEST_TMPDIR/$source")" -eq 4 ]
	done
}

@test "a command that cannot be executed is named, with the status of a shell" {
	run -127 --separate-stderr "$PROCTRACE" trace -- /does/not/exist
	[[ "$stderr" == *"cannot execute '/does/not/exist': No such file or directory"* ]]
	run --separate-stderr "$PROCTRACE" trace -- /etc/passwd
	[ "$status" -eq 126 ]
}

@test "a command that dies of a signal gives 128 and the signal" {
	run "$PROCTRACE" trace --output "$BATS_TEST_TMPDIR/out" -- sh -c 'kill -TERM $$'
	[ "$status" -eq 143 ]
	grep -q SIGTERM "$BATS_TEST_TMPDIR/out"
}

@test "the command's own output is left alone" {
	run --separate-stderr "$PROCTRACE" trace -- sh -c 'echo one; echo two'
	[ "$status" -eq 0 ]
	[ "$output" = "$(printf 'one\ntwo')" ]
	[[ "$stderr" == *"sh -c"* ]]
}

@test "filters in the kernel: name, uid, pid" {
	"$PROCTRACE" trace --json --name tru --output "$BATS_TEST_TMPDIR/name" -- \
		sh -c '/bin/true; /bin/false; /bin/true'
	[ "$(count_kind exec <"$BATS_TEST_TMPDIR/name")" -eq 2 ]
	[ "$(jq -s '[.[] | .comm] | unique | .[]' -r "$BATS_TEST_TMPDIR/name")" = true ]

	"$PROCTRACE" trace --json --uid 65534 --output "$BATS_TEST_TMPDIR/uid" -- \
		sh -c '/bin/true; setpriv --reuid 65534 --clear-groups /bin/false' || :
	[ "$(jq -s '[.[] | .comm] | unique | .[]' -r "$BATS_TEST_TMPDIR/uid")" = false ]

	"$PROCTRACE" trace --json --pid 1 --output "$BATS_TEST_TMPDIR/pid" -- /bin/true
	[ ! -s "$BATS_TEST_TMPDIR/pid" ]
}

@test "filter by cgroup, where a v2 hierarchy is mounted" {
	root=$(findmnt -nrt cgroup2 -o TARGET | head -1)
	[ -n "$root" ] || skip "no cgroup v2 hierarchy is mounted here"
	group=$root/proctrace-test-$$
	mkdir -p "$group/inner" || skip "the cgroup v2 hierarchy cannot be written to here"
	"$PROCTRACE" trace --json --cgroup "$group" --output "$BATS_TEST_TMPDIR/out" -- \
		sh -c "/bin/true; echo \$\$ >$group/inner/cgroup.procs; /bin/false; /bin/false" || :
	rmdir "$group/inner" "$group"
	[ "$(jq -r 'select(.event == "exec") | .comm' "$BATS_TEST_TMPDIR/out" | sort | uniq -c | tr -s ' ')" = " 2 false" ]
}

@test "hostile names and arguments: text is safe, JSON is valid" {
	dir=$BATS_TEST_TMPDIR/h
	mkdir "$dir"
	evil=$(printf 'a\033]0;x\007\n"\\\377')
	cp /bin/true "$dir/$evil"
	"$PROCTRACE" trace --output "$BATS_TEST_TMPDIR/text" -- "$dir/$evil" "$(printf '\033[2J\n\377"')" ""
	run ! grep -qP '[\x00-\x09\x0b-\x1f\x7f]' "$BATS_TEST_TMPDIR/text"
	iconv -f UTF-8 -t UTF-8 "$BATS_TEST_TMPDIR/text" >/dev/null
	"$PROCTRACE" trace --json --output "$BATS_TEST_TMPDIR/json" -- "$dir/$evil" "$(printf '\033[2J\n\377"')" ""
	[ "$(jq -s 'length' "$BATS_TEST_TMPDIR/json")" -eq 2 ]
	[ "$(jq -s '.[0].args | length' "$BATS_TEST_TMPDIR/json")" -eq 3 ]
	[ "$(jq -s '.[0].args[2]' "$BATS_TEST_TMPDIR/json")" = '""' ]
	iconv -f UTF-8 -t UTF-8 "$BATS_TEST_TMPDIR/json" >/dev/null
}

@test "arguments are cut where asked, and flagged" {
	"$PROCTRACE" trace --json --args-max 10 --output "$BATS_TEST_TMPDIR/out" -- /bin/true 0123456789abcdef
	[ "$(jq -s '.[0].args_truncated' "$BATS_TEST_TMPDIR/out")" = true ]
	[ "$(jq -sc '.[0].args' "$BATS_TEST_TMPDIR/out")" = '["/bin/true"]' ]
	"$PROCTRACE" trace --json --args-max 0 --output "$BATS_TEST_TMPDIR/none" -- /bin/true 1
	[ "$(jq -sc '.[0].args' "$BATS_TEST_TMPDIR/none")" = null ]
	long=$(printf '%0131000d' 0)
	"$PROCTRACE" trace --json --args-max 128K --output "$BATS_TEST_TMPDIR/long" -- /bin/true "$long"
	[ "$(jq -s '.[0].args[1] | length' "$BATS_TEST_TMPDIR/long")" -eq 131000 ]
	[ "$(jq -s '.[0].args_truncated' "$BATS_TEST_TMPDIR/long")" = null ]
	"$PROCTRACE" trace --json --args-max 128K --output "$BATS_TEST_TMPDIR/cut" -- /bin/true "$long" "$long"
	[ "$(jq -s '.[0].args[2] | length' "$BATS_TEST_TMPDIR/cut")" -eq $((131072 - 10 - 131001)) ]
	[ "$(jq -s '.[0].args_truncated' "$BATS_TEST_TMPDIR/cut")" = true ]
}

@test "record and replay: the same events again" {
	"$PROCTRACE" trace --json --record "$BATS_TEST_TMPDIR/rec" --output "$BATS_TEST_TMPDIR/live" -- \
		sh -c '/bin/true "" b; exit 3' || [ $? -eq 3 ]
	"$PROCTRACE" trace --json --source "replay:$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/again"
	[ -s "$BATS_TEST_TMPDIR/live" ]
	# The wall clock is derived anew, to some nanoseconds.
	diff <(jq -c 'del(.ts, .cgroup, .container)' "$BATS_TEST_TMPDIR/live") <(jq -c 'del(.ts)' "$BATS_TEST_TMPDIR/again")
	diff <(jq -r '.ts[0:22]' "$BATS_TEST_TMPDIR/live") <(jq -r '.ts[0:22]' "$BATS_TEST_TMPDIR/again")
}

@test "--duration ends it, and the last line has the totals" {
	run --separate-stderr "$PROCTRACE" trace --duration 0.2
	[ "$status" -eq 0 ]
	[[ "${stderr_lines[-1]}" =~ ^proctrace:\ [0-9]+\ exec,\ [0-9]+\ exit,.*\ 0\ lost ]]
}

@test "q on a terminal ends it and prints the count" {
	# script(1) gives it a terminal; the key goes in by its stdin.
	mkfifo "$BATS_TEST_TMPDIR/keys"
	script -qec "stty cols 100; $PROCTRACE trace" /dev/null <"$BATS_TEST_TMPDIR/keys" \
		>"$BATS_TEST_TMPDIR/out" 3>&- &
	pid=$!
	exec 7>"$BATS_TEST_TMPDIR/keys"
	wait_until grep -q DETAILS "$BATS_TEST_TMPDIR/out"
	/bin/true
	wait_until grep -q /bin/true "$BATS_TEST_TMPDIR/out"
	printf q >&7
	wait "$pid"
	exec 7>&-
	grep -q 'exec, .* exit, .* lost' "$BATS_TEST_TMPDIR/out"
}

@test "SIGINT and SIGTERM end it in order; SIGKILL leaves nothing" {
	for sig in INT TERM HUP KILL; do
		# A shell starts background jobs with SIGINT ignored: env gives it back.
		env --default-signal=INT "$PROCTRACE" trace --source bpf >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
		pid=$!
		wait_until grep -q DETAILS "$BATS_TEST_TMPDIR/out"
		kill -"$sig" "$pid"
		wait "$pid" || status=$?
		[ "$sig" = KILL ] || grep -q 'lost, in' "$BATS_TEST_TMPDIR/err"
		wait_until none_left
	done
}

@test "a killed netlink listener leaves no subscription in the kernel" {
	helper_build cn_listening
	[ "$("$BATS_FILE_TMPDIR/cn_listening")" = no ] ||
		skip "another program listens to the proc connector, or was killed while it did"
	"$PROCTRACE" trace --source netlink >"$BATS_TEST_TMPDIR/out" 3>&- &
	pid=$!
	wait_until grep -q DETAILS "$BATS_TEST_TMPDIR/out"
	[ "$("$BATS_FILE_TMPDIR/cn_listening")" = yes ]
	kill -KILL "$pid"
	wait "$pid" || :
	not_listening() { [ "$("$BATS_FILE_TMPDIR/cn_listening")" = no ]; }
	wait_until not_listening
	wait_until none_left
}

@test "a closed pipe ends it quietly, also while nothing happens" {
	run --separate-stderr bash -c "set -o pipefail; '$PROCTRACE' trace --pid 1 | head -n 1"
	[ "$status" -eq 0 ]
	[[ "$stderr" != *"cannot write"* ]]
	wait_until none_left
}

@test "a full disk is told, and the status is 1" {
	run --separate-stderr "$PROCTRACE" trace --output /dev/full -- /bin/true
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"cannot write the trace: No space left on device"* ]]
}

one_sentence() { # expected status, text, command...
	local want=$1 text=$2
	shift 2
	run --separate-stderr "$@"
	echo "$stderr"
	[ "$status" -eq "$want" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ "$stderr" == *"$text"* ]]
}

@test "refusals: another network namespace" {
	can_unshare -n
	one_sentence 1 "run it on the host" unshare -n "$PROCTRACE" trace --source netlink
}

@test "refusals: another pid namespace" {
	can_unshare -pf --mount-proc
	one_sentence 1 "pid namespace" unshare -pf --mount-proc "$PROCTRACE" trace --source netlink
}

@test "refusals: one sentence, what and the cure" {
	one_sentence 1 "run it with sudo" setpriv --reuid 65534 --clear-groups "$PROCTRACE" trace
	one_sentence 1 "/nowhere" "$PROCTRACE" trace --btf /nowhere
	one_sentence 1 "/no/such/dir" "$PROCTRACE" trace --output /no/such/dir/file
	one_sentence 2 "--source 'nothing' is not known" "$PROCTRACE" trace --source nothing
	one_sentence 2 "out of range" "$PROCTRACE" trace --ring 3G
	one_sentence 2 "filter by it with the bpf source" "$PROCTRACE" trace --source netlink --uid 0
}
