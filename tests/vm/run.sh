#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Runs check.sh in a virtual machine of each kernel in the table `kernels`, two at a time, and prints TAP:
# one test for each kernel and check. The table of all is left in $O/vm/table.
#
# Usage: run.sh [KERNEL...]      rows of the table; all by default
#
# Environment: O (build folder, with the program in it), PT_VM_JOBS (machines at a time, 2); see scripts/vm.sh.
set -euo pipefail

SRC=$(cd "$(dirname "$0")/../.." && pwd)
O=$(realpath "${O:-$SRC/build}")
export O
OUT=$O/vm
JOBS=${PT_VM_JOBS:-2}
readonly DEADLINE=600 # seconds, for one machine

n=0 wrong=0

rows() {
	grep -v -e '^#' -e '^$' "$SRC/tests/vm/kernels"
}

# The hard lifecycles, static: a machine has no more libraries than it needs.
workload_build() {
	local arch=$1 cc=$2
	mkdir -p "$OUT/$arch"
	$cc -O1 -D_GNU_SOURCE -static -pthread -o "$OUT/$arch/workload" "$SRC"/tests/root/workload/*.c
}

# ROW: runs it; leaves NAME.log, NAME.err and NAME.status.
machine_run() {
	local name flavour cpus expected arch=amd64 cc=${CC:-cc} status=0
	read -r name _ _ flavour cpus expected <<<"$1"
	[[ $flavour != *arm64* ]] || arch=arm64 cc=aarch64-linux-gnu-gcc
	rm -f "$OUT/$name".{log,err,status}
	if ! workload_build "$arch" "$cc" >"$OUT/$name.err" 2>&1; then
		echo "vm.sh: $cc cannot build tests/root/workload" >>"$OUT/$name.err"
		status=77
	else
		"$SRC/scripts/vm.sh" -c "${cpus%/*}" -p "${cpus#*/}" -t $DEADLINE -f "$OUT/$arch/workload" "$name" \
			"bash /src/tests/vm/check.sh $expected" >"$OUT/$name.log" 2>"$OUT/$name.err" || status=$?
	fi
	echo "$status" >"$OUT/$name.status"
}

machines_run() {
	local row
	for row; do
		while [[ $(jobs -rp | wc -l) -ge $JOBS ]]; do
			wait -n || true
		done
		machine_run "$row" &
	done
	wait
}

# --- telling --------------------------------------------------------------------------------------------

tap() {
	n=$((n + 1))
	[[ $1 == ok ]] || wrong=$((wrong + 1))
	printf '%s %d %s\n' "$1" "$n" "$2"
}

# NAME: what its machine printed.
machine_tell() {
	local name=$1 status check word seen
	status=$(cat "$OUT/$name.status")
	if [[ $status -eq 77 ]]; then
		tap ok "$name # skip $(tail -n 1 "$OUT/$name.err" | sed 's/^vm.sh: //')"
		return
	fi
	while read -r _ check word seen; do
		case $word in
		ok) tap ok "$name $check: $seen" ;;
		-) tap ok "$name $check # skip $seen" ;;
		*) tap 'not ok' "$name $check: $seen" ;;
		esac
	done < <(grep '^CHECK ' "$OUT/$name.log")
	if ! grep -q '^DONE$' "$OUT/$name.log"; then
		tap 'not ok' "$name ran to its end (status $status)"
	elif [[ $status -eq 0 ]] || grep -q '^CHECK [^ ]* FAIL ' "$OUT/$name.log"; then
		return
	else
		tap 'not ok' "$name ended with status $status"
	fi
	sed 's/^/# /' "$OUT/$name.err" "$OUT/$name.log" | tail -n 40
}

# Which kernel it really was.
release_of() {
	sed -n 's/^CHECK kernel [^ ]* \([^,]*\),.*/\1/p' "$OUT/$1.log" 2>/dev/null
}

# NAME...: kernels across, checks down.
table_print() {
	local name check word
	printf '| check |'
	printf ' %s |' "$@"
	printf '\n|---|'
	printf -- '---|%.0s' "$@"
	printf '\n| release |'
	for name; do
		printf ' %s |' "$(release_of "$name")"
	done
	while read -r check; do
		printf '\n| %s |' "$check"
		for name; do
			word=$(awk -v check="$check" '$1 == "CHECK" && $2 == check { print $3 }' \
				"$OUT/$name.log" 2>/dev/null || true)
			printf ' %s |' "${word:-skipped}"
		done
	done < <(for name; do cat "$OUT/$name.log" 2>/dev/null; done | awk '$1 == "CHECK" && !seen[$2]++ { print $2 }')
	echo
}

main() {
	local row name wanted=() names=()
	mkdir -p "$OUT"
	while IFS= read -r row; do
		name=${row%% *}
		[[ $# -eq 0 || " $* " == *" $name "* ]] || continue
		wanted+=("$row") names+=("$name")
	done < <(rows)
	machines_run "${wanted[@]}"
	for name in "${names[@]}"; do
		machine_tell "$name"
	done
	echo "1..$n"
	table_print "${names[@]}" | column -t -s '|' -o '|' | sed 's/^ *//' >"$OUT/table"
	printf '\nOne proctrace on all of x86-64, sha256 %s\n' "$(sha256sum "$O/proctrace" | cut -d' ' -f1)" \
		>>"$OUT/table"
	[[ $wrong -eq 0 ]]
}

main "$@"
