#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Boots a kernel under QEMU (software emulation), runs a command there as root, and ends with its
# status. Needs no root. The system is a file system in memory: busybox, bash, jq, proctrace, and the
# folder tests/ of the source tree as /src/tests.
#
# Usage: vm.sh [-c CPUS] [-p CPUS] [-t SECONDS] [-f FILE]... KERNEL [COMMAND]
#   KERNEL   a row of tests/vm/kernels, or the file of a kernel image (amd64)
#   COMMAND  for the shell; without one, what there is is shown: uname and `proctrace sources`
#   -c CPUS  that are there at the start (2)     -p CPUS  that are possible, not all there (those of -c)
#   -t SECONDS  after which the machine is turned off, with status 124 (240)
#   -f FILE  one more file, which will lie in /vm
#
# Environment: O (build folder), PROCTRACE (the program, $O/proctrace), PT_VM_CACHE (see debian-fetch.sh),
# PT_VM_PROCTRACE_arm64, PT_VM_SYSROOT_arm64 (the program and its libraries for that architecture).
# The console is on stdout, with what the kernel itself says only if PT_VM_VERBOSE is set.
# Status 77: it cannot be run here, the reason is on stderr.
set -euo pipefail

SRC=$(cd "$(dirname "$0")/.." && pwd)
O=${O:-$SRC/build}
MEMORY=1024 # MiB

cpus=2
possible=''
deadline=240
extra=()

cannot() {
	printf 'vm.sh: %s\n' "$1" >&2
	exit 77
}

usage() {
	sed -n 's/^# \{0,1\}//; 4,19p' "$0" >&2
	exit 2
}

# --- what goes into the machine ---------------------------------------------------------------------

# ROOT FILE...: the shared libraries that they need, found below ROOT ("" is this system).
libraries_of() {
	local root=$1 queue=("${@:2}") name path dir
	local -A seen=()
	while [[ ${#queue[@]} -gt 0 ]]; do
		while read -r name; do
			[[ ! ${seen[$name]:-} ]] || continue
			seen[$name]=1
			for dir in lib usr/lib lib64 usr/lib64 {,usr/}lib/{x86_64,aarch64}-linux-gnu; do
				path=$root/$dir/$name
				[[ -e $path ]] && break
			done
			[[ -e $path ]] || cannot "the library $name is missing below ${root:-/}"
			echo "$path"
			queue+=("$path")
		done < <(LC_ALL=C readelf -ld "${queue[0]}" | sed -n \
			's/.*(NEEDED).*\[\(.*\)\]/\1/p; s,.*program interpreter: .*/\([^/]*\)\],\1,p')
		queue=("${queue[@]:1}")
	done
}

# The kernel's programs look for their interpreter at the path that they were linked with.
interpreter_of() {
	LC_ALL=C readelf -l "$1" | sed -n 's,.*program interpreter: /\(.*\)\],\1,p'
}

# FOLDER ROOT PROGRAMS...: copies programs into bin/, and their libraries.
programs_put() {
	local to=$1 root=$2 file interpreter
	shift 2
	for file; do
		cp -fL "$file" "$to/bin/"
		interpreter=$(interpreter_of "$file")
		if [[ $interpreter ]]; then
			mkdir -p "$to/$(dirname "$interpreter")"
			cp -fL "$root/$interpreter" "$to/$interpreter"
		fi
	done
	while read -r file; do
		cp -fL "$file" "$to/lib/"
	done < <(libraries_of "$root" "$@")
}

program_find() {
	PATH=$PATH:/usr/sbin:/sbin command -v "$1" || cannot "$1 is missing: install the package $2"
}

# FOLDER: all but the kernel.
root_make() {
	local to=$1 root='' program=${PROCTRACE:-$O/proctrace} tools=()
	mkdir -p "$to"/{bin,lib,dev,proc,sys,tmp,run,etc,root,vm,src}
	ln -s bin "$to/sbin"
	if [[ $arch == arm64 ]]; then
		program=${PT_VM_PROCTRACE_arm64:-$SRC/build/arm64/proctrace}
		root=${PT_VM_SYSROOT_arm64:-}
		[[ $root ]] || root=$("$SRC/scripts/sysroot.sh" arm64)
		tools=("$root"/bin/{busybox,bash} "$root/usr/bin/jq")
	else
		tools=("$(program_find busybox busybox-static)" "$(program_find bash bash)"
			"$(program_find jq jq)")
	fi
	[[ -x $program ]] || cannot "$program is not built"
	programs_put "$to" "$root" "${tools[@]}" "$program"
	[[ ! $(interpreter_of "$to/bin/busybox") ]] ||
		cannot 'busybox is not a static one: install the package busybox-static'
	cp "$SRC/tests/vm/init" "$to/init"
	cp -r "$SRC/tests" "$to/src/tests"
	printf 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' >"$to/etc/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' >"$to/etc/group"
	[[ ${#extra[@]} -eq 0 ]] || cp -f "${extra[@]}" "$to/vm/"
}

# --- the machine ------------------------------------------------------------------------------------

# Sets kernel and arch.
kernel_choose() {
	local name suites version flavour
	if [[ -f $1 ]]; then
		kernel=$1 arch=amd64
		return
	fi
	read -r name suites version flavour _ < <(awk -v name="$1" '$1 == name' "$SRC/tests/vm/kernels") ||
		cannot "$1 is neither a file nor a row of tests/vm/kernels"
	arch=amd64
	[[ $flavour != *arm64* ]] || arch=arm64
	kernel=$("$SRC/scripts/debian-fetch.sh" kernel "$suites" "$version" "$flavour")/vmlinuz ||
		cannot "there is no kernel for $name"
}

machine_choose() {
	local append='tsc=reliable panic=-1 reboot=t mitigations=off nokaslr'
	[[ ${PT_VM_VERBOSE:-} ]] || append+=' quiet loglevel=1'
	if [[ $arch == arm64 ]]; then
		qemu=("$(program_find qemu-system-aarch64 qemu-system-arm)" -M virt -cpu cortex-a57)
		append+=' console=ttyAMA0'
	else
		qemu=("$(program_find qemu-system-x86_64 qemu-system-x86)" -M q35 -cpu max)
		append+=' console=ttyS0'
	fi
	qemu+=(-accel 'tcg,thread=multi' -smp "$cpus,maxcpus=${possible:-$cpus}" -m "$MEMORY" -nodefaults
		-no-user-config -display none -no-reboot -serial stdio -kernel "$kernel"
		-initrd "$work/initrd" -append "$append")
}

# Passes the console on, without the line that says the status.
console_pass() {
	local line
	status=''
	while IFS= read -r line || [[ $line ]]; do
		line=${line%$'\r'}
		if [[ $line == "$token "* ]]; then
			status=${line#"$token "}
		else
			printf '%s\n' "$line"
		fi
	done
	[[ $status =~ ^[0-9]+$ ]] || return 125
	return "$status"
}

main() {
	local option status=0 result
	while getopts 'c:p:t:f:h' option; do
		case $option in
		c) cpus=$OPTARG ;;
		p) possible=$OPTARG ;;
		t) deadline=$OPTARG ;;
		f) extra+=("$OPTARG") ;;
		*) usage ;;
		esac
	done
	shift $((OPTIND - 1))
	[[ $# -ge 1 && $# -le 2 ]] || usage
	program_find cpio cpio >/dev/null
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	kernel_choose "$1"
	machine_choose
	root_make "$work/root"
	token=pt-vm-$RANDOM$RANDOM-status
	echo "$token" >"$work/root/vm/token"
	printf '%s\n' "${2:-uname -srvm; proctrace sources}" >"$work/root/vm/command"
	(cd "$work/root" && find . | cpio -o -H newc -R 0:0 --quiet) >"$work/initrd"
	rm -rf "$work/root"

	set +e
	timeout -k 5 "$deadline" "${qemu[@]}" </dev/null 2>"$work/qemu" | console_pass
	result=("${PIPESTATUS[@]}")
	set -e
	if [[ ${result[0]} -eq 124 ]]; then
		printf 'vm.sh: turned off after %d s\n' "$deadline" >&2
		exit 124
	fi
	if [[ ${result[1]} -eq 125 || ${result[0]} -ne 0 ]]; then
		printf 'vm.sh: the machine ended (%d) without a status\n' "${result[0]}" >&2
		cat "$work/qemu" >&2
	fi
	exit "${result[1]}"
}

main "$@"
