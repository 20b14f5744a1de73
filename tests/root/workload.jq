# SPDX-License-Identifier: MIT
#
# What a trace shows, against what the workload did: one line for each difference, nothing if there is none.
#
#   jq -nr --slurpfile want WANT --slurpfile got TRACE --argjson failed true -f workload.jq
#
# Per pid, the events must be those that are wanted, in their order, and no others. Each member that is wanted must be
# the same; null: must be absent. max_duration_ns bounds duration_ns. failed: whether failed execs are to be seen.

def sequences: group_by(.pid) | map({ key: (.[0].pid | tostring), value: . }) | from_entries;

def brief: tojson | if length > 300 then .[:300] + "…" else . end;

def title: "\(.case // "?"): \(.event)\(if .failed then " (failed)" else "" end) of \(.pid)";

def differences($want; $got):
	$want | to_entries[] | select(.key != "case")
	| if .key == "max_duration_ns" then
		select($got.duration_ns == null or $got.duration_ns > .value or $got.duration_ns <= 0)
		| "\($want | title): duration_ns is \($got.duration_ns), at most \(.value)"
	  else
		select($got[.key] != .value)
		| "\($want | title): \(.key) is \($got[.key] | brief), not \(.value | brief)"
	  end;

($want | map(select($failed or .failed != true)) | sequences) as $w
| ($got | sequences) as $g
| ([$w, $g | keys[]] | unique[]) as $pid
| ($w[$pid] // []) as $ws | ($g[$pid] // []) as $gs
| if ($ws | map([.event, .failed // false])) != ($gs | map([.event, .failed // false])) then
	"\($ws[0].case // "nobody"): of \($pid) came \($gs | map(.event + (if .failed then "!" else "" end))), not \($ws | map(.event + (if .failed then "!" else "" end)))\(if $ws == [] then ": " + ($gs | brief) else "" end)"
  else
	range($ws | length) as $i | differences($ws[$i]; $gs[$i])
  end
