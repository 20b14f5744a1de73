#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --color: the same for every command that prints tables, and nothing is said by colour alone.

bats_require_minimum_version 1.5.0
load tree

setup() {
	REPORT=$PT_SRC/tests/data/report-lossy.json
	unset NO_COLOR
	export TERM=xterm
	cd "$BATS_TEST_TMPDIR"
}

coloured() { [[ $output == *$'\e['* ]] || { echo "no colour in: $output"; return 1; }; }
plain() { [[ $output != *$'\e'* ]] || { echo "colour in: $output"; return 1; }; }

# on_terminal COMMAND...: its output, written to a terminal.
on_terminal() {
	run -0 script -qec "$(printf '%q ' "$@")" /dev/null
}

@test "auto: on a terminal, not in a pipe" {
	command -v script >/dev/null || skip "script (util-linux) is not installed"
	run -0 "$PROCTRACE" report "$REPORT"
	plain
	for how in "" "--color auto"; do
		# shellcheck disable=SC2086
		on_terminal "$PROCTRACE" report $how "$REPORT"
		coloured
		# shellcheck disable=SC2086
		on_terminal "$PROCTRACE" compare $how "$REPORT" "$REPORT"
		coloured
	done
}

@test "auto: NO_COLOR and TERM=dumb switch it off on a terminal" {
	command -v script >/dev/null || skip "script (util-linux) is not installed"
	NO_COLOR=1 on_terminal "$PROCTRACE" report "$REPORT"
	plain
	TERM=dumb on_terminal "$PROCTRACE" report "$REPORT"
	plain
	NO_COLOR='' on_terminal "$PROCTRACE" report "$REPORT"
	coloured
	on_terminal "$PROCTRACE" report --color never "$REPORT"
	plain
}

@test "always: also in a pipe, and against NO_COLOR; the text is the same" {
	for command in "report $REPORT" "compare $REPORT $REPORT"; do
		# shellcheck disable=SC2086
		NO_COLOR=1 run -0 "$PROCTRACE" $command --color=always
		coloured
		stripped=$(sed 's/\x1b\[[0-9;]*m//g' <<<"$output")
		# shellcheck disable=SC2086
		run -0 "$PROCTRACE" $command --color=never
		plain
		[[ $output == "$stripped" ]]
	done
	run -0 "$PROCTRACE" load --count 23 --color always
	coloured
	run -0 "$PROCTRACE" load --count 23
	plain
}

@test "another word is refused, with those that are known" {
	run -2 "$PROCTRACE" report --color blue "$REPORT"
	contains "--color 'blue' is not known; give auto, always or never"
}
