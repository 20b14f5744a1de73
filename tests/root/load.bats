#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `proctrace load` where the machine is short of something. Root makes the shortage; load needs none.

bats_require_minimum_version 1.5.0

load ../cli/tree
load common

# holds FILTER: it is true of the JSON in $output.
holds() {
	jq -e "$1" >/dev/null <<<"$output" || { printf 'not so: %s\n%s\n' "$1" "$output"; return 1; }
}

# In a mount namespace of its own, with nothing to be executed below the given folders.
noexec_in() {
	local folders=$1
	shift
	# shellcheck disable=SC2016
	unshare -m bash -c '
		for folder in $1; do mount -t tmpfs -o noexec none "$folder"; done
		shift
		"$@"' - "$folders" "$@"
}

# The program must not lie where tmpfs will be mounted over it.
setup() {
	case $PROCTRACE in
	/tmp/* | /var/tmp/* | /dev/shm/* | /run/*)
		mkdir -p /root
		HELD=$(mktemp -d -p /root)
		cp "$PROCTRACE" "$HELD/proctrace"
		PROCTRACE=$HELD/proctrace
		;;
	esac
}

teardown() {
	rm -rf "${HELD:-}"
}

@test "noexec on TMPDIR, /dev/shm and /tmp: another folder serves" {
	can_unshare -m
	mkdir -p "$BATS_TEST_TMPDIR/tmp"
	TMPDIR=$BATS_TEST_TMPDIR/tmp run --separate-stderr noexec_in \
		"$BATS_TEST_TMPDIR/tmp /dev/shm /tmp" "$PROCTRACE" load --count 23 --json
	status_is 0
	holds '.load.launches == 23'
	[[ -z $stderr ]]
}

@test "noexec everywhere: one sentence, and the cure" {
	can_unshare -m
	unset TMPDIR XDG_RUNTIME_DIR
	run --separate-stderr noexec_in '/dev/shm /tmp /var/tmp /run' "$PROCTRACE" load --count 23
	status_is 1
	[[ -z $output ]]
	output=$stderr
	contains 'found no folder that programs can be run from'
	contains 'set TMPDIR to one'
	[[ ${#stderr_lines[@]} -eq 1 ]]
}

# as_other LIMIT COMMAND...: as a user with no other process, who may have so many.
as_other() {
	local limit=$1 dir
	shift
	dir=$(mktemp -d -p /dev/shm)
	chmod 777 "$dir"
	cp "$PROCTRACE" "$dir/proctrace"
	(cd / && TMPDIR=$dir prlimit --nproc="$limit" setpriv --reuid=64123 --regid=64123 --clear-groups \
		"$dir/proctrace" "$@") || STATUS=$?
	rm -f "$dir/proctrace"
	# Its own folder must be gone.
	rmdir "$dir"
	return "${STATUS:-0}"
}

@test "RLIMIT_NPROC: the default of --inflight stays below it" {
	run --separate-stderr as_other 40 load --mode nowait --count 503 --json
	status_is 0
	holds '.load.launches == 503 and .load.inflight == 20 and .load.failed == 0'
}

@test "RLIMIT_NPROC: starts that it forbids are counted, and the others made" {
	run --separate-stderr as_other 12 load --mode nowait --inflight 50 --count 503 --json \
		--target /bin/true
	status_is 0
	holds '.load.launches == 503'
	holds '.load.failed > 0 and (.load.failed_by | length) == 1 and .load.failed_by[0].errno == "EAGAIN"'
}

@test "RLIMIT_NPROC: no room for the generator itself is one sentence" {
	run --separate-stderr as_other 3 load --workers 8 --count 23
	status_is 1
	output=$stderr
	contains 'cannot fork process'
	[[ ${#stderr_lines[@]} -eq 1 ]]
}
