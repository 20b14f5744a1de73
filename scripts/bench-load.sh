#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Is `proctrace load` as fast as a bare vfork/exec/wait loop in C? Both run by turns, in slices that change
# places, with the same target in the same folder; neighbours are compared. Prints the median ratio with the
# quartiles; status 1 if it is below the goal.
#
# Wants a quiet machine; on a busy one, as root: chrt -r 1 scripts/bench-load.sh
#
# Usage: bench-load.sh [PAIRS [MILLISECONDS]]        (30 pairs of 300 ms)
# Environment: O (build folder), CC, GOAL (0.95)
set -euo pipefail

cd "$(dirname "$0")/.."
O=${O:-build}
CC=${CC:-gcc}
GOAL=${GOAL:-0.95}
pairs=${1:-30}
ms=${2:-300}

if [[ ! -x $O/proctrace || ! -x $O/testapp ]]; then
	echo "bench-load.sh: $O/proctrace is missing: run 'make O=$O' first" >&2
	exit 2
fi

# Where load looks first for a place for its own copies.
tmp=$(mktemp -d -p "${TMPDIR:-/dev/shm}")
trap 'rm -rf "$tmp"' EXIT
cp "$O/testapp" "$tmp/testApp"
$CC -O2 -D_GNU_SOURCE -o "$tmp/bare_loop" tests/bare_loop.c

bare() {
	"$tmp/bare_loop" "$tmp/testApp" "$ms"
}

load() {
	"$O/proctrace" load --duration "${ms}ms" --json | sed -n '/^  "load"/,$s/.*"rate_per_s": \([0-9.]*\).*/\1/p' | head -n 1
}

bare >/dev/null
load >/dev/null
for ((i = 0; i < pairs; i++)); do
	if ((i % 2)); then
		a=$(load) b=$(bare)
	else
		b=$(bare) a=$(load)
	fi
	echo "$a $b"
done | awk -v goal="$GOAL" '
	{ ratio[NR] = $1 / $2; load += $1; bare += $2 }
	END {
		for (i = 2; i <= NR; i++)
			for (j = i; j > 1 && ratio[j - 1] > ratio[j]; j--) {
				t = ratio[j]; ratio[j] = ratio[j - 1]; ratio[j - 1] = t
			}
		median = (ratio[int((NR + 1) / 2)] + ratio[int((NR + 2) / 2)]) / 2
		printf "load %.0f/s, bare loop %.0f/s, ratio %.3f (quartiles %.3f to %.3f, %d pairs); goal %s\n",
			load / NR, bare / NR, median, ratio[int((NR + 3) / 4)], ratio[int((3 * NR + 3) / 4)], NR, goal
		exit median < goal
	}'
