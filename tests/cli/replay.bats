#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154 # status, output, stderr are of bats; got comes out of eval
# trace on recordings: what it prints, without root or any kernel feature.

bats_require_minimum_version 1.5.0

load tree
load rec

setup() {
	cd "$BATS_TEST_TMPDIR"
}

replay() {
	"$PROCTRACE" trace --events fork,exec,exit --source "replay:$1" "${@:2}"
}

plain() {
	rec_header
	rec_fork 1000 10 1 0 sh
	rec_exec 2000000 10 1 0 ls /bin/ls ls -l 'a b' ''
	rec_exit 4130000 10 1 0 ls $((3 << 8)) 2130000
	rec_exit 5000000 11 1 0 x $((11 | 128)) 1500000000
	rec_lost 1 312 'ring full'
}

@test "columns" {
	plain >f.rec
	run --separate-stderr replay f.rec
	status_is 0
	[[ $output == "\
TIME         EVENT     PID    PPID USER     COMM            DETAILS
01:02:12.000 fork       10       1 root     sh
01:02:12.002 exec       10       1 root     ls              ls -l 'a b' ''
01:02:12.004 exit       10       1 root     ls              exit 3 after 2.13 ms
01:02:12.005 exit       11       1 root     x               SIGSEGV (core) after 1.50 s
             lost  312 exec events were lost here: ring full" ]]
}

@test "JSON lines" {
	plain >f.rec
	replay f.rec --json 2>/dev/null >out
	[[ $(wc -l <out) -eq 5 ]]
	jq -e . out >/dev/null
	[[ $(sed -n 2p out) == '{"event":"exec","ts":"2025-12-01T01:02:12.002000000Z","mono_ns":2000000,"cpu":0,"pid":10,"ppid":1,"uid":0,"comm":"ls","path":"/bin/ls","args":["ls","-l","a b",""]}' ]]
	sed -n 3p out | jq -e '.exit_code == 3 and .duration_ns == 2130000 and (has("signal") | not)'
	sed -n 4p out | jq -e '.signal == 11 and .signal_name == "SIGSEGV" and .core and (has("exit_code") | not)'
	sed -n 5p out | jq -e '. == {event: "lost", kind: "exec", count: 312, place: "ring full"}'
}

@test "hostile strings: text is safe" {
	{
		rec_header
		rec_exec 0 10 1 0 $'e\e[2J\n\xff' $'/x' $'\e]0;x\a' $'\xff"\n' "it's" $'\u202e' $'\u009b' 'caf'$'\u00e9'
	} >f.rec
	run --separate-stderr replay f.rec
	status_is 0
	[[ ${#lines[@]} -eq 2 ]]
	# shellcheck disable=SC1003
	[[ ${lines[1]} == *' e\x1b[2J\n\xff  $'\''\x1b]0;x\x07'\'' $'\''\xff"\n'\'' $'\''it\'\''s'\'' $'\''\xe2\x80\xae'\'' $'\''\xc2\x9b'\'' café' ]]
	# Nothing but printable characters and newlines.
	[[ -z $(tr -d '\n[:print:]\200-\377' <<<"$output") ]]
	iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
}

@test "what text shows of arguments, a shell reads back as the same bytes" {
	local want=($'\e]0;x\a' $'\xff"\n' "it's" $'a\\b' '$(reboot)' '' 'a  b' '*' '~' '#x' $'\u202e')
	{
		rec_header
		rec_exec 0 10 1 0 x /x "${want[@]}"
	} >f.rec
	run --separate-stderr replay f.rec
	eval "got=(${lines[1]:60})"
	[[ ${#got[@]} -eq ${#want[@]} ]]
	for i in "${!want[@]}"; do
		[[ ${got[i]} == "${want[i]}" ]] || { printf '%q is not %q\n' "${got[i]}" "${want[i]}"; false; }
	done
}

@test "hostile strings: JSON is valid and loses nothing" {
	{
		rec_header
		rec_exec 0 10 1 0 $'c"\\\e\xff' $'/tmp/\xfe' $'\xff"\n' $'\e' $'caf\u00e9'
	} >f.rec
	replay f.rec --json 2>/dev/null >out
	iconv -f UTF-8 -t UTF-8 out >/dev/null
	jq -e '.comm_hex == "63225c1bff" and .path_hex == "2f746d702ffe"' out
	jq -e '.args_hex == "ff220a001b00636166c3a900"' out
	jq -e '.args[1:] == ["\u001b", "café"] and .args[0] == "\ufffd\"\n"' out
}

@test "filters" {
	{
		rec_header
		rec_exec 0 10 1 1000 testApp1 /x x
		rec_exec 0 11 1 1001 testApp2 /x x
		rec_exec 0 12 1 1001 other /x x
		rec_exit 0 10 1 1000 testApp1 0 5
	} >f.rec
	[[ $(replay f.rec --json --name testApp 2>/dev/null | wc -l) -eq 3 ]]
	[[ $(replay f.rec --json --uid 1001 2>/dev/null | jq -c .pid | xargs) == "11 12" ]]
	[[ $(replay f.rec --json --pid 10 2>/dev/null | jq -r .event | xargs) == "exec exit" ]]
	[[ $(replay f.rec --json --name testApp --uid 1001 2>/dev/null | jq .pid) == 11 ]]
	[[ -z $(replay f.rec --json --name nobody 2>/dev/null) ]]
}

@test "--args-max cuts and says so" {
	{
		rec_header
		rec_exec 0 10 1 0 x /x abcdef ghijkl
	} >f.rec
	replay f.rec --json --args-max 9 2>/dev/null | jq -e '.args == ["abcdef", "gh"] and .args_truncated'
	run --separate-stderr replay f.rec --args-max 9
	contains " abcdef gh …"
}

@test "a recording of a recording is the same" {
	plain >f.rec # of version 1
	replay f.rec --record again.rec --json >out 2>/dev/null
	replay again.rec --record third.rec --json >out2 2>/dev/null
	cmp again.rec third.rec
	[[ -s out ]]
	cmp out out2
}

@test "files are not written over what is being read, nor two outputs into one" {
	plain >f.rec
	cp f.rec copy
	for option in --record --output; do
		run --separate-stderr replay f.rec $option "$PWD/./f.rec"
		status_is 2
		[[ $stderr == "proctrace: '$PWD/./f.rec' is the recording that is to be replayed" ]]
		cmp f.rec copy
	done
	run --separate-stderr replay f.rec --output new --record ./new
	status_is 2
	[[ $stderr == "proctrace: --record './new' is the file that the output goes to" ]]
	# A link to nothing would let someone else choose what is made.
	ln -s nowhere link
	run --separate-stderr replay f.rec --output link
	status_is 1
	[[ ! -e nowhere && $stderr == "proctrace: cannot write 'link': No such file or directory" ]]
	: >target
	ln -sf target link
	replay f.rec --output link 2>/dev/null
	[[ $(wc -l <target) -eq 6 ]]
}

@test "100 000 events come out complete and in order" {
	rec_header >f.rec
	rec_exec 7 10 1 0 x /x a b >one
	local i
	for ((i = 0; i < 10; i++)); do cat one; done >ten
	for ((i = 0; i < 100; i++)); do cat ten; done >thousand
	for ((i = 0; i < 100; i++)); do cat thousand; done >>f.rec
	[[ $(replay f.rec --json 2>/dev/null | sort | uniq -c | awk '{print $1}') == 100000 ]]
}

@test "a cut recording: what is whole, then one sentence with the offset" {
	plain | head -c 200 >f.rec
	run --separate-stderr replay f.rec
	status_is 1
	contains " fork "
	[[ $stderr == *"the record at offset 116 of 'f.rec' is malformed: the file ends in the middle of it"* ]]
}

@test "a malformed record is skipped, counted and named" {
	plain >f.rec
	printf '\x63' | dd of=f.rec bs=1 seek=28 conv=notrunc status=none
	run --separate-stderr replay f.rec
	lacks " fork "
	contains " exec "
	[[ $stderr == *"1 malformed"* ]]
	[[ $stderr == *"the record at offset 24 of 'f.rec' is malformed: it is of the unknown type 99"* ]]
}

@test "files that are no recordings are refused in one sentence" {
	: >empty
	head -c 1000 /dev/zero >zeros
	{ rec_header; } | sed 's/\x01/\x03/' >future
	for file in empty zeros; do
		run --separate-stderr replay "$file"
		status_is 1
		[[ -z $output ]]
		[[ $stderr == "proctrace: '$file' is no recording of 'proctrace trace --record'" ]]
	done
	run --separate-stderr replay future
	status_is 1
	[[ $stderr == *"is a recording of version 3; this program reads versions 1 to 2" ]]
	run --separate-stderr replay missing
	status_is 1
	[[ $stderr == "proctrace: cannot open 'missing': No such file or directory" ]]
	run --separate-stderr replay .
	status_is 1
	[[ $stderr == "proctrace: cannot read '.': Is a directory" ]]
}

@test "a pipe as recording, a closed pipe as output, a full disk" {
	plain >f.rec
	[[ $(replay <(cat f.rec) --json 2>/dev/null | wc -l) -eq 5 ]]
	# The reader takes one line and goes.
	replay f.rec --json 2>/dev/null | head -n 1 | jq -e '.event == "fork"'
	[[ -e /dev/full ]] || skip "no /dev/full here"
	run bash -c '"$PROCTRACE" trace --source replay:f.rec --json >/dev/full'
	status_is 1
	contains "cannot write the trace: No space left on device"
}
