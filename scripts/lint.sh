#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Checks what a compiler does not: style, shell scripts, licence lines, who includes whom, sizes, the
# manual. Prints TAP, one test a check; what is wrong follows as "# file: why". Status 1 if one failed.
#
# Usage: lint.sh [CHECK...]      (all by default)
set -euo pipefail

cd "$(dirname "$0")/.."

readonly CHECKS=(format shell licence includes sizes space manual cppcheck)

# clang-format's output differs from one major version to the next, so one is the reference: Debian
# 12's. Others say so instead of asking for changes that the reference would take back.
readonly FORMAT_MAJOR=14

readonly MAX_FUNCTION=49 MAX_FILE=499 MAX_HEADER=115 MAX_MAIN=59

# Who may include whom, besides itself (folder below user/: what it may take from).
declare -rA MAY_INCLUDE=(
	[base]=''
	[event]='base'
	[sink]='base event'
	[load]='base event'
	[source]='base event sink bpf'
	[bench]='base event sink load source'
	[report]='base event sink load source bench'
	[cmd]='base event sink load source bench report'
	[main]='base event sink load source bench report cmd'
)

# --- files ------------------------------------------------------------------------------------------

files() {
	find . \( -path ./.git -o -path ./build \) -prune -o -type f \( "$@" \) -print | sed 's|^\./||' | sort
}

c_files() {
	files -name '*.c' -o -name '*.h'
}

shell_files() {
	files -name '*.sh' -o -path './.ci/run' -o -path './scripts/completion' -o -name '*.bash'
}

all_sources() {
	files -name '*.[chS]' -o -name '*.sh' -o -name '*.bats' -o -name '*.bash' -o -name Makefile \
		-o -path './.ci/run' -o -path './scripts/completion' -o -name '*.bt'
}

# --- checks: each prints what is wrong, and nothing if nothing is; "SKIP why" alone skips it ----------

check_format() {
	local tool=clang-format-$FORMAT_MAJOR version
	command -v "$tool" >/dev/null || tool=clang-format
	command -v "$tool" >/dev/null || { echo "SKIP clang-format is not installed"; return; }
	version=$("$tool" --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
	if [[ $version != "$FORMAT_MAJOR" ]]; then
		echo "SKIP the reference is clang-format $FORMAT_MAJOR, this is $version"
		return
	fi
	# Short: one line a place.
	c_files | xargs "$tool" --dry-run -Werror 2>&1 | grep ': error:' || true
}

# In bats a command that fails ends the test, so cd needs no "|| exit" there, and `run` sets variables.
check_shell() {
	local bats
	command -v shellcheck >/dev/null || { echo "SKIP shellcheck is not installed"; return; }
	shell_files | xargs shellcheck -f gcc -s bash || true
	mapfile -t bats < <(files -name '*.bats')
	[[ ${#bats[@]} -eq 0 ]] || shellcheck -f gcc -s bats -S warning -e SC2154,SC2164 "${bats[@]}" || true
}

check_licence() {
	local file line
	while IFS= read -r file; do
		read -r line <"$file" || true
		[[ $line != '#!'* ]] || line=$(sed -n 2p "$file")
		[[ $line == *'SPDX-License-Identifier: MIT'* ]] || echo "$file: no SPDX line at the top"
	done < <(all_sources)
}

# The folder that an include takes from.
include_target() {
	case $1 in
	*.skel.h | vmlinux.h | wire.h) echo bpf ;;
	*/*) echo "${1%%/*}" ;;
	*) echo '' ;;
	esac
}

check_includes() {
	local file folder include target
	while IFS=: read -r file include; do
		folder=${file#user/}
		[[ $folder == main.c ]] && folder=main
		folder=${folder%%/*}
		target=$(include_target "$include")
		if [[ ! -v MAY_INCLUDE[$folder] ]]; then
			echo "$file: user/$folder has no place in the order of includes (scripts/lint.sh)"
		elif [[ -z $target ]]; then
			echo "$file: \"$include\" is not relative to user/"
		elif [[ $target != "$folder" && " ${MAY_INCLUDE[$folder]} " != *" $target "* ]]; then
			echo "$file: user/$folder must not include \"$include\""
		fi
	done < <(grep -rHo --include='*.[ch]' '^#[ \t]*include "[^"]*"' user |
		sed 's/#[ \t]*include "\(.*\)"/\1/')

	# The two halves share wire.h and config.h and nothing else.
	grep -HoE '^#[ \t]*include ["<][^">]*' bpf/*.[ch] |
		grep -vE '["<](vmlinux\.h|wire\.h|config\.h|[a-z_]+\.bpf\.h|bpf/[a-z_]+\.h)$' |
		sed 's/:.*["<]/: the BPF half must not include /' || true
}

check_sizes() {
	# shellcheck disable=SC2016 # awk's $0
	c_files | xargs awk -v max="$MAX_FUNCTION" -v max_main="$MAX_MAIN" '
		FNR == 1 { start = 0; name = "" }
		# The last line at the margin before "{" that opens a parameter list names the function.
		/^[a-zA-Z_].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
		/^{/ { start = FNR }
		/^}/ && start {
			lines = FNR - start + 1
			if (lines > (name == "main" ? max_main : max))
				printf "%s:%d: %s() has %d lines\n", FILENAME, start, name, lines
			start = 0
		}'
	all_sources | xargs awk -v max="$MAX_FILE" -v max_header="$MAX_HEADER" '
		function judge() {
			limit = last ~ /\.h$/ ? max_header : max
			if (last ~ /(vmlinux|\.bpf)\.h$/) # the BPF half has one .c, which includes its code
				limit = max
			if (lines > limit)
				printf "%s: %d lines, more than %d\n", last, lines, limit
		}
		FNR == 1 && last != "" { judge() }
		{ last = FILENAME; lines = FNR }
		END { judge() }'
}

check_space() {
	all_sources | xargs grep -nE '[ 	]+$' | sed 's/:\([0-9]*\):.*/:\1: space at the end of the line/' || true
	local file
	while IFS= read -r file; do
		[[ -z $(tail -c 1 "$file") ]] || echo "$file: no newline at the end"
	done < <(all_sources)
}

check_manual() {
	[[ -e user/proctrace.8 ]] || { echo "SKIP there is no manual yet"; return; }
	command -v mandoc >/dev/null || { echo "SKIP mandoc is not installed"; return; }
	mandoc -T lint -W warning user/proctrace.8 || true
}

# What it only guesses at is left to compilers and sanitizers, which know: arrays inside structs that a
# callee fills (uninitvar), initialisers (unknownEvaluationOrder), symbols around a blob (comparePointers).
check_cppcheck() {
	command -v cppcheck >/dev/null || { echo "SKIP cppcheck is not installed"; return; }
	cppcheck --quiet --std=c11 --language=c -j"$(nproc)" -D_GNU_SOURCE -D__x86_64__ -Iuser -I. \
		--enable=warning,portability,performance --inline-suppr \
		'-DLIBBPF_OPTS(TYPE, NAME, ...)=struct TYPE NAME = {0}' \
		--suppress=missingInclude --suppress=missingIncludeSystem \
		--suppress=uninitvar --suppress=unknownEvaluationOrder --suppress=comparePointers \
		--template='{file}:{line}: {id}: {message}' user 2>&1 || true
}

# --- the lot ----------------------------------------------------------------------------------------

main() {
	local wanted=("$@") check found number=0 failed=0
	[[ $# -gt 0 ]] || wanted=("${CHECKS[@]}")
	printf '1..%d\n' "${#wanted[@]}"
	for check in "${wanted[@]}"; do
		number=$((number + 1))
		found=$("check_$check")
		if [[ -z $found ]]; then
			echo "ok $number $check"
		elif [[ $found == 'SKIP '* ]]; then
			echo "ok $number $check # skip ${found#SKIP }"
		else
			echo "not ok $number $check"
			while IFS= read -r line; do echo "# $line"; done <<<"$found"
			failed=1
		fi
	done
	return $failed
}

main "$@"
