#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trace without root, by capabilities; and what it keeps of those it has.

bats_require_minimum_version 1.5.0
load common

# Where other users can reach the program.
setup_file() {
	BIN=$(mktemp -d /tmp/proctrace-caps.XXXXXX)
	export BIN
	chmod 755 "$BIN"
	cp "$PROCTRACE" "$BIN/proctrace"
}

teardown_file() {
	rm -r "$BIN"
}

# Runs the program as nobody with the capabilities $1 ("+bpf,+perfmon").
nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "$1" --ambient-caps "$1" \
		"$BIN/proctrace" trace "${@:2}"
}

@test "CAP_BPF and CAP_PERFMON are enough" {
	for how in tp_btf raw_tp; do
		run --separate-stderr nobody +bpf,+perfmon --attach $how --usage --cwd --path bin/true -- /bin/true
		[ "$status" -eq 0 ]
		echo "$stderr"
		[[ "$stderr" == *" exec "*" exit 0 after "*"0 lost"* ]]
	done
}

@test "CAP_NET_ADMIN is enough for netlink" {
	run --separate-stderr nobody +net_admin --source netlink -- /bin/true
	[ "$status" -eq 0 ]
	[[ "$stderr" == *" exec "*" exit 0"*"0 lost"* ]]
}

@test "what is missing is named" {
	run --separate-stderr nobody +bpf -- /bin/true
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"CAP_PERFMON is missing): run it with sudo" ]]
	run --separate-stderr nobody +perfmon -- /bin/true
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"CAP_BPF is missing): run it with sudo" ]]
	run --separate-stderr nobody +bpf,+perfmon --failed -- /bin/true
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"failed execs need root"* ]]
}

# The effective capabilities of process $1, as a number.
effective() {
	echo $((16#$(sed -n 's/^CapEff:\t//p' "/proc/$1/status")))
}

@test "root keeps only what is needed once events flow, the command has all" {
	# shellcheck disable=SC2016 # for the traced shell
	"$PROCTRACE" trace --output /dev/null -- sh -c 'cat /proc/$PPID/status; echo; cat /proc/self/status' >"$BATS_TEST_TMPDIR/both"
	mapfile -t caps < <(sed -n 's/^CapEff:\t//p' "$BATS_TEST_TMPDIR/both")
	[ "${#caps[@]}" -eq 2 ]
	# chown, dac_override, dac_read_search, kill, net_admin, bpf
	allowed=$((1 << 0 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 12 | 1 << 39))
	[ $((16#${caps[0]} & ~allowed)) -eq 0 ]
	[ $((16#${caps[0]})) -ne 0 ]
	[ $((16#${caps[1]})) -eq "$(effective self)" ]
	mapfile -t privs < <(sed -n 's/^NoNewPrivs:\t//p' "$BATS_TEST_TMPDIR/both")
	[ "${privs[*]}" = "1 0" ]
}
