# SPDX-License-Identifier: MIT
# What the root tests share. shellcheck shell=bash

# Waits until the command succeeds; fails after 10 s.
wait_until() {
	local deadline=$((SECONDS + 10))
	until "$@"; do
		((SECONDS < deadline)) || { echo "gave up waiting for: $*" >&2; return 1; }
		read -rt 0.02 <> <(:) || :
	done
}

# Skips the test where `unshare "$@"` is refused, as in a chroot or a container.
can_unshare() {
	unshare "$@" true 2>/dev/null || skip "unshare $* is refused here (a chroot, a container?)"
}

# BPF programs with our names that are loaded though no process holds them: others may trace beside us.
bpf_orphans() {
	comm -23 \
		<(PATH=$PATH:/usr/sbin:/sbin bpftool -j prog show |
			jq -r '.[] | select((.name // "") | test("_(btf|raw)$|^execve")) | .id' | sort) \
		<(cat /proc/[0-9]*/fdinfo/* 2>/dev/null | sed -n 's/^prog_id:\t//p' | sort -u)
}

# Each test has a TMPDIR of its own, which is where the generator looks first.
setup() {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir -p "$TMPDIR"
}

our_folders() {
	find "$TMPDIR" -mindepth 1 -maxdepth 1 -name 'proctrace*'
}

# Processes whose executable is the program under test or one of its testApps.
our_processes() {
	local exe
	for exe in /proc/[0-9]*/exe; do
		case $(readlink "$exe" 2>/dev/null) in
		"$PROCTRACE" | "$PROCTRACE (deleted)" | "$TMPDIR"/*) echo "$exe" ;;
		esac
	done
}

none_left() {
	[ -z "$(our_processes)" ] && [ -z "$(our_folders)" ] && [ -z "$(bpf_orphans)" ]
}

# Builds one of the helper programs beside this file.
helper_build() {
	cc -O1 -o "$BATS_FILE_TMPDIR/$1" "$PT_SRC/tests/root/$1.c"
}
