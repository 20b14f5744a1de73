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
