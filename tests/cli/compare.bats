#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# compare: saved reports side by side.

bats_require_minimum_version 1.5.0
load tree

setup() {
	DATA=$PT_SRC/tests/data
	cd "$BATS_TEST_TMPDIR"
}

@test "compare names differences of machine and settings first" {
	run -0 "$PROCTRACE" compare "$DATA/report-serial.json" "$DATA/report-faster.json"
	contains "kernel: A 6.18.44, B 6.1.0"
	contains "ring_bytes: A 8 388 608, B 1 048 576"
	[[ ${output%%kernel: A*} != *"launches"* ]]
}

@test "compare words what is beyond noise" {
	run -0 "$PROCTRACE" compare "$DATA/report-serial.json" "$DATA/report-faster.json"
	contains "no monitor: B is 12 % faster than A (12 713 against 11 351 launches/s)."
	contains "eBPF: B is 12 % faster than A"
	lacks "No difference beyond noise"
}

@test "a report does not differ from itself" {
	run -0 "$PROCTRACE" compare "$DATA/report-serial.json" "$DATA/report-serial.json"
	contains "No difference beyond noise."
	lacks "faster"
}

@test "compare takes reports with other scenarios, and several" {
	run -0 "$PROCTRACE" compare "$DATA/report-serial.json" "$DATA/report-lossy.json" \
		"$DATA/report-hostile.json"
	contains "workers-4"
	contains "  C "
	LC_ALL=C.UTF-8 run -1 grep -E '^.{101,}$' <<<"$output"
}

@test "compare --json is JSON" {
	"$PROCTRACE" compare --json "$DATA/report-serial.json" "$DATA/report-faster.json" >out.json
	grep -q '"schema": "proctrace.compare/1"' out.json
	command -v python3 >/dev/null || skip "python3 is not installed"
	run -0 python3 - <<-'END'
		import json
		j = json.load(open("out.json"))
		assert [r["label"] for r in j["reports"]] == ["A", "B"]
		assert "kernel: A 6.18.44, B 6.1.0" in j["differences"]
		assert [c["monitor"] for c in j["cells"]] == ["none", "bpf"]
		assert "12 % faster" in j["cells"][0]["findings"][0]
		assert j["cells"][1]["summaries"][1]["sources"][0]["all"]["lost"] == 0
	END
}

@test "compare needs two reports" {
	run -2 "$PROCTRACE" compare
	run -2 --separate-stderr "$PROCTRACE" compare "$DATA/report-serial.json"
	[[ $stderr == *"compare needs two reports"* ]]
}

@test "a report that cannot be read is named" {
	run -1 --separate-stderr "$PROCTRACE" compare "$DATA/report-serial.json" nowhere.json
	[[ -z $output ]]
	[[ $stderr == "proctrace: cannot open 'nowhere.json': No such file or directory" ]]
}

@test "--fail-if: status 3 and the expression that holds, on one report or several" {
	run -3 --separate-stderr "$PROCTRACE" compare --fail-if 'bpf.exec.lost>0' --fail-if 'slowdown(bpf)>90%' "$DATA/report-lossy.json"
	[[ ${#stderr_lines[@]} -eq 1 ]]
	[[ $stderr == "proctrace: --fail-if 'bpf.exec.lost>0' holds: 1 in '"*"/report-lossy.json' (workers-4, bpf)" ]]
	contains "! --fail-if 'bpf.exec.lost>0' holds: 1 in A, workers-4, eBPF"
	contains "--fail-if 'slowdown(bpf)>90%' does not hold"
	run -3 --separate-stderr "$PROCTRACE" compare --fail-if='bpf.exec.lost>0' --fail-if 'rate(none)>1' \
		"$DATA/report-serial.json" "$DATA/report-lossy.json"
	[[ ${#stderr_lines[@]} -eq 2 ]]
	run -0 --separate-stderr "$PROCTRACE" compare --fail-if 'bpf.exec.lost>0' --fail-if 'slowdown(bpf)>2%' "$DATA/report-serial.json"
	[[ -z $stderr ]]
}

@test "--fail-if: what cannot be known is no success" {
	run -1 --separate-stderr "$PROCTRACE" compare --fail-if 'ftrace.exec.lost>0' "$DATA/report-serial.json"
	[[ -z $output ]]
	[[ $stderr == "proctrace: --fail-if 'ftrace.exec.lost>0': no report has that figure of 'ftrace'" ]]
}

@test "--fail-if: mistakes are named before any file is read" {
	for text in 'bpf' 'bpf.exec.lots>0' 'slowdown(bpf)' 'speed(bpf)>1' 'bpf.exec.lost>x' ''; do
		run -2 --separate-stderr "$PROCTRACE" compare --fail-if "$text" nowhere.json
		[[ -z $output && ${#stderr_lines[@]} -eq 1 ]]
		[[ $stderr == "proctrace: --fail-if '$text' "* ]]
	done
	run -2 --separate-stderr "$PROCTRACE" compare --fail-if 'bpf.exec.lost>0'
	[[ $stderr == *"needs a report"* ]]
	run -2 --separate-stderr "$PROCTRACE" compare --fail-if $'\e]0;x\a>1' nowhere.json
	[[ $stderr != *$'\e'* ]]
}

@test "--markdown: tables of GitHub, and nothing in them is markup of a report's" {
	run -3 --separate-stderr "$PROCTRACE" compare --markdown --fail-if 'rate(none)>1' "$DATA/report-serial.json" "$DATA/report-faster.json"
	contains '### proctrace compare'
	contains '#### serial'
	contains '| :-- | :-- | --: |'
	grep -q '713\\\*' <<<"$output"
	contains '- **failed** '
	# Each line of a table has as many cells.
	[[ $(grep '^|' <<<"$output" | tr -cd '|\n' | sort -u | wc -l) -eq 1 ]]
	sed 's/"kernel": "[^"]*"/"kernel": "<img src=x>|[a](b) @all `x`"/' "$DATA/report-serial.json" >evil.json
	run -0 "$PROCTRACE" compare --markdown "$DATA/report-serial.json" evil.json
	contains '&lt;img src=x\>\|\[a\]\(b\)'
	lacks '@all'
	lacks '<img'
	run -2 "$PROCTRACE" compare --markdown --json "$DATA/report-serial.json" evil.json
}

@test "--json: tests and conditions" {
	"$PROCTRACE" compare --json --fail-if 'rate(bpf)<1' "$DATA/report-serial.json" "$DATA/report-faster.json" >out.json
	jq -e '.conditions == [{"expression": "rate(bpf)<1", "holds": false, "cells": 0}]' out.json
	jq -e '[.cells[].tests[] | select(.figure == "rate")] | length == 2 and all(.beyond_noise and .p < 0.01)' out.json
	jq -e '[.cells[].tests[] | select(.figure != "rate")] | length > 0 and all(.beyond_noise | not)' out.json
	jq -e '.figures_judged == 3' out.json
	run -3 "$PROCTRACE" compare --json --fail-if 'rate(bpf)>1' "$DATA/report-serial.json" "$DATA/report-faster.json"
	"$PROCTRACE" compare --json --fail-if 'rate(bpf)>1' "$DATA/report-serial.json" 2>/dev/null >out.json || :
	jq -e '.conditions[0] | .holds and .cells == 1 and .report == "A" and .value > 11000' out.json
}

@test "what only one report has is not called equal" {
	run -0 "$PROCTRACE" compare "$DATA/report-serial.json" "$DATA/report-lossy.json"
	contains "Only one report has it: nothing to compare."
}

@test "truncated and hostile files: one sentence, whichever place they have" {
	local size good=$DATA/report-serial.json
	size=$(stat -c %s "$good")
	# Not the last byte: a report without its last newline is whole.
	for cut in 0 1 2 20 100 1000 5000 $((size / 2)) $((size - 3)); do
		head -c "$cut" "$good" >cut.json
		for files in "$good cut.json" "cut.json $good"; do
			# shellcheck disable=SC2086
			run -1 --separate-stderr "$PROCTRACE" compare $files
			[[ -z $output && ${#stderr_lines[@]} -eq 1 && $stderr == *cut.json* ]] || { echo "$cut: $stderr"; return 1; }
		done
	done
	printf '{"schema": "proctrace.report/1", "runs": [%s' "$(printf '[%.0s' {1..5000})" >deep.json
	printf '{"schema": "other/1"}' >other.json
	head -c 100000 /dev/zero >zeros.json
	sed 's/"rate_per_s": [0-9.]*/"rate_per_s": -1e999/' "$good" >huge.json
	sed 's/"launches": [0-9]*/"launches": "many"/' "$good" >text.json
	sed 's/"sources": \[/"sources": [{}, {}, {}, {},/' "$good" >sources.json
	mkdir folder.json
	for file in deep other zeros huge text sources folder; do
		run -1 --separate-stderr "$PROCTRACE" compare "$good" $file.json
		[[ -z $output && ${#stderr_lines[@]} -eq 1 && $stderr == *$file.json* ]] || { echo "$file: $stderr"; return 1; }
	done
}
