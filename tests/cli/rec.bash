# SPDX-License-Identifier: MIT
# Writes recordings (user/event/recformat.h) for the replay source, byte by byte; load it in bats.
# All times are ns. Output goes to stdout: { rec_header; rec_exec 10 1 0 ls /bin/ls ls -l; } >FILE

export LC_ALL=C.UTF-8 TZ=UTC

readonly REC_NONE=4294967295

# WIDTH VALUE: little-endian.
rec_le() {
	local width=$1 value=$2 i
	for ((i = 0; i < width; i++)); do
		# shellcheck disable=SC2059
		printf "\\x$(printf %x $((value >> (8 * i) & 255)))"
	done
}

rec_bytes() {
	local LC_ALL=C
	echo "${#1}"
}

# [WALL OFFSET]: by default mono time 0 is 2025-12-01T01:02:12Z.
rec_header() {
	printf '\x89PTREC\r\n'
	rec_le 4 1
	rec_le 4 0
	rec_le 8 "${1:-1764550932000000000}"
}

# TYPE TS PID PPID UID STATUS DURATION COMM PATH_LEN ARGS_LEN: the fixed part; lengths may be REC_NONE.
rec_fixed() {
	local path_len=$9 args_len=${10} strings=0
	[[ $path_len == "$REC_NONE" ]] || strings=$((strings + path_len))
	[[ $args_len == "$REC_NONE" ]] || strings=$((strings + args_len))
	rec_le 4 $((92 + strings))
	rec_le 4 "$1"
	rec_le 4 "${REC_FLAGS:-0}"
	rec_le 4 0
	rec_le 8 "$2"
	rec_le 8 "$2"
	rec_le 8 "$7"
	rec_le 8 -1
	rec_le 4 "$3"
	rec_le 4 "$3"
	rec_le 4 "$4"
	rec_le 4 "$5"
	rec_le 4 "$6"
	rec_le 4 "$path_len"
	rec_le 4 "$args_len"
	printf %s "$8"
	rec_le $((16 - $(rec_bytes "$8"))) 0
}

# TS PID PPID UID COMM PATH ARGUMENT...
rec_exec() {
	local ts=$1 pid=$2 ppid=$3 uid=$4 comm=$5 path=$6 len=0 word
	shift 6
	for word in "$@"; do
		len=$((len + $(rec_bytes "$word") + 1))
	done
	rec_fixed 1 "$ts" "$pid" "$ppid" "$uid" -1 -1 "$comm" "$(rec_bytes "$path")" "$len"
	printf %s "$path"
	[[ $# -eq 0 ]] || printf '%s\0' "$@"
}

# TS PID PPID UID COMM STATUS DURATION
rec_exit() {
	rec_fixed 2 "$1" "$2" "$3" "$4" "$6" "$7" "$5" "$REC_NONE" "$REC_NONE"
}

# TS PID PPID UID COMM
rec_fork() {
	rec_fixed 0 "$1" "$2" "$3" "$4" -1 -1 "$5" "$REC_NONE" "$REC_NONE"
}

# KIND COUNT PLACE
rec_lost() {
	rec_le 4 $((24 + ${#3}))
	rec_le 4 16
	rec_le 4 "$1"
	rec_le 4 ${#3}
	rec_le 8 "$2"
	printf %s "$3"
}
