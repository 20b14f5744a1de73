#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Completion in bash, and the manual: both know every command and option.

bats_require_minimum_version 1.5.0

load tree

COMMANDS=(bench trace load compare report sources)

setup() {
	cd "$BATS_TEST_TMPDIR"
	# shellcheck source=/dev/null
	source "$PT_SRC/scripts/completion"
	# Only the shell's line editor may call it.
	compopt() { :; }
}

# WORD...: what is offered for the last one.
offers() {
	COMP_WORDS=("$PROCTRACE" "$@")
	COMP_CWORD=$#
	_proctrace
	output="${COMPREPLY[*]}"
}

options_of() {
	"$PROCTRACE" "$1" --help | grep -oE -- '^  (-., |    )?--[a-z-]+' | grep -oE -- '--[a-z-]+'
}

@test "commands" {
	offers tr
	[[ $output == trace ]]
	offers ''
	for command in "${COMMANDS[@]}"; do
		[[ " $output " == *" $command "* ]]
	done
	offers help so
	[[ $output == sources ]]
}

@test "options of each command" {
	offers trace --dur
	[[ $output == --duration ]]
	local command option
	for command in "${COMMANDS[@]}"; do
		offers "$command" --
		for option in $(options_of "$command"); do
			[[ " $output " == *" $option "* ]] || { echo "$command $option: not offered"; false; }
		done
	done
}

@test "values: files where a file is meant, nothing where not" {
	touch one.rec two.rec
	offers trace --record on
	[[ $output == one.rec ]]
	offers trace --duration on
	[[ -z $output ]]
	offers trace --json on
	[[ $output == one.rec ]]
	offers report tw
	[[ $output == two.rec ]]
}

@test "the manual has every command and option, and no other" {
	local command option manual=$PT_SRC/user/proctrace.8
	for command in "${COMMANDS[@]}"; do
		grep -qE "^\.Ss proctrace $command\$" "$manual" || { echo "$command: not in the manual"; false; }
		for option in $(options_of "$command"); do
			grep -qE "^\.It Fl Fl ${option#--}( |\$)" "$manual" || { echo "$option: not in the manual"; false; }
		done
	done
	{ for command in "${COMMANDS[@]}"; do options_of "$command"; done; echo --version; } | sort -u >known
	sed -nE 's/^\.It Fl Fl ([a-z-]+).*/--\1/p' "$manual" | sort -u >described
	run diff known described
	status_is 0
}
