#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# From a clean clone to a result, on Debian 12 or newer: installs what is missing (nothing is asked of
# the network if nothing is), builds, and runs.
#
# Usage: bootstrap.sh COMMAND
#   bench [ARGUMENTS]   build, then `proctrace bench ARGUMENTS` (needs root)
#   check               build, then all tests; those that need root are skipped without it
#   build               build alone
#   deps                install what is missing, no more
set -euo pipefail

SRC=$(cd "$(dirname "$0")/.." && pwd)
cd "$SRC"

readonly BUILD_PACKAGES=(
	gcc make libc6-dev linux-libc-dev pkgconf clang bpftool
	libbpf-dev libelf-dev zlib1g-dev libjansson-dev
)
readonly CHECK_PACKAGES=(
	libcmocka-dev bats jq shellcheck clang-format cppcheck mandoc procps util-linux linux-perf
)

as_user=()
unset MAKEFLAGS MFLAGS MAKELEVEL

die() {
	printf 'bootstrap.sh: %s\n' "$1" >&2
	exit 1
}

usage() {
	sed -n 's/^# \{0,1\}//; 4,11p' "$0"
}

# --- packages ---------------------------------------------------------------------------------------

# Names the packages of "$@" that are not installed.
packages_missing() {
	local name
	for name in "$@"; do
		if [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) != installed ]]; then
			echo "$name"
		fi
	done
}

# The runtime that clang needs for libFuzzer has clang's major version in its name.
fuzz_package() {
	local major
	major=$(clang -dumpversion 2>/dev/null) || return 0
	echo "libclang-rt-${major%%.*}-dev"
}

apt_install() {
	local root=()
	if [[ $EUID -ne 0 ]]; then
		if ! sudo -n true 2>/dev/null; then
			die "these packages are missing; install them with: sudo apt-get install --no-install-recommends $*"
		fi
		root=(sudo -n)
	fi
	printf 'bootstrap.sh: installing %s\n' "$*" >&2
	# One broken list among several need not be in the way.
	"${root[@]}" apt-get -q update >&2 </dev/null || true
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive \
		apt-get -q -y --no-install-recommends install "$@" >&2 </dev/null ||
		die "these packages are missing and apt-get could not install them (its words are above): $*"
}

packages_install() {
	local missing
	mapfile -t missing < <(packages_missing "$@")
	[[ ${#missing[@]} -eq 0 ]] || apt_install "${missing[@]}"
}

deps_install() {
	[[ -x /usr/bin/dpkg-query && -x /usr/bin/apt-get ]] ||
		die "this is not Debian: install the likes of ${BUILD_PACKAGES[*]} yourself, then run make"
	packages_install "$@"
}

deps_build() {
	deps_install "${BUILD_PACKAGES[@]}"
}

deps_check() {
	local fuzz
	deps_install "${BUILD_PACKAGES[@]}" "${CHECK_PACKAGES[@]}"
	mapfile -t fuzz < <(fuzz_package)
	packages_install "${fuzz[@]}"
}

# --- building ---------------------------------------------------------------------------------------

# Under sudo what is built is to belong to whoever owns the tree.
build_user_choose() {
	if [[ $EUID -eq 0 && -n ${SUDO_USER:-} && $SUDO_USER != root &&
		$(stat -c %U "$SRC") == "$SUDO_USER" ]]; then
		as_user=(runuser -u "$SUDO_USER" --)
		export PT_BUILD_USER=$SUDO_USER
	fi
}

program_build() {
	"${as_user[@]}" make -j"$(nproc)" >&2 || die 'the build failed; its output above says where'
}

# --- commands ---------------------------------------------------------------------------------------

cmd_bench() {
	deps_build
	program_build
	[[ $EUID -eq 0 ]] ||
		die "built, but bench needs root to watch the kernel: run sudo scripts/bootstrap.sh bench${*:+ $*}"
	exec ./proctrace bench "$@"
}

cmd_check() {
	deps_check
	exec scripts/run-tests.sh "$@"
}

cmd_build() {
	deps_build
	program_build
}

cmd_deps() {
	deps_check
}

main() {
	local command=${1:-}
	case $command in
	bench | check | build | deps)
		shift
		build_user_choose
		"cmd_$command" "$@"
		;;
	-h | --help | help)
		usage
		;;
	*)
		usage >&2
		exit 2
		;;
	esac
}

main "$@"
