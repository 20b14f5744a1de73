#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the Makefile promises, in a copy of the tree that one test after the other builds on.

load tree

setup_file() {
	export TREE=$BATS_FILE_TMPDIR/tree
	tree_copy "$TREE"
	make -C "$TREE" -j4 >"$BATS_FILE_TMPDIR/first" 2>&1 || { cat "$BATS_FILE_TMPDIR/first"; false; }
}

setup() {
	cd "$TREE"
}

# Whatever a test changed is built again, so that each starts from "nothing to do".
teardown() {
	make -C "$TREE" -j4 >/dev/null 2>&1
}

# make's clock is the file system's: what is touched now has to be newer than what was just built.
touch_newer() {
	until touch "$1" && [[ $1 -nt build/proctrace && $1 -nt proctrace ]]; do :; done
}

@test "make builds the program beside the Makefile, without a warning" {
	run ./proctrace --version
	status_is 0
	output=$(<"$BATS_FILE_TMPDIR/first")
	lacks warning
}

@test "a second make does nothing" {
	run make
	status_is 0
	contains 'Nothing to be done'
	lacks '  CC '
	lacks '  LD '
}

@test "a new source is one file, and a changed header rebuilds what includes it, nothing else" {
	echo '#define PROBE 1' >user/base/zz_probe.h
	printf '#include "base/zz_probe.h"\nint zz_with(void);\nint zz_with(void)\n{\n\treturn PROBE;\n}\n' \
		>user/base/zz_with.c
	printf 'int zz_without(void);\nint zz_without(void)\n{\n\treturn 0;\n}\n' >user/base/zz_without.c
	run make
	status_is 0
	contains 'CC      user/base/zz_with.c'
	contains 'CC      user/base/zz_without.c'
	lacks 'CC      user/main.c'
	contains 'LD '

	touch_newer user/base/zz_probe.h
	run make
	status_is 0
	contains 'CC      user/base/zz_with.c'
	[[ $(grep -c '  CC ' <<<"$output") -eq 1 ]]
	lacks '  BPF '

	# A header that is gone is no error to who no longer includes it.
	rm user/base/zz_probe.h
	sed -i '/include/d; s/PROBE/1/' user/base/zz_with.c
	run make
	status_is 0
	contains 'CC      user/base/zz_with.c'

	# Neither is a source: the program is linked without it.
	rm user/base/zz_with.c user/base/zz_without.c
	run make
	status_is 0
	contains 'LD '
	lacks '  CC '
}

@test "a change in wire.h reaches the BPF programs, the skeleton and its reader" {
	touch_newer bpf/wire.h
	run make
	status_is 0
	contains '  BPF     bpf/proctrace.bpf.c'
	contains '  SKEL '
	contains 'CC      user/source/bpf_load.c'
	lacks 'CC      user/base/err.c'
}

@test "a change in vmlinux.h does too" {
	touch_newer vmlinux/vmlinux.h
	run make
	status_is 0
	contains '  BPF     bpf/proctrace.bpf.c'
	contains 'CC      user/source/bpf_load.c'
	lacks 'CC      user/base/err.c'
}

@test "a changed target of the load generator ends up in the program" {
	touch_newer user/load/testapp.c
	run make
	status_is 0
	contains '  TESTAPP '
	contains '  AS '
	contains '  LD '
	lacks '  CC '
}

@test "changed flags rebuild what they are for; the same flags again, nothing" {
	run make CFLAGS='-O1 -g'
	status_is 0
	contains 'CC      user/main.c'
	contains 'CC      user/base/err.c'
	lacks '  BPF '
	lacks '  TESTAPP '
	run make CFLAGS='-O1 -g'
	contains 'Nothing to be done'
	run make CFLAGS='-O1 -g' LDFLAGS='-Wl,-O1'
	status_is 0
	contains '  LD '
	lacks '  CC '
	run make
	contains 'CC      user/main.c'
}

@test "O= and -j: everything lands in the folder, nothing beside the Makefile" {
	rm -f proctrace
	run make -j8 O="$BATS_TEST_TMPDIR/out/"
	status_is 0
	[[ -x $BATS_TEST_TMPDIR/out/proctrace ]]
	[[ ! -e proctrace ]]
	"$BATS_TEST_TMPDIR/out/proctrace" --version
}

@test "the BPF object is the same bytes wherever it is built, and names no folder" {
	local other=$BATS_TEST_TMPDIR/quite/another
	tree_copy "$other"
	make -C "$other" build/bpf/proctrace.bpf.o
	make O="$BATS_TEST_TMPDIR/o" "$BATS_TEST_TMPDIR/o/bpf/proctrace.bpf.o"
	cmp build/bpf/proctrace.bpf.o "$other/build/bpf/proctrace.bpf.o"
	cmp build/bpf/proctrace.bpf.o "$BATS_TEST_TMPDIR/o/bpf/proctrace.bpf.o"
	run grep -c "$BATS_FILE_TMPDIR" build/bpf/proctrace.bpf.o build/testapp build/proctrace
	contains 'proctrace.bpf.o:0'
	contains 'testapp:0'
	contains 'proctrace:0'
}

@test "testApp is static, without libc, and never sanitized" {
	run readelf -lW build/testapp
	status_is 0
	lacks INTERP
	lacks DYNAMIC
	[[ $(stat -c %s build/testapp) -lt 8192 ]]
	run make -n V=1 O=elsewhere SAN=address,undefined elsewhere/testapp
	rm -rf elsewhere
	status_is 0
	contains testapp.c
	lacks fsanitize
}

@test "SAN= reaches compiler and linker" {
	run make -n V=1 O=elsewhere SAN=address,undefined elsewhere/proctrace
	rm -rf elsewhere
	status_is 0
	[[ $(grep -c -- '-fsanitize=address,undefined.* -c user/main.c' <<<"$output") -eq 1 ]]
	[[ $(grep -c -- '-fsanitize=address,undefined.* -o elsewhere/proctrace$' <<<"$output") -eq 1 ]]
}

@test "a step that fails leaves no half-written file behind" {
	local real
	real=$(PATH=$PATH:/usr/sbin command -v bpftool)
	rm -f build/bpf/proctrace.skel.h
	printf '#!/bin/sh\n[ "$2" = skeleton ] || exec %s "$@"\necho half\nexit 1\n' "$real" >"$BATS_TEST_TMPDIR/bpftool"
	chmod +x "$BATS_TEST_TMPDIR/bpftool"
	run make BPFTOOL="$BATS_TEST_TMPDIR/bpftool"
	[[ $status -ne 0 ]]
	[[ ! -e build/bpf/proctrace.skel.h ]]
	run make
	status_is 0
}

@test "install and uninstall, below DESTDIR and PREFIX" {
	local root=$BATS_TEST_TMPDIR/root
	run make install DESTDIR="$root" PREFIX=/opt/pt
	status_is 0
	cmp build/proctrace "$root/opt/pt/bin/proctrace"
	if [[ -e user/proctrace.8 ]]; then
		cmp user/proctrace.8 "$root/opt/pt/share/man/man8/proctrace.8"
	fi
	if [[ -e scripts/completion ]]; then
		cmp scripts/completion "$root/opt/pt/share/bash-completion/completions/proctrace"
	fi
	run make uninstall DESTDIR="$root" PREFIX=/opt/pt
	status_is 0
	[[ -z $(find "$root" -type f) ]]
}

@test "a missing library is one sentence with its package and the script that installs it" {
	PKG_CONFIG_LIBDIR=/nowhere run make O="$BATS_TEST_TMPDIR/o"
	status_is 2
	[[ ${#lines[@]} -eq 1 ]]
	contains 'libbpf 1.1 or newer is missing: install the package libbpf-dev, or run `scripts/bootstrap.sh build`'
}

@test "a libbpf that is too old is the same sentence" {
	mkdir "$BATS_TEST_TMPDIR/pc"
	printf 'Name: libbpf\nDescription: old\nVersion: 1.0.9\n' >"$BATS_TEST_TMPDIR/pc/libbpf.pc"
	PKG_CONFIG_LIBDIR=$BATS_TEST_TMPDIR/pc run make O="$BATS_TEST_TMPDIR/o"
	status_is 2
	contains 'libbpf 1.1 or newer is missing'
}

@test "so is a missing tool" {
	run make O="$BATS_TEST_TMPDIR/o" CLANG=clang-of-nowhere
	status_is 2
	[[ ${#lines[@]} -eq 1 ]]
	contains 'install the package clang'
	run make O="$BATS_TEST_TMPDIR/o" BPFTOOL=bpftool-of-nowhere
	status_is 2
	contains 'bpftool is missing: install the package bpftool'
}

@test "help and clean need no library, and clean leaves nothing" {
	local other=$BATS_TEST_TMPDIR/clean
	tree_copy "$other"
	mkdir "$other/build"
	touch "$other/build/x" "$other/proctrace"
	PKG_CONFIG_LIBDIR=/nowhere run make -C "$other" clean
	status_is 0
	[[ ! -e $other/build && ! -e $other/proctrace ]]
	PKG_CONFIG_LIBDIR=/nowhere run make help
	status_is 0
	contains 'DEVELOPER=1'
	contains uninstall
}

@test "a source more is one file and one line" {
	cat >user/source/dummy.c <<-'END'
		// SPDX-License-Identifier: MIT
		#include <poll.h>
		#include "source/source.h"
		static int dummy_probe(struct err *why) { (void)why; return 0; }
		static int dummy_open(struct source *s, struct err *e) { (void)s, (void)e; return 0; }
		static int dummy_drain(struct source *s, int timeout_ms)
		{
			struct event ev = event_empty(EV_EXEC);

			if (poll(NULL, 0, timeout_ms < 10 ? timeout_ms : 10))
				return 0;
			ev.pid = 23;
			sink_event(s->cfg.sink, &ev);
			return 1;
		}
		static void dummy_stats(struct source *s, struct source_stats *out)
		{
			(void)s;
			*out = (struct source_stats){ 0 };
		}
		static void dummy_close(struct source *s) { (void)s; }
		const struct source_ops source_dummy = {
			.name = "dummy", .title = "dummy", .summary = "tells of nothing", .kinds = EV_MASK_ALL,
			.probe = dummy_probe, .open = dummy_open, .start = dummy_open, .drain = dummy_drain,
			.stats = dummy_stats, .close = dummy_close,
		};
	END
	sed -i 's/^\tX(source_replay)/\tX(source_dummy) \\\n&/' user/source/source.c
	run make
	status_is 0
	run ./proctrace sources
	contains 'dummy          yes     tells of nothing'
	run ./proctrace trace --source dummy --duration 0.1
	status_is 0
	contains ' 23 '
	run ./proctrace trace --source nothing
	contains 'dummy'
}
