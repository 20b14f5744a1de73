#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154 # status, output, stderr are of bats
# The text of trace: columns, times, tree, one line a process, colours, the terminal's width.

bats_require_minimum_version 1.5.0

load tree
load rec

setup() {
	cd "$BATS_TEST_TMPDIR"
	unset NO_COLOR
}

replay() {
	"$PROCTRACE" trace --source "replay:$1" "${@:2}"
}

# A make that was there before (pid 5) starts a shell, which starts two programs.
family() {
	rec_header
	rec_fork 1000000 10 5 0 make
	rec_exec 2000000 10 5 0 sh /bin/sh sh -c 'cc x.c'
	rec_fork 3000000 11 10 0 sh
	rec_exec 4000000 11 10 0 cc /usr/bin/cc cc x.c
	rec_fork 5000000 12 11 0 cc
	rec_exec 6000000 12 11 0 as /usr/bin/as as x.s
	rec_exit 7000000 12 11 0 as 0 2000000
	rec_exit 8000000 11 10 0 cc 256 5000000
	rec_exit 9000000 10 5 0 sh 9 8000000
}

@test "--tree indents by ancestry, forks or not" {
	family >f.rec
	run --separate-stderr replay f.rec --tree --time none
	status_is 0
	[[ $output == "\
EVENT     PID USER     PROCESS
exec       10 root     sh -c 'cc x.c'
exec       11 root     ├ cc x.c
exec       12 root     │ ├ as x.s
exit       12 root     │ └ as  exit 0 after 2.00 ms
exit       11 root     └ cc  exit 1 after 5.00 ms
exit       10 root     sh  SIGKILL after 8.00 ms" ]]
	# The last line counts what was asked for.
	[[ $stderr == "proctrace: 3 exec, 3 exit, "* ]]
}

@test "--tree is right after a pid was used again" {
	{
		family
		rec_exec 20000000 12 5 0 ls /bin/ls ls
	} >f.rec
	run --separate-stderr replay f.rec --tree --time none
	[[ ${lines[-1]} == "exec       12 root     ls" ]]
}

@test "--join: one line a process, with its command and how it ended" {
	family >f.rec
	run --separate-stderr replay f.rec --join
	status_is 0
	[[ $output == "\
START        DURATION STATUS             PID COMM            ARGUMENTS
01:02:12.005  2.00 ms exit 0              12 as              as x.s
01:02:12.003  5.00 ms exit 1              11 cc              cc x.c
01:02:12.001  8.00 ms SIGKILL             10 sh              sh -c 'cc x.c'" ]]
	replay f.rec --join --json 2>/dev/null >out
	jq -se 'length == 3 and .[0].event == "exit" and .[0].exit_code == 0 and .[0].path == "/usr/bin/as" and
		.[0].args == ["as", "x.s"] and .[2].signal == 9' out
	run --separate-stderr replay f.rec --join --tree
	status_is 2
}

@test "--join: a pid used again does not inherit the command" {
	{
		family
		rec_exec 20000000 12 5 0 ls /bin/ls ls
		rec_fork 30000000 12 5 0 sh # the end of ls was lost
		rec_exit 40000000 12 5 0 sh 0 10000000
	} >f.rec
	replay f.rec --join --json 2>/dev/null | tail -n 1 | jq -e '.comm == "sh" and (has("args") | not)'
}

@test "--columns" {
	family >f.rec
	run --separate-stderr replay f.rec --columns event,ppid,path,comm --events exec
	status_is 0
	[[ $output == "\
EVENT    PPID PATH                     COMM
exec        5 /bin/sh                  sh
exec       10 /usr/bin/cc              cc
exec       11 /usr/bin/as              as" ]]
	run --separate-stderr replay f.rec --columns status,duration --events exit
	[[ ${lines[2]} == "exit 1          5.00 ms" ]]
}

@test "--columns help lists what the manual lists" {
	run --separate-stderr "$PROCTRACE" trace --columns help
	status_is 0
	awk '{print $1}' <<<"$output" | sort >have
	sed -n '/^\.Ss Columns/,/^\.El/s/^\.It Cm //p' "$PT_SRC/user/proctrace.8" | tr -d ' ' | tr ',' '\n' | sort >manual
	diff have manual
	run --separate-stderr replay /dev/null --columns time,nothing
	status_is 2
	[[ $stderr == "proctrace: --columns: 'nothing' is no column; take of time, "* ]]
	run --separate-stderr replay /dev/null --columns pid,pid
	status_is 2
	[[ $stderr == *"'pid' is there twice" ]]
	run --separate-stderr replay /dev/null --tree --columns pid
	status_is 2
}

@test "--time" {
	family >f.rec
	run --separate-stderr replay f.rec --events exit --columns time,pid --time rel
	[[ ${lines[3]} == "    0.002000       10" ]]
	run --separate-stderr replay f.rec --events exit --columns time,pid --time mono
	[[ ${lines[3]} == "    0.009000       10" ]]
	run --separate-stderr replay f.rec --events exit --columns time,pid --time none
	[[ ${lines[3]} == "     10" ]]
	run --separate-stderr replay f.rec --events exit --columns time,pid
	[[ ${lines[3]} == "01:02:12.009      10" ]]
}

@test "colour: by state, where asked or on a terminal" {
	family >f.rec
	run --separate-stderr replay f.rec
	lacks $'\e'
	run --separate-stderr replay f.rec --color always
	contains $'\e[33m01:02:12.008 exit       11'
	contains $'\e[31m01:02:12.009 exit       10'
	contains $'after 8.00 ms\e[0m'
	[[ $(replay f.rec 2>/dev/null) == "$(replay f.rec --color always 2>/dev/null | sed 's/\x1b\[[0-9;]*m//g')" ]]
	script -qec "'$PROCTRACE' trace --source replay:f.rec" /dev/null </dev/null >shown
	grep -q $'\e\\[33m' shown
	NO_COLOR=1 script -qec "'$PROCTRACE' trace --source replay:f.rec" /dev/null </dev/null >shown
	grep -q 'exit 1 after' shown
	run ! grep -q $'\e\\[33m' shown
	script -qec "'$PROCTRACE' trace --source replay:f.rec --color never" /dev/null </dev/null >shown
	run ! grep -q $'\e\\[33m' shown
}

@test "lines fit the terminal, unless --wide; a pipe gets all" {
	{
		rec_header
		rec_exec 0 10 1 0 x /x "$(printf '%0200d' 0)"
	} >f.rec
	script -qec "stty cols 70; '$PROCTRACE' trace --color never --source replay:f.rec" /dev/null </dev/null >shown
	[[ $(sed -n 2p shown | tr -d '\r\n' | wc -m) -eq 70 ]]
	sed -n 2p shown | grep -q '…'
	script -qec "stty cols 70; '$PROCTRACE' trace --wide --source replay:f.rec" /dev/null </dev/null >shown
	[[ $(sed -n 2p shown | tr -d '\r\n' | wc -m) -eq 260 ]]
	[[ $(replay f.rec 2>/dev/null | sed -n 2p | tr -d '\n' | wc -m) -eq 260 ]]
	# A column of text that is not the last one is cut as well.
	script -qec "stty cols 70; '$PROCTRACE' trace --columns args,pid --color never --source replay:f.rec" \
		/dev/null </dev/null >shown
	[[ $(sed -n 2p shown | tr -d '\r') == "0000000000000000000000000000000…      10" ]]
}

@test "an exec that failed: its error, by name" {
	# Version 2: error 2 at offset 144 of the record, the flag 1 << 6.
	gen=$BATS_TEST_TMPDIR/failed
	{
		rec_header
		REC_FLAGS=64 rec_exec 0 10 1 0 sh /x nothing
	} >v1.rec
	replay v1.rec --record "$gen" >/dev/null 2>&1
	printf '\x02' | dd of="$gen" bs=1 seek=$((24 + 144)) conv=notrunc status=none
	run --separate-stderr replay "$gen" --color always
	contains $'\e[35m'
	contains "ENOENT: /x"
	[[ $stderr == "proctrace: 0 exec, 0 exit, 1 failed exec, replayed" ]]
	replay "$gen" --json 2>/dev/null | jq -e '.event == "exec" and .failed and .error == 2 and .error_name == "ENOENT"'
}
