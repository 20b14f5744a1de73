#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A generator of the shape that published measurements have, in Go, beside `load`: the same programs, in turns.

bats_require_minimum_version 1.5.0
load tree

setup_file() {
	export GOCACHE=$BATS_FILE_TMPDIR/cache GOFLAGS=-mod=mod GO111MODULE=off HOME=$BATS_FILE_TMPDIR
}

# A folder of testApps, the smallest that a program can be. Where programs can be run from.
targets_build() {
	TARGETS=$(mktemp -d -p "${TMPDIR:-/tmp}")
	cc -std=gnu11 -Os -w -static -nostdlib -ffreestanding -fno-pie -fno-stack-protector \
		-fno-asynchronous-unwind-tables -Wl,--build-id=none -Wl,-z,noseparate-code -Wl,-z,norelro -Wl,-s \
		"$PT_SRC/user/load/testapp.c" -o "$TARGETS/testApp1"
	for ((i = 2; i <= 10; i++)); do
		cp "$TARGETS/testApp1" "$TARGETS/testApp$i"
	done
}

teardown() {
	rm -rf "${TARGETS:-}"
}

median() {
	sort -g | sed -n "$((($1 + 1) / 2))p"
}

@test "more launches a second than a Go program of the usual shape, at every number of workers" {
	command -v go >/dev/null || skip "go is not installed (Debian: golang-go)"
	[[ -z ${PT_SANITIZED:-} ]] || skip "no rates are compared with a sanitized program"
	targets_build
	go build -o "$BATS_TEST_TMPDIR/article" "$PT_SRC/tests/go/article.go"
	local workers round programs rounds=5 slice=0.3 go ours ratio slower=0
	for workers in 1 3 4 5 6 7 8 9 10; do
		programs=()
		for ((i = 1; i <= workers; i++)); do
			programs+=("$TARGETS/testApp$i")
		done
		# In turns, each round in the other order, so that what else the machine does hits both.
		for ((round = 1; round <= rounds; round++)); do
			go=0
			((round % 2)) && go=$("$BATS_TEST_TMPDIR/article" "$slice" "${programs[@]}")
			ours=$("$PROCTRACE" load --json --duration "$slice" --workers "$workers" \
				--target "$TARGETS/testApp1" | jq '.load.rate_per_s')
			((round % 2)) || go=$("$BATS_TEST_TMPDIR/article" "$slice" "${programs[@]}")
			jq -n "$ours / $go"
		done >"$BATS_TEST_TMPDIR/ratios"
		ratio=$(median "$rounds" <"$BATS_TEST_TMPDIR/ratios")
		printf '# %2d workers: load starts %.2f times as many a second as the Go program\n' "$workers" "$ratio" >&3
		jq -en "$ratio > 1" >/dev/null || slower=$((slower + 1))
	done
	((slower == 0))
}
