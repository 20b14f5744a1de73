# SPDX-License-Identifier: MIT
# Other people's monitors as columns: `bench --with`. What they print is known, as they are made here.
bats_require_minimum_version 1.5.0
load common

# One short scenario; the report is in $out, the text in $text.
with() {
	out=$BATS_TEST_TMPDIR/report.json
	text=$("$PROCTRACE" bench --scenario serial --count 203 --rounds 1 --monitor none --output "$out" "$@")
}

# The jq expression holds for what the report says of the one monitor; . is its entry, $launches are all.
says() {
	jq -e ".runs[] | select(.monitor != \"none\") | (.load.launches + .load.harness) as \$launches |
		.sources[0] | $1" "$out" >/dev/null || {
		echo "not so: $1" >&2
		jq -c '.runs[] | select(.monitor != "none")' "$out" >&2
		return 1
	}
}

nothing_left() {
	none_left && [ -z "$(find /sys/fs/cgroup -maxdepth 4 -name 'proctrace-monitor-*' 2>/dev/null)" ] &&
		[ -z "$(find "$TMPDIR" -mindepth 1)" ]
}

# Processes whose command line is exactly this.
commands() {
	local file words
	for file in /proc/[0-9]*/cmdline; do
		mapfile -d '' -t words 2>/dev/null <"$file" || continue
		[ "${words[*]}" != "$1" ] || echo "$file"
	done
}

@test "our own tracer from outside: every launch, by name and pid" {
	with --with "self=$PROCTRACE trace --events exec --json"
	says '.external.state == "good" and .external.by_pid'
	says '.identified == $launches and .exec.expected == $launches and .exec.expected >= 203'
	says '.misnamed == 0 and .exec.duplicate == 0 and .checks_ok'
	# What its text does not tell is not known, and never 0.
	says '.exec.matched == null and .exec.lost == null and .all.reported_lost == null'
	says '.cpu.reader_s > 0 and .external.startup_s > 0 and .exit == null'
	[[ "$text" == *"self named 100 % of "* ]]
	wait_until nothing_left
}

@test "the same through a pipe, with an expression: delivery is known too" {
	with --with "self=$PROCTRACE trace --events exec --json" --with-output pipe \
		--with-match '"exec".*"pid":([0-9]+)'
	says '.exec.matched == $launches and .exec.lost == 0 and .identified == $launches'
	says '.external.output == "pipe"'
}

@test "another target: its own name" {
	with --target /bin/true --with "self=$PROCTRACE trace --events exec --json"
	says '.external.by_pid and .identified == $launches and .misnamed == 0'
}

@test "names of others are no identification" {
	with --with "liar=$PROCTRACE trace --events exec --json | sed -u 's/testApp[0-9]*/testApp9/g'"
	says '.external.state == "good" and .identified < 9 and .misnamed >= 203'
	[[ "$text" == *"! liar gave "* ]]
}

@test "what is kept in a file is read in the end" {
	with --with "kept=$PROCTRACE trace --events exec --json >%f" --with-after 'cat %f' --with-startup 1s
	says '.external.state == "good" and .identified == $launches'
	wait_until nothing_left
}

@test "lines without a pid are counted, not matched" {
	with --with "plain=$PROCTRACE trace --events exec --json | sed -u 's/.*\"comm\":\"\\([^\"]*\\)\".*/\\1/'"
	says '(.external.by_pid | not) and .identified >= 203 and .exec.duplicate == null'
	[[ "$text" == *"plain: its lines hold no pid"* ]]
}

# state, text of the reason, options...
fails_as() {
	local state=$1 why=$2
	shift 2
	with "$@"
	says ".external.state == \"$state\" and .external.bad == 1 and .identified == 0"
	echo "$text"
	[[ "$text" == *" could not be measured: $why"* ]]
	# The rest of the run is as good as ever.
	jq -e '[.runs[] | select(.monitor == "none") | .load.launches == 203] | all' "$out"
	wait_until nothing_left
}

@test "it ends at once" {
	fails_as ended "it ended with status 3: cannot work here" --with 'gone=echo starting; echo cannot work here >&2; exit 3'
}

@test "it is not there" {
	fails_as ended "it ended with status 127: sh: 1: /no/such/monitor: not found" --with 'lost=/no/such/monitor'
	command -v extrace >/dev/null || fails_as unusable "extrace is not installed" --with extrace
}

@test "it says nothing" {
	fails_as silent "it printed nothing while" --with 'mute=sleep 4242' --with-startup 500ms
	[ -z "$(commands 'sleep 4242')" ]
}

@test "it speaks of other things" {
	fails_as silent "it told of none of" --with 'other=while :; do echo 1 hello; sleep 0.05; done' --with-startup 500ms
}

@test "it keeps its output until it is stopped" {
	fails_as buffered "it told of the processes launched only when it was stopped" \
		--with "late=$PROCTRACE trace --events exec --json | (trap '' INT; awk '{ l[NR] = \$0 } END { for (i in l) print l[i] }')" \
		--with-startup 1s
}

@test "it ends while the load runs" {
	# The warm-up starts some hundred processes; on a busy machine others may bring the end sooner.
	with --count 2003 --with "short=$PROCTRACE trace --events exec --json | awk '{ print; fflush() } NR == 1500 { exit 5 }'"
	says '.external.state == "ended" and .external.bad == 1'
	[[ "$text" == *"short could not be measured: it ended with status 5"* ]]
	jq -e '[.runs[] | select(.monitor == "short") | .load.rate_per_s] == [null]' "$out"
}

@test "it floods" {
	with --with 'flood=yes testApp' --with-output pipe
	says '.external.state == "flood"'
	[[ "$text" == *"it printed more than 256 MiB"* ]]
	wait_until nothing_left
}

@test "it does not want to end, and has children who left" {
	[ -d /sys/fs/cgroup/unified ] || [ -e /sys/fs/cgroup/cgroup.controllers ] || skip "needs cgroup v2"
	with --with "away=setsid sleep 4243 & trap '' INT; $PROCTRACE trace --events exec --json" --with-match '"pid":([0-9]+)'
	says '.external.state == "good" and .identified == $launches'
	[ -z "$(commands 'sleep 4243')" ]
	wait_until nothing_left
}

@test "Ctrl-C while it starts: an orderly end" {
	# A shell starts background jobs with SIGINT ignored: env gives it back.
	env --default-signal=INT "$PROCTRACE" bench --scenario serial --count 23 --rounds 1 --monitor none \
		--with 'mute=sleep 4244' >"$BATS_TEST_TMPDIR/text" 2>&1 3>&- &
	local pid=$!
	wait_until eval '[ -n "$(commands "sleep 4244")" ]'
	kill -INT $pid
	status=0
	wait $pid || status=$?
	[ "$status" -eq 130 ]
	[ -z "$(commands 'sleep 4244')" ]
	wait_until nothing_left
}

@test "bench is killed: the monitor does not stay" {
	"$PROCTRACE" bench --scenario serial --count 23 --rounds 1 --monitor none --with 'mute=sleep 4245' \
		>"$BATS_TEST_TMPDIR/text" 2>&1 3>&- &
	local pid=$!
	wait_until eval '[ -n "$(commands "sleep 4245")" ]'
	kill -KILL $pid
	wait_until eval '[ -z "$(commands "sleep 4245")" ]'
}

@test "the report is read back as it was printed" {
	with --with "self=$PROCTRACE trace --events exec --json" --with 'gone=exit 1'
	diff <("$PROCTRACE" report "$out") <(echo "$text")
	"$PROCTRACE" compare "$out" "$out" >/dev/null
	awk 'length($0) > 130' <<<"$text" | grep . && false
	"$PROCTRACE" bench --scenario serial --count 23 --rounds 1 --monitor none --fail-on-loss \
		--with "self=$PROCTRACE trace --events exec --json" >/dev/null
}

@test "refusals: one sentence" {
	local what
	while IFS='|' read -r what args; do
		eval "run --separate-stderr \"\$PROCTRACE\" bench $args"
		echo "$args: $stderr"
		[ "$status" -eq 2 ]
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ "$stderr" == *"$what"* ]]
	done <<-'END'
		is not known by name|--with no-such-monitor
		is not NAME=COMMAND|--with =true
		is not NAME=COMMAND|--with x=
		no extended regular expression|--with x=true --with-match '('
		is about the --with before it|--with-match x --with x=true
		names 'x' twice|--with x=true --with x=false
		names 'bpf' twice|--with bpf=true
		--with-output|--with x=true --with-output file
	END
}
