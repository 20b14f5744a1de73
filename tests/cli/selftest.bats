#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bench --self-test: without root; and that no detector can go missing without its telling so.

bats_require_minimum_version 1.5.0
load tree

as_user() {
	if ((EUID == 0)); then
		setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	else
		"$@"
	fi
}

setup() {
	if ((EUID == 0)); then
		# Where any user may run it.
		HELD=$(mktemp -d -p /dev/shm)
		chmod 755 "$HELD"
		cp "$PROCTRACE" "$HELD/proctrace"
		RUN=$HELD/proctrace
	else
		RUN=$PROCTRACE
	fi
	unset TMPDIR
}

teardown() {
	rm -rf "${HELD:-}"
}

@test "every fault is found exactly, in events made up in memory" {
	run --separate-stderr as_user "$RUN" bench --self-test --json
	status_is 0
	[[ -z $stderr ]]
	jq -e '.missed == 0 and .tested >= 54 and (.runs | length >= 2)' <<<"$output"
	# Without any fault nothing is found; each other one was injected.
	jq -e '[.runs[].faults[] | select(.fault == "nothing")] | length >= 2 and all(.injected == 0 and .found == 0)' <<<"$output"
	jq -e '[.runs[].faults[] | select(.fault != "nothing")] | all(.exact and .injected > 0)' <<<"$output"
	jq -e '.runs[0].faults[] | select(.fault == "lose a run of 1000") | .found == 1000' <<<"$output"
	jq -e '.runs[1].faults[] | select(.fault == "drop every 7th exec") | .injected == 286 and .found == 286' <<<"$output"
}

@test "the table fits, and says what was not tested" {
	run --separate-stderr as_user "$RUN" bench --self-test=faults
	status_is 0
	contains "found exactly."
	contains "Not tested: loading BPF programs needs root"
	LC_ALL=C.UTF-8 run -1 grep -E '^.{101,}$' <<<"$output"
}

@test "options that it does not take are refused, and other names" {
	run -2 "$PROCTRACE" bench --self-test --monitor bpf
	contains "says itself what runs"
	run -2 "$PROCTRACE" bench --self-test=everything
	contains "--self-test 'everything' is not known; give faults"
}

# What the instrument is made of, and what it needs.
INSTRUMENT=(bench/{cross,faults,inject,ledger,losses,matching,reconcile,record_sink,recording,selftest,synthetic}
	base/{err,hist} event/event load/truth)

# instrument_build FOLDER: objects of all of it, and the program from them.
instrument_build() {
	local part
	mkdir -p "$1"
	for part in "${INSTRUMENT[@]}"; do
		instrument_cc "$PT_SRC/user/$part.c" "$1/${part##*/}.o"
	done
	instrument_cc "$PT_SRC/tests/cli/mutant.c" "$1/mutant.o"
	cc "$1"/*.o -lm -o "$1/selftest"
}

instrument_cc() {
	cc -std=gnu11 -D_GNU_SOURCE -O1 -w -I"$PT_SRC/user" -I"$PT_SRC" -c "$1" -o "$2"
}

# mutant FILE OLD NEW: with OLD replaced by NEW once in FILE, the self-test must fail. A crash counts as survival.
mutant() {
	local source=$PT_SRC/user/bench/$1 name=${1%.c} text objects=() o status=0
	text=$(<"$source")
	[[ $text == *"$2"* ]] || { echo "$1 does not have: $2"; return 1; }
	printf '%s\n' "${text/"$2"/"$3"}" >"$MUTANTS/$1"
	instrument_cc "$MUTANTS/$1" "$MUTANTS/mutant.obj" || { echo "$1 does not compile with: $3"; return 1; }
	for o in "$MUTANTS"/*.o; do
		[[ $o == "$MUTANTS/$name.o" ]] || objects+=("$o")
	done
	cc "${objects[@]}" "$MUTANTS/mutant.obj" -lm -o "$MUTANTS/mutant"
	"$MUTANTS/mutant" >"$MUTANTS/said" || status=$?
	((status == 1)) || { echo "status $status, survived in $1: $2"; return 1; }
	echo "$1: $2: $(head -n 1 "$MUTANTS/said")"
}

@test "each detector, when it is removed, makes the self-test fail" {
	[[ -z ${PT_SANITIZED:-} ]] || skip "the same without sanitizers"
	MUTANTS=$BATS_TEST_TMPDIR/mutants
	instrument_build "$MUTANTS"
	"$MUTANTS/selftest"
	local survived=0 line file old new
	while IFS= read -r line; do
		[[ $line != '#'* ]] || continue
		file=${line%%: *} old=${line#*: } new=${line##* => }
		old=${old% => *}
		mutant "$file" "$old" "$new" || survived=$((survived + 1))
	done <"$PT_SRC/tests/cli/mutants.list"
	((survived == 0))
}
