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
