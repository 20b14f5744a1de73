#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154 # status, output, stderr are of bats
# What trace makes of recordings beside lines: summaries, timelines, files that are begun anew; and that
# none of it grows with the number of processes.

bats_require_minimum_version 1.5.0

load tree
load rec

setup_file() {
	# The tools of the sanitized pass are not needed here: it only writes files.
	cc -O2 -D_GNU_SOURCE -I"$PT_SRC/user" -o "$BATS_FILE_TMPDIR/rec_gen" "$PT_SRC/tests/cli/rec_gen.c" \
		"$PT_SRC/user/event/recformat.c" "$PT_SRC/user/event/event.c" "$PT_SRC/user/base/err.c"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
}

replay() {
	"$PROCTRACE" trace --source "replay:$1" "${@:2}"
}

rec_gen() {
	"$BATS_FILE_TMPDIR/rec_gen" "$@"
}

# A build, a process whose end is not seen, one whose beginning was not, and hostile names.
story() {
	rec_header
	rec_fork 1000000 10 5 0 make
	rec_exec 2000000 10 5 0 sh /bin/sh sh -c 'cc x.c'
	rec_fork 3000000 11 10 0 sh
	rec_exec 4000000 11 10 0 cc /usr/bin/cc cc x.c
	rec_exit 4500000 99 1 0 daemon 0 900000000000
	rec_fork 5000000 12 11 0 cc
	rec_exec 6000000 12 11 0 $'a"\e\xff' $'/\xff' $'\xff' $'\e[2J"'
	rec_lost 1 312 'ring full'
	rec_fork 6500000 12 10 0 sh # the end of the first 12 was lost
	rec_exit 7000000 12 10 0 sh 256 500000
	rec_exit 8000000 11 10 0 cc 9 5000000
	rec_fork 9000000 13 10 0 sh
}

# Each B has its E: in order of time on each track, never more ends than beginnings, none open at the end.
balanced() {
	jq -e '[.traceEvents[] | select(.ph == "B" or .ph == "E")] | group_by([.pid, .tid]) | length > 0 and all(
		(map(if .ph == "B" then 1 else -1 end) | reduce .[] as $d ({n: 0, ok: true};
			.n += $d | .ok = (.ok and .n >= 0 and .n <= 1)) | .ok and .n == 0) and
		([.[].ts] as $t | $t == ($t | sort)))' "$1"
}

@test "--timeline: valid JSON, each B with its E, names, statuses, parents" {
	story >f.rec
	replay f.rec --timeline t.json >/dev/null 2>&1
	iconv -f UTF-8 -t UTF-8 t.json >/dev/null
	balanced t.json
	jq -e '.displayTimeUnit == "ms" and (.otherData.wall_clock_minus_ts_ns | type == "number")' t.json
	jq -e '.traceEvents | all((.ph | IN("B", "E", "M", "i", "s", "f")) and (.pid | type == "number") and
		(.tid | type == "number") and (.ph == "M" or (.ts | type == "number" and . >= 0 and . < 1e15)))' t.json
	# exec changes the name: make, then sh, of pid 10.
	jq -e '[.traceEvents[] | select(.ph == "B" and .args.pid == 10) | .name] == ["make", "sh"]' t.json
	jq -e '[.traceEvents[] | select(.ph == "E") | .args | select(.exit_code == 1)] | length == 1' t.json
	jq -e '[.traceEvents[] | select(.ph == "E") | .args | select(.signal == "SIGKILL")] | length == 1' t.json
	jq -e '[.traceEvents[] | select(.ph == "E") | .args.end] | map(select(. == "still running")) | length == 2' t.json
	jq -e '[.traceEvents[] | select(.ph == "E") | .args.end] | map(select(. == "end not seen")) | length == 1' t.json
	# Descendants are in the group of the first one, and an arrow leads to each.
	jq -e '[.traceEvents[] | select(.ph == "B" and .args.pid != 99) | .pid] | unique | length == 1' t.json
	jq -e '[.traceEvents[] | select(.ph == "s") | .id] == [.traceEvents[] | select(.ph == "f") | .id] and
		([.traceEvents[] | select(.ph == "s")] | length == 4)' t.json
	# One that was there before begins where the trace does.
	jq -e '.traceEvents[] | select(.ph == "B" and .args.pid == 99) | .ts == 1000' t.json
	jq -e '.traceEvents[] | select(.ph == "i") | .name == "events lost" and .args.count == 312' t.json
}

@test "--timeline of forty thousand processes is balanced; pids are used again" {
	rec_gen 40000 full >f.rec
	replay f.rec --timeline t.json >/dev/null 2>&1
	[[ $(jq '[.traceEvents[] | select(.ph == "B")] | length' t.json) -eq 80000 ]]
	balanced t.json
}

@test "--summary: programs, lifetimes, statuses, who started them" {
	story >f.rec
	run --separate-stderr replay f.rec --summary
	status_is 0
	[[ ${lines[0]} == *" 3 starts "*", 3 ended: 1 ok, 1 failed, 1 killed; 2 within 100 ms; 312 events lost" ]]
	contains "cc                      1   "
	lacks $'\e'
	replay f.rec --summary --json 2>/dev/null >out
	jq -se 'length == 1 and .[0].event == "summary" and .[0].starts == 3 and .[0].ended == 3 and .[0].lost == 312' out
	jq -e '.programs[] | select(.comm == "cc") | .starts == 1 and .killed == 1 and .life_p50_ns == 5000000' out
	jq -e '.started_by[] | select(.comm == "cc") | .parent_comm == "sh" and .ppid == 10' out
}

@test "--summary --interval: one each so often, every event in exactly one; --top" {
	rec_gen 1000 >f.rec # 10 ms
	replay f.rec --summary --json --interval 1ms --top 1 2>/dev/null >out
	[[ $(wc -l <out) -eq 11 ]]
	jq -se '(map(.starts) | add) == 1000 and (map(.ended) | add) == 1000 and all(.programs | length <= 1)' out
	jq -se 'map(.period_ns)[0:10] == [range(10) | 1000000]' out
	run --separate-stderr replay f.rec --summary --top 0
	status_is 2
	run --separate-stderr replay f.rec --interval 1
	status_is 2
	run --separate-stderr replay f.rec --summary --tree
	status_is 2
}

@test "--rotate: whole lines, nothing lost, so many files and no more" {
	rec_gen 2000 >f.rec
	replay f.rec --json >all 2>/dev/null
	replay f.rec --json --output out --rotate 100K --rotate-keep 9 2>/dev/null
	cat out.9 out.8 out.7 out.6 out.5 out.4 out.3 out.2 out.1 out 2>/dev/null | cmp - all
	for file in out out.?; do
		[[ $(stat -c %s "$file") -lt $((101 << 10)) ]]
		[[ ! -s $file || -z $(tail -c 1 "$file") ]]
	done
	[[ -e out.5 && ! -e out.10 ]]
	replay f.rec --json --output two --rotate 50K --rotate-keep 2 2>/dev/null
	[[ $(echo two*) == "two two.1 two.2" ]]
	replay f.rec --output text --rotate 50K --rotate-keep 0 2>/dev/null
	[[ $(echo text*) == text ]]
	run --separate-stderr replay f.rec --rotate 1K
	status_is 2
	run --separate-stderr replay f.rec --rotate 1K --output /dev/null
	status_is 2
	[[ $stderr == "proctrace: --rotate: '/dev/null' is no regular file" ]]
}

@test "--rotate where the old file cannot be moved ends with a sentence" {
	rec_gen 2000 >f.rec
	mkdir -p out.1/full
	run --separate-stderr replay f.rec --json --output out --rotate 10K --rotate-keep 1
	status_is 1
	[[ $stderr == *"cannot write the trace: "* ]]
}

# Peak memory in KiB of a replay.
peak() {
	command time -f %M "$PROCTRACE" trace --source "replay:$1" "${@:2}" 2>&1 >/dev/null | tail -n 1
}

@test "memory does not grow with the number of processes" {
	[[ -z ${PT_SANITIZED:-} ]] || skip "sanitizers keep freed memory"
	[[ -x /usr/bin/time ]] || skip "time(1) is not installed"
	rec_gen 100000 full >few.rec
	rec_gen 1000000 full >many.rec
	local options few many
	for options in "" --json --tree --join --summary "--timeline /dev/null"; do
		# shellcheck disable=SC2086 # words
		few=$(peak few.rec $options)
		# shellcheck disable=SC2086
		many=$(peak many.rec $options)
		echo "$options: $few KiB for 100 000, $many KiB for 1 000 000"
		[[ $((many - few)) -lt 1024 ]]
	done
}
