#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Proves vmlinux/vmlinux.h: each type, field and enumerator in it exists in the kernel's BTF, with a
# compatible type, and each field is read by a BPF program. vmlinux/README.md says what counts as
# compatible and how a field that only some kernels have is written.
#
# Usage: check-vmlinux.sh [BTF]        (default: /sys/kernel/btf/vmlinux, the running kernel)
# Status 0: all proven, 1: something is wrong (one line each), 77: cannot be checked here.
set -euo pipefail

cd "$(dirname "$0")/.."
export PATH=$PATH:/usr/sbin:/sbin

BTF=${1:-/sys/kernel/btf/vmlinux}
HEADER=vmlinux/vmlinux.h
CLANG=${CLANG:-clang}

cannot() {
	echo "$1"
	exit 77
}

[[ -r $BTF ]] || cannot "$BTF cannot be read: this kernel has no BTF"
command -v "$CLANG" >/dev/null || cannot "$CLANG is not installed"
command -v bpftool >/dev/null || cannot 'bpftool is not installed'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# clang writes into BTF what a program uses, so one variable of each type that the header defines.
{
	echo '#include "vmlinux.h"'
	sed -n 's/^\(\(struct\|union\|enum\) [a-zA-Z0-9_]*\) {.*/\1/p; s/^} \([a-z][a-z0-9_]*_t\);.*/\1/p' "$HEADER" |
		awk '{ printf "%s use_%d;\n", $0, NR }'
} >"$work/use.c"
"$CLANG" -g -O2 -target bpf -Ivmlinux -c "$work/use.c" -o "$work/use.o"
bpftool btf dump file "$work/use.o" format raw >"$work/ours"
bpftool btf dump file "$BTF" format raw >"$work/kernel"

# The enumerators of enums without a name, which have no variable, straight from the header.
awk '/^enum {/ { inside = 1; next } /^}/ { inside = 0 }
	inside && /=/ { gsub(/[,;]/, ""); print $1, $3 }' "$HEADER" >"$work/constants"

# What the programs read: every word of their source.
cat bpf/*.bpf.[ch] | tr -cs 'a-zA-Z0-9_' '\n' | sort -u >"$work/words"

# shellcheck disable=SC2016 # awk's $0
awk -v btf="$BTF" '
function unquote(s) { gsub(/\047/, "", s); return s }
function attribute(name,   i) {
	for (i = 3; i <= NF; i++)
		if (index($i, name "=") == 1)
			return substr($i, length(name) + 2)
	return ""
}
# A name up to its flavour: task_struct___old is task_struct.
function plain(name) { sub(/___.*/, "", name); return name }

# Without const, volatile and typedef.
function strip(side, id) {
	while (kind[side, id] ~ /^(CONST|VOLATILE|RESTRICT|TYPEDEF|TYPE_TAG)$/)
		id = to[side, id]
	return id
}

# Type of field @name in the kernel struct @id, through members that have no name; "" if there is none.
function field_find(id, name,   i, found) {
	for (i = 0; i < members["K", id]; i++) {
		if (member["K", id, i] == name)
			return member_type["K", id, i]
		if (member["K", id, i] == "(anon)") {
			found = field_find(strip("K", member_type["K", id, i]), name)
			if (found != "")
				return found
		}
	}
	return ""
}

function describe(side, id,   s) {
	id = strip(side, id)
	s = kind[side, id] " " name_of[side, id]
	if (kind[side, id] == "INT")
		s = s " of " size[side, id] " bytes" (encoding[side, id] == "SIGNED" ? ", signed" : "")
	if (kind[side, id] == "ARRAY")
		s = s "[" count[side, id] "] of " describe(side, to[side, id])
	if (kind[side, id] == "PTR")
		s = "PTR to " kind[side, strip(side, to[side, id])] " " name_of[side, strip(side, to[side, id])]
	return s
}

# May a load of our type be relocated to that of the kernel, and mean the same?
function compatible(o, k,   ok_kind) {
	o = strip("O", o); k = strip("K", k)
	ok_kind = kind["K", k]
	if (kind["O", o] == "PTR" && ok_kind == "PTR")
		return pointee_same(strip("O", to["O", o]), strip("K", to["K", k]))
	if (kind["O", o] != ok_kind)
		return 0
	if (ok_kind == "INT")
		return size["O", o] == size["K", k] && \
			(size["K", k] == 1 || encoding["O", o] == encoding["K", k])
	if (ok_kind == "ARRAY")
		return (count["O", o] + 0 <= count["K", k] + 0 || count["K", k] == 0) && \
			compatible(to["O", o], to["K", k])
	return plain(name_of["O", o]) == name_of["K", k]
}

# A struct only named in one of the two (FWD) is still that struct.
function pointee_same(o, k) {
	if (kind["O", o] ~ /^(STRUCT|UNION|FWD)$/)
		return kind["K", k] ~ /^(STRUCT|UNION|FWD)$/ && plain(name_of["O", o]) == name_of["K", k]
	if (o == 0 || k == 0)
		return o == k
	return compatible(o, k)
}

function wrong(text) { print text; bad++ }

function check_struct(o, k, name,   i, field, found) {
	for (i = 0; i < members["O", o]; i++) {
		field = member["O", o, i]
		found = field_find(k, field)
		proven++
		if (!(field in words))
			wrong(name "." field ": no BPF program reads it")
		if (found == "" && name ~ /___/)
			flavours++
		else if (found == "")
			wrong(name "." field ": not in this kernel")
		else if (!compatible(member_type["O", o, i], found))
			wrong(name "." field ": " describe("O", member_type["O", o, i]) \
				" here, " describe("K", found) " in this kernel")
	}
}

function check_constant(name, value) {
	proven++
	if (!((name, value) in constant))
		wrong(name " = " value ": " (name in known ? "another value" : "unknown") " in this kernel")
}

function check_type(o,   i, name, k, what) {
	what = kind["O", o]
	name = name_of["O", o]
	if (what == "ENUM" || what == "ENUM64") {
		for (i = 0; i < members["O", o]; i++)
			check_constant(member["O", o, i], value["O", o, i])
	} else if (what == "STRUCT" && name != "(anon)") {
		k = by_name["STRUCT", plain(name)]
		if (k != "")
			check_struct(o, k, name)
		else if (name ~ /___/)
			flavours++
		else
			wrong("struct " name ": not in this kernel")
	} else if (what == "TYPEDEF" && kind["O", to["O", o]] == "STRUCT") {
		k = strip("K", by_name["TYPEDEF", name])
		if (k == "" || kind["K", k] != "STRUCT")
			wrong(name ": not in this kernel")
		else
			check_struct(to["O", o], k, name)
	}
}

FILENAME ~ /words$/ { words[$1]; next }
FILENAME ~ /constants$/ { wanted[$1] = $2; next }
FNR == 1 { side = FILENAME ~ /ours$/ ? "O" : "K" }
/^\[/ {
	id = $1
	gsub(/[][]/, "", id)
	kind[side, id] = $2
	name_of[side, id] = unquote($3)
	if (side == "K" && $2 ~ /^(STRUCT|TYPEDEF)$/ && !(($2, unquote($3)) in by_name))
		by_name[$2, unquote($3)] = id
	# Names may hold spaces (long unsigned int): attributes are found by name, never by place.
	if ($2 == "INT") {
		match($0, /\047.*\047/)
		name_of[side, id] = unquote(substr($0, RSTART, RLENGTH))
		encoding[side, id] = attribute("encoding")
	}
	size[side, id] = attribute("size")
	to[side, id] = attribute("type_id")
	count[side, id] = attribute("nr_elems")
	members[side, id] = 0
	if (side == "O")
		last = id + 0
	next
}
/^\t/ {
	n = members[side, id]++
	member[side, id, n] = unquote($1)
	if ($2 ~ /^val=/) {
		v = substr($2, 5)
		value[side, id, n] = v
		if (side == "K") {
			constant[unquote($1), v]
			known[unquote($1)]
		}
	} else {
		sub(/type_id=/, "", $2)
		member_type[side, id, n] = $2
	}
}
END {
	for (i = 1; i <= last; i++)
		check_type(i)
	for (name in wanted)
		check_constant(name, wanted[name])
	if (!proven)
		wrong("nothing was found to check")
	if (bad)
		exit 1
	printf "%d fields and constants proven against %s", proven - flavours, btf
	print flavours ? ", " flavours " of other kernels left alone" : ""
}' "$work/words" "$work/constants" "$work/ours" "$work/kernel"
