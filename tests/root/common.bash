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

# BPF programs of ours that are loaded. Others on this machine may come and go: ours have known names.
bpf_programs() {
	PATH=$PATH:/usr/sbin:/sbin bpftool prog show |
		grep -cE ' name (fork|exec|exit)_(btf|raw) ' || :
}

our_folders() {
	find "${TMPDIR:-/tmp}" /dev/shm /tmp /var/tmp /run -maxdepth 1 -name 'proctrace*' -newer "$BATS_FILE_TMPDIR/begin" 2>/dev/null | sort -u
}

# Processes whose executable is the program under test or a testApp.
our_processes() {
	local exe
	for exe in /proc/[0-9]*/exe; do
		case $(readlink "$exe" 2>/dev/null) in
		"$PROCTRACE" | "$PROCTRACE (deleted)" | */testApp*) echo "$exe" ;;
		esac
	done
}

none_left() {
	[ -z "$(our_processes)" ] && [ -z "$(our_folders)" ] && [ "$(bpf_programs)" = 0 ]
}

# Builds one of the helper programs beside this file.
helper_build() {
	cc -O1 -o "$BATS_FILE_TMPDIR/$1" "$PT_SRC/tests/root/$1.c"
}
