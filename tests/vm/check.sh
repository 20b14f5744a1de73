#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Runs inside a virtual machine of scripts/vm.sh, as root: does proctrace do there what it promises?
# Usage: check.sh EXPECTED...       the words of the last column of tests/vm/kernels
# Prints one line a check, "CHECK name ok|FAIL|- what was seen", and at the end DONE; what is behind a
# failure goes to the console. Status 1 if one failed.
# shellcheck disable=SC2317 # the checks are called by their names
set -u

expected=" $* "
failed=0
out=/tmp/out
jq() { command jq -M "$@"; }

# NAME SEEN: the verdict is the status of what ran before.
verdict() {
	local status=$? word=ok
	if [[ $status -ne 0 ]]; then
		failed=1 word=FAIL
		echo "--- $1"
		tail -c 3000 "$out"* 2>/dev/null
	fi
	printf 'CHECK %s %s %s\n' "$1" "$word" "$2"
	rm -f "$out"*
}

expects() {
	[[ $expected == *" $1 "* ]]
}

# The sentence for a source that does not work, or "works".
source_says() {
	jq -r --arg name "$1" '.sources[] | select(.name == $name) | if .works then "works" else .why end' "$out"
}

# --- what works ---------------------------------------------------------------------------------------

check_sources() {
	proctrace sources --json >"$out" 2>&1 &&
		jq -e 'all(.sources[]; .works)' "$out" >/dev/null
	verdict sources "$(jq -r '[.sources[] | select(.works) | .name] | join(",")' "$out")"
}

# Both kinds of BPF program, lean and with all that they can capture; no silent falling back.
check_attach() {
	local how status=0 all=(--cwd --usage --failed --threads --args-max 128K)
	for how in tp_btf raw_tp; do
		proctrace trace --attach "$how" --output /dev/null -- /bin/true 2>>"$out" &&
			proctrace trace --attach "$how" "${all[@]}" --output /dev/null -- /bin/true 2>>"$out" &&
			proctrace trace --attach "$how" --path true --exclude-path none --name-regex 'tr[u]e' \
				--uid 0 --pidns self --cgroup / --min-duration 0 --output /dev/null \
				-- /bin/true 2>>"$out" || status=1
	done
	[[ $status -eq 0 ]]
	verdict attach tp_btf,raw_tp
}

# Before 6.6 the proc connector is root's; since then it is everybody's.
check_nonroot() {
	local netlink bpf
	su nobody -s /bin/sh -c 'proctrace sources --json' >"$out" 2>&1
	netlink=$(source_says netlink) bpf=$(source_says bpf)
	[[ $bpf == *'needs root'* ]] &&
		if expects netlink-nonroot; then [[ $netlink == works ]]; else [[ $netlink == *'needs root'* ]]; fi
	verdict nonroot "netlink: ${netlink:0:60}"
}

# --- the ledger -----------------------------------------------------------------------------------------

# shellcheck disable=SC2016 # jq's own variables
ledger_clean='
	.runs | length > 0 and all(.[];
		.load.launches == $n and .load.failed == 0 and all(.sources[];
			.all.expected > 0 and .all.matched == .all.expected and .all.lost == 0
			and .all.unexplained == 0 and .all.over_reported == 0 and .all.wrong == 0
			and .all.duplicate == 0 and (.lost_at.not_run // 0) == 0))'

check_ledger() {
	local n=503
	proctrace bench --scenario serial --count "$n" --rounds 1 --monitor bpf+netlink,netlink-names \
		--output "$out.json" >"$out" 2>&1 && jq -e --argjson n "$n" "$ledger_clean" "$out.json" >>"$out"
	verdict ledger "$(jq -r '[.runs[].sources[] | "\(.name) \(.all.matched)/\(.all.expected)"] | join(", ")' \
		"$out.json")"
}

# What the kernel cannot count is null, not 0.
check_misses() {
	proctrace bench --scenario serial --count 53 --rounds 1 --monitor bpf --output "$out.json" >"$out" 2>&1 &&
		if expects no-misses; then
			jq -e '[.runs[].sources[].lost_at.not_run] | all(. == null)' "$out.json" >>"$out"
		else
			jq -e '[.runs[].sources[].lost_at.not_run] | all(. == 0)' "$out.json" >>"$out"
		fi
	verdict misses "$(jq -c '[.runs[].sources[].lost_at.not_run]' "$out.json")"
}

check_losses() {
	local n=503
	proctrace bench --mode nowait --count "$n" --rounds 1 --monitor bpf+netlink,netlink-names --ring 4096 \
		--rcvbuf 4096 --stall 900 --output "$out.json" >"$out" 2>&1 &&
		jq -e --argjson n "$n" '
			[.runs[] | select(.load.launches == $n) | .sources[]]
			| length == 3 and all(.[]; .all.lost == .all.reported_lost and .all.unexplained == 0
				and .all.over_reported == 0 and .all.wrong == 0)
			and ([.[].all.lost] | add) > 0' "$out.json" >>"$out"
	verdict losses "$(jq -r '[.runs[].sources[] | "\(.name) \(.all.reported_lost)/\(.all.lost)"] | join(", ")' \
		"$out.json")"
}

# --- the tracer -----------------------------------------------------------------------------------------

# shellcheck disable=SC2016 # the shell that is traced expands it
trace_script='i=0; while [ $i -lt 23 ]; do /bin/busybox true; i=$((i+1)); done; /bin/busybox sh -c "exit 7"
	/bin/busybox sh -c "kill -9 \$\$"; /bin/nothing-there; exit 3'

# ARGUMENTS...: traces the script; leaves counts in $counts.
trace_count() {
	local status
	proctrace trace --json --output "$out.json" "$@" -- sh -c "$trace_script" >"$out" 2>&1
	status=$?
	counts=$(jq -rs 'def n(f): map(select(f)) | length;
		[n(.event == "exec"), n(.event == "exit"), n(.exit_code == 7), n(.exit_code == 3), n(.signal)]
		| map(tostring) | join(" ")' "$out.json")
	[[ $status -eq 3 ]]
}

# 23 and two by name, and the shell; the one that could not be executed ends with 127 in a shell's child.
check_trace() {
	local how status=0 seen=''
	for how in 'bpf --attach tp_btf' 'bpf --attach raw_tp' netlink; do
		# shellcheck disable=SC2086 # words
		trace_count --source $how && [[ $counts == "26 27 1 1 1" || $counts == "26 26 1 1 1" ]] || status=1
		seen+="${how##* } $counts; "
	done
	[[ $status -eq 0 ]]
	verdict trace "$seen"
}

# Fifty hard lifecycles, each exactly as it was.
check_workload() {
	local how n status=0
	for how in '--attach tp_btf' '--attach raw_tp --failed'; do
		rm -rf /tmp/workload && mkdir /tmp/workload
		# shellcheck disable=SC2086 # words
		(cd /tmp/workload && TMPDIR=/tmp/workload proctrace trace --json --events fork,exec,exit --args-max 128K --cwd --usage \
			--output got $how -- /vm/workload run want) >>"$out" 2>&1 || status=1
		jq -nr --slurpfile want /tmp/workload/want --slurpfile got /tmp/workload/got --argjson failed \
			"$([[ $how == *failed* ]] && echo true || echo false)" \
			-f /src/tests/root/workload.jq >/tmp/workload/wrong 2>&1 || status=1
		[[ ! -s /tmp/workload/wrong ]] || status=1
		cat /tmp/workload/wrong >>"$out"
		n=$(jq -s 'map(.case) | unique | length' /tmp/workload/want)
	done
	[[ $status -eq 0 && $n -ge 50 ]]
	verdict workload "$n lifecycles, tp_btf, raw_tp"
}

# In a cgroup below another one: only what is in there.
check_cgroup() {
	local root=/sys/fs/cgroup n
	mkdir -p "$root"/{a/b,c}
	cat >/tmp/cgroups <<-'END'
		for c in a a/b c; do sh -c "echo \$\$ >/sys/fs/cgroup/$c/cgroup.procs; exec /bin/busybox true"; done
	END
	proctrace trace --events exec --json --cgroup /a --exclude-cgroup /a/b --output "$out.json" \
		-- sh /tmp/cgroups >"$out" 2>&1
	n=$(wc -l <"$out.json")
	[[ $n -eq 1 ]]
	verdict cgroup "$n exec"
}

# --- refusals: one true sentence each -------------------------------------------------------------------

# NAME SOURCE WORDS COMMAND...: in that situation the source must say so.
refusal() {
	local name=$1 source=$2 words=$3 said
	shift 3
	"$@" proctrace sources --json >"$out" 2>&1
	said=$(source_says "$source" 2>&1)
	[[ $said == *"$words"* ]]
	verdict "$name" "${said:0:70}"
}

check_namespaces() {
	refusal netns netlink 'initial network namespace' unshare -n
	refusal pidns netlink 'initial pid namespace' unshare -p -f --mount-proc
	refusal userns netlink 'initial user namespace' unshare -U -r
	refusal userns-bpf bpf 'forbids BPF though you are root' unshare -U -r
}

# What a container hides.
hidden() {
	local folder=$1
	shift
	unshare -m sh -c "mount -t tmpfs none $folder && exec \"\$@\"" sh "$@"
}

check_hidden() {
	local said
	cp /sys/kernel/btf/vmlinux /tmp/btf
	refusal no-btf bpf 'the kernel has no BTF' hidden /sys/kernel/btf
	hidden /sys/kernel/btf proctrace trace --btf /tmp/btf --json --output "$out.json" -- /bin/true >"$out" 2>&1 &&
		[[ $(wc -l <"$out.json") -eq 2 ]]
	verdict btf-file "$(tail -n 1 "$out")"
	rm -f /tmp/btf
	umount /sys/kernel/tracing
	hidden /sys/kernel proctrace trace --failed -- /bin/true >"$out" 2>&1
	said=$(grep '^proctrace' "$out")
	[[ $said == *tracefs* || $said == *'no BTF'* ]]
	verdict hidden-sys "${said:0:70}"
	proctrace trace --failed -- /bin/true >"$out" 2>&1
	said=$(grep '^proctrace' "$out" | tail -n 1)
	[[ $said == *tracefs* || $said == *' 0 lost'* ]]
	verdict no-tracefs "${said:0:70}"
	mount -t tracefs trace /sys/kernel/tracing
}

# The last one: it cannot be taken back.
check_lockdown() {
	local said
	mount -t securityfs none /sys/kernel/security
	echo confidentiality >/sys/kernel/security/lockdown
	proctrace trace -- /bin/true >"$out" 2>&1
	said=$(grep '^proctrace' "$out")
	[[ $said == *'locked down'* ]]
	verdict lockdown "${said:0:70}"
}

# --- processors -----------------------------------------------------------------------------------------

# One goes away and comes back while the load runs: the sequence numbers of each must close.
check_unplug() {
	local cpu=/sys/devices/system/cpu/cpu1/online pid n=211
	if [[ ! -e $cpu ]]; then
		printf 'CHECK unplug - one processor\n'
		return
	fi
	proctrace bench --scenario serial --count "$n" --rounds 1 --monitor bpf+netlink --output "$out.json" \
		>"$out" 2>&1 &
	pid=$!
	for _ in 1 2 3; do
		sleep 1
		echo 0 >"$cpu"
		sleep 1
		echo 1 >"$cpu"
	done
	wait "$pid" && jq -e --argjson n "$n" "$ledger_clean" "$out.json" >>"$out"
	verdict unplug "$(jq -r '[.runs[].sources[] | "\(.name) \(.all.matched)/\(.all.expected)"] | join(", ")' \
		"$out.json")"
}

check_kernel() {
	local realtime=no page
	[[ $(uname -v) != *PREEMPT_RT* ]] || realtime=yes
	page=$(awk '/KernelPageSize/ { print $2; exit }' /proc/self/smaps)
	[[ $realtime == "$(expects realtime && echo yes || echo no)" ]] &&
		[[ $page == "$(expects 16k && echo 16 || echo 4)" ]]
	verdict kernel "$(uname -r), realtime $realtime, pages of $page KiB, CPUs $(nproc) of $(cat \
		/sys/devices/system/cpu/possible)"
}

all=(kernel sources attach nonroot trace workload cgroup misses ledger losses unplug namespaces hidden lockdown)

for check in "${all[@]}"; do
	"check_$check"
done
echo "DONE"
exit $failed
