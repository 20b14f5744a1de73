#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trace: which processes it shows. Each filter in the kernel, for both kinds of programs.

bats_require_minimum_version 1.5.0
load common

# $1: the kind of programs; then options of trace, "--", and a command. The events are left in $OUT.
traced() {
	OUT=$BATS_TEST_TMPDIR/out.$1
	"$PROCTRACE" trace --attach "$1" --json --output "$OUT" "${@:2}" 2>"$BATS_TEST_TMPDIR/err" || :
}

# What was traced, as "comm" of each event of kind $1, one line.
comms() {
	jq -r --arg k "$1" 'select(.event == $k) | .comm' "$OUT" | paste -sd' '
}

# Starts a trace of kind $1 with the options behind; returns once events flow. $TRACER is its pid.
trace_begin() {
	"$PROCTRACE" trace --attach "$1" --record "$BATS_TEST_TMPDIR/$2.rec" "${@:3}" \
		>"$BATS_TEST_TMPDIR/$2" 2>"$BATS_TEST_TMPDIR/err" 3>&- 8>&- &
	TRACER=$!
	wait_until grep -q DETAILS "$BATS_TEST_TMPDIR/$2"
}

# Ends the trace with pid $1 and puts its events, recorded as $2, into $OUT as JSON.
trace_end() {
	OUT=$BATS_TEST_TMPDIR/$2.json
	kill -INT "$1"
	wait "$1"
	"$PROCTRACE" trace --json --source "replay:$BATS_TEST_TMPDIR/$2.rec" >"$OUT"
}

each() {
	local how
	for how in tp_btf raw_tp; do
		"$@" "$how"
	done
}

@test "names: any of several, none of others, and both at once" {
	names() {
		traced "$1" --name tru,als -- sh -c '/bin/true; /bin/echo; /bin/false'
		[ "$(comms exec)" = "true false" ]
		traced "$1" --exclude-name tru --exclude-name echo -- sh -c '/bin/true; /bin/echo; /bin/false'
		[ "$(comms exec)" = "sh false" ]
		traced "$1" --name e --exclude-name fa -- sh -c '/bin/true; /bin/echo; /bin/false'
		[ "$(comms exec)" = "true echo" ]
	}
	each names
}

@test "names by regular expression" {
	regexes() {
		traced "$1" --name-regex '^(true|f.*e)$' -- sh -c '/bin/true; /bin/echo; /bin/false'
		[ "$(comms exec)" = "true false" ]
		traced "$1" --exclude-name-regex 'e$' -- sh -c '/bin/true; /bin/echo; /bin/false'
		[ "$(comms exec)" = "sh echo" ]
	}
	each regexes
}

@test "paths: the exec, and the end of what was executed" {
	paths() {
		mkdir -p "$BATS_TEST_TMPDIR/one/deep"
		cp /bin/true "$BATS_TEST_TMPDIR/one/deep/first"
		cp /bin/true "$BATS_TEST_TMPDIR/second"
		export D=$BATS_TEST_TMPDIR
		# shellcheck disable=SC2016 # for the traced shell
		script='"$D/one/deep/first"; "$D/second"; /bin/true'
		traced "$1" --path one/deep -- sh -c "$script"
		[ "$(comms exec)" = first ]
		[ "$(comms exit)" = first ]
		traced "$1" --path one/deep,bin/tr -- sh -c "$script"
		[ "$(comms exec)" = "first true" ]
		[ "$(comms exit)" = "first true" ]
		traced "$1" --exclude-path second,/sh -- sh -c "$script"
		[ "$(comms exec)" = "first true" ]
		[ "$(comms exit)" = "first true" ]
		# A child that executes nothing runs what its parent does.
		traced "$1" --path bin/sh --events exit -- /bin/sh -c '(exit 3); /bin/true; exit 4'
		[ "$(jq -c .exit_code "$OUT" | paste -sd' ')" = "3 4" ]
		# The last one counts.
		traced "$1" --path bin/true -- /bin/sh -c 'exec /bin/true'
		[ "$(comms exec) $(comms exit)" = "true true" ]
		traced "$1" --path bin/sh -- /bin/sh -c 'exec /bin/true'
		[ "$(comms exec) $(comms exit)" = "sh " ]
	}
	each paths
}

@test "a path that is as long as paths can be" {
	longest() {
		long=$(printf './%.0s' {1..2038})/bin/true # 4076 and 10 bytes
		cd /
		traced "$1" --path './/bin/true' -- sh -c "$long; /bin/true"
		[ "$(comms exec)" = true ]
		[ "$(jq '.path | length' "$OUT" | head -1)" -eq ${#long} ]
	}
	each longest
}

@test "processes, parents, users" {
	ids() {
		# shellcheck disable=SC2016 # for the traced shell
		traced "$1" --exclude-uid 65534 -- sh -c '/bin/true; setpriv --reuid 65534 --clear-groups /bin/false'
		[ "$(comms exec)" = "sh true setpriv" ]
		traced "$1" --user nobody,daemon -- \
			sh -c 'setpriv --reuid 1 --clear-groups /bin/echo; setpriv --reuid 65534 --clear-groups /bin/false'
		[ "$(comms exec)" = "echo false" ]
		traced "$1" --exclude-user root -- sh -c 'setpriv --reuid 1 --clear-groups /bin/echo'
		[ "$(comms exec)" = echo ]
		traced "$1" --exclude-ppid $$ -- /bin/true
		[ "$(comms exec)" = true ]
	}
	each ids
}

@test "--ppid: the children, not theirs; --pid and --exclude-pid" {
	parents() {
		# The shell waits until it is told to go on, so that its pid is known before.
		mkfifo "$BATS_TEST_TMPDIR/go.$1"
		sh -c 'read -r _; /bin/true; sh -c "/bin/echo; exit 1"; /bin/false' <"$BATS_TEST_TMPDIR/go.$1" 3>&- &
		pid=$!
		exec 8>"$BATS_TEST_TMPDIR/go.$1"
		trace_begin "$1" "children.$1" --ppid $pid --exclude-pid 1
		tracer=$TRACER
		trace_begin "$1" "itself.$1" --pid $pid
		other=$TRACER
		echo go >&8
		exec 8>&-
		wait $pid || :
		wait_until grep -q ' exit ' "$BATS_TEST_TMPDIR/itself.$1"
		trace_end $tracer "children.$1"
		[ "$(comms exec)" = "true sh false" ]
		trace_end $other "itself.$1"
		[ "$(jq -c '[.event, .pid]' "$OUT")" = "[\"exit\",$pid]" ]
	}
	each parents
}

@test "descendants of a process that runs already, also those that live already" {
	family() {
		mkfifo "$BATS_TEST_TMPDIR/go.$1"
		# A grandchild is there before, and starts others later.
		sh -c 'sh -c "read -r _; /bin/true; (/bin/echo >/dev/null; exit 2); exit 3"; exit 4' \
			<"$BATS_TEST_TMPDIR/go.$1" 3>&- &
		pid=$!
		exec 8>"$BATS_TEST_TMPDIR/go.$1"
		has_child() { pgrep -P $pid >/dev/null; }
		wait_until has_child
		trace_begin "$1" "family.$1" --descendants $pid
		tracer=$TRACER
		trace_begin "$1" "others.$1" --exclude-descendants $pid
		other=$TRACER
		/bin/false || :
		echo go >&8
		exec 8>&-
		wait $pid || :
		wait_until grep -q 'exit 4' "$BATS_TEST_TMPDIR/family.$1"
		trace_end $tracer "family.$1"
		[ "$(comms exec)" = "true echo" ]
		[ "$(jq -c 'select(.event == "exit") | .exit_code' "$OUT" | paste -sd' ')" = "0 0 2 3 4" ]
		trace_end $other "others.$1"
		grep -q '"comm":"false"' "$OUT"
		run ! grep -q "\"p\?pid\":$pid," "$OUT"
	}
	each family
}

@test "netlink, too, follows descendants that live already" {
	mkfifo "$BATS_TEST_TMPDIR/go"
	sh -c 'sh -c "read -r _; /bin/true; exit 3"; exit 4' <"$BATS_TEST_TMPDIR/go" 3>&- &
	pid=$!
	exec 8>"$BATS_TEST_TMPDIR/go"
	has_child() { pgrep -P $pid >/dev/null; }
	wait_until has_child
	"$PROCTRACE" trace --source netlink --descendants $pid >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- 8>&- &
	tracer=$!
	wait_until grep -q DETAILS "$BATS_TEST_TMPDIR/out"
	echo go >&8
	exec 8>&-
	wait $pid || :
	wait_until grep -q 'exit 4' "$BATS_TEST_TMPDIR/out"
	kill -INT $tracer
	wait $tracer
	[ "$(grep -cE ' exec ' "$BATS_TEST_TMPDIR/out")" -eq 1 ]
	[ "$(grep -cE ' exit ' "$BATS_TEST_TMPDIR/out")" -eq 3 ]
}

@test "how they ended and how long they lived" {
	ends() {
		traced "$1" --exit-status nonzero -- sh -c '/bin/true; (exit 3); sh -c "kill -KILL \$\$"; exit 0'
		[ "$(jq -c '[.event, .exit_code, .signal]' "$OUT" | paste -sd' ')" = '["exit",3,null] ["exit",null,9]' ]
		traced "$1" --exit-status 3,5 -- sh -c '(exit 3); (exit 4); (exit 5); exit 0'
		[ "$(jq -c .exit_code "$OUT" | paste -sd' ')" = '3 5' ]
		traced "$1" --exit-status SIGTERM -- sh -c '(exit 15); sh -c "kill -TERM \$\$"; sh -c "kill -KILL \$\$"; :'
		[ "$(jq -c '[.exit_code, .signal]' "$OUT" | paste -sd' ')" = '[null,15]' ]
		traced "$1" --min-duration 150ms -- sh -c '/bin/true; sleep 0.2; /bin/true'
		[ "$(comms exit)" = "sleep sh" ]
		[ "$(comms exec)" = "" ]
	}
	each ends
}

@test "--pidns self leaves other pid namespaces out" {
	can_unshare -pf
	pidns() {
		traced "$1" --pidns self -- sh -c '/bin/true; unshare -pf /bin/echo'
		[ "$(comms exec)" = "sh true unshare" ]
		traced "$1" --pidns 1 -- sh -c '/bin/true; unshare -pf /bin/echo'
		[ "$(comms exec)" = "" ]
	}
	each pidns
}

@test "cgroups and containers, only or not" {
	root=$(findmnt -nrt cgroup2 -o TARGET | head -1)
	[ -n "$root" ] || skip "no cgroup v2 hierarchy is mounted here"
	name=proctrace-test-$$
	group=$root/$name
	id=f00dfeedc0ffee$$
	mkdir -p "$group/docker-$id.scope/inner" || skip "the cgroup v2 hierarchy cannot be written to here"
	# shellcheck disable=SC2016 # for the traced shell
	script='/bin/true; echo $$ >$0/docker-'$id'.scope/inner/cgroup.procs; /bin/echo; echo $$ >$0/cgroup.procs; /bin/false; echo $$ >'$root/cgroup.procs
	cgroups() {
		traced "$1" --cgroup "/$name" -- sh -c "$script" "$group"
		[ "$(comms exec)" = "echo false" ]
		traced "$1" --container f00dfeedc0 -- sh -c "$script" "$group"
		[ "$(comms exec)" = echo ]
		traced "$1" --exclude-container $id -- sh -c "$script" "$group"
		[ "$(comms exec)" = "sh true false" ]
		traced "$1" --exclude-cgroup "$group" -- sh -c "$script" "$group"
		[ "$(comms exec)" = "sh true" ]
		traced "$1" --cgroup "$root" -- sh -c "$script" "$group"
		[ "$(comms exec)" = "sh true echo false" ]
	}
	each cgroups
	mkdir "$group/docker-${id}2.scope"
	run --separate-stderr "$PROCTRACE" trace --container $id -- /bin/true
	status_ambiguous=$status said=$stderr
	rmdir "$group"/docker-*/inner "$group"/docker-* "$group"
	[ "$status_ambiguous" -eq 2 ]
	[[ "$said" == *"2 cgroups have '$id' in their name"* ]]
}

@test "what a filter drops is counted as filtered, not as lost" {
	counted() {
		traced "$1" --name true --events exec,exit -- sh -c '/bin/true; /bin/echo; exit 0'
		grep -qE '^proctrace: 1 exec, 1 exit, [1-9][0-9]* filtered out in the kernel, 0 lost' "$BATS_TEST_TMPDIR/err"
	}
	each counted
}

@test "the same filters on a recording" {
	"$PROCTRACE" trace --record "$BATS_TEST_TMPDIR/rec" --output /dev/null -- \
		sh -c '/bin/true; (exit 3); setpriv --reuid 65534 --clear-groups /bin/false; /bin/echo >/dev/null; exit 0'
	again() {
		OUT=$BATS_TEST_TMPDIR/out
		"$PROCTRACE" trace --json --source "replay:$BATS_TEST_TMPDIR/rec" "$@" >"$OUT"
	}
	again --path bin/true,bin/echo
	[ "$(comms exec) $(comms exit)" = "true echo true echo" ]
	again --exit-status nonzero
	[ "$(jq -c .exit_code "$OUT" | paste -sd' ')" = "3 1" ]
	again --user nobody --exclude-name setpriv
	[ "$(comms exec) $(comms exit)" = "false false" ]
	again --name-regex '^e' --pidns self
	[ "$(comms exec)" = echo ]
}

refused() { # text, options...
	run --separate-stderr "$PROCTRACE" trace "${@:2}"
	[ "$status" -eq 2 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	echo "$stderr"
	[[ "$stderr" == *"$1"* ]]
}

@test "refusals: one sentence" {
	refused "--pid 'x' is no process id" --pid x
	refused "'nobody-here' is no user" --user nobody-here
	refused "15 bytes" --name 0123456789abcdef
	refused "64 bytes together" --path "$(printf '%065d' 0)"
	refused "no extended regular expression" --name-regex '('
	refused "take nonzero, 0 to 255" --exit-status 999
	refused "there is no such process" --descendants 4194305
	refused "two answers" --descendants 1 -- true
	refused "leave out --events" --min-duration 1 --events exec
	refused "filter by it with the bpf source" --source netlink --path x
	refused "--usage needs the bpf source" --source netlink --usage
}
