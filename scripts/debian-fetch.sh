#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Fetches Debian packages of any suite and architecture and unpacks them into a cache: nothing is
# installed, and the host's package configuration is read (mirror, proxy, keys), never changed.
#
# Usage: debian-fetch.sh kernel SUITES VERSION FLAVOUR    the newest linux-image-VERSION…-FLAVOUR (or
#                                                         linux-binary-…) of SUITES, separated by commas
#        debian-fetch.sh packages SUITES ARCH PACKAGE...  the files of packages
# Prints the folder: of a kernel, with `vmlinuz` and `name` in it; of packages, their files.
# VERSION is a beginning, such as 6.1, or "any"; FLAVOUR ends in the architecture, such as cloud-amd64.
#
# Environment: PT_VM_CACHE (the cache, ~/.cache/proctrace-vm), PT_VM_MAX_AGE (a choice is looked up anew
# after so many days, 7; where that is not possible the cached one serves).
set -euo pipefail

CACHE=${PT_VM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/proctrace-vm}
MAX_AGE=${PT_VM_MAX_AGE:-7}

die() {
	printf 'debian-fetch.sh: %s\n' "$1" >&2
	exit 1
}

# --- apt, with folders of its own -------------------------------------------------------------------

# The mirror that the host takes Debian from; for a security suite, the one of those.
mirror_of() {
	local label=Debian
	[[ $1 != *-security ]] || label=Debian-Security
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --format '$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
		awk -F'|' -v label="$label" '
			$1 == label { print $2; found = 1; exit }
			$2 ~ /security/ && label ~ /Security/ || $2 ~ /\/debian\/?$/ && label == "Debian" {
				if (!guess) guess = $2
			}
			END { if (!found && guess) print guess }'
}

# SUITE ARCH: an apt root; the host's settings, without its hooks.
apt_root() {
	local suite=$1 arch=$2 root=$CACHE/apt/$1-$2 mirror key=''
	mirror=$(mirror_of "$suite")
	[[ $mirror ]] || return 1
	mkdir -p "$root"/{lists/partial,cache,parts}
	cp -f /etc/apt/apt.conf.d/* "$root/parts/" 2>/dev/null || true
	printf '#clear APT::Update;\n#clear DPkg;\n' >"$root/parts/zz-no-hooks"
	[[ ! -e /usr/share/keyrings/debian-archive-keyring.gpg ]] ||
		key='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] '
	printf 'deb %s%s %s main\n' "$key" "$mirror" "$suite" >"$root/sources.list"
	: >"$root/status"
	cat >"$root/conf" <<-END
		Dir::Etc::sourcelist "$root/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::parts "$root/parts";
		Dir::State "$root";
		Dir::State::lists "$root/lists";
		Dir::State::status "$root/status";
		Dir::Cache "$root/cache";
		APT::Architecture "$arch";
		APT::Architectures { "$arch"; };
		APT::Sandbox::User "";
		Acquire::Languages "none";
	END
}

fresh() {
	[[ -e $1 && -n $(find "$1" -prune -mtime "-$MAX_AGE") ]]
}

# SUITE ARCH: brings its lists; fails where there are none at all.
lists_update() {
	local root=$CACHE/apt/$1-$2
	fresh "$root/updated" && return 0
	apt_root "$1" "$2" || return 1
	if APT_CONFIG=$root/conf apt-get -q -o APT::Update::Error-Mode=any update \
		>"$root/log" 2>&1 </dev/null; then
		touch "$root/updated"
	elif [[ ! -e $root/updated ]]; then
		printf 'debian-fetch.sh: no list of %s for %s: %s\n' "$1" "$2" \
			"$(grep -E '^(E|Err|W):' "$root/log" | tail -n 1)" >&2
		return 1
	fi
}

# SUITE ARCH: its packages, one a line: name, version, installed size in KiB.
lists_show() {
	local list
	for list in "$CACHE/apt/$1-$2"/lists/*_Packages*; do
		[[ -e $list ]] || continue
		/usr/lib/apt/apt-helper cat-file "$list"
	done | awk '
		/^Package: /        { name = $2 }
		/^Version: /        { version = $2 }
		/^Installed-Size: / { size = $2 }
		/^$/                { print name, version, size }'
}

# SUITE ARCH PACKAGE[=VERSION] FOLDER: downloads and unpacks.
package_unpack() {
	local root=$CACHE/apt/$1-$2 package=$3 to=$4 deb tmp
	tmp=$(mktemp -d "$CACHE/download.XXXXXX")
	if ! (cd "$tmp" && APT_CONFIG=$root/conf apt-get -q download "$package" >"$root/log" 2>&1 \
		</dev/null); then
		rm -rf "$tmp"
		die "cannot download $package of $1: $(grep -E '^(E|Err):' "$root/log" | tail -n 1)"
	fi
	mkdir -p "$to"
	for deb in "$tmp"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x --no-same-owner -C "$to" "${@:5}"
	done
	rm -rf "$tmp"
}

# --- kernels ----------------------------------------------------------------------------------------

# SUITES VERSION FLAVOUR ARCH: "version-for-sorting suite name version", the newest last. From 7.x on
# linux-image-… is an empty package; the size tells which of the two has the kernel.
kernel_find() {
	local suite
	for suite in ${1//,/ }; do
		lists_update "$suite" "$4" || continue
		lists_show "$suite" "$4" | awk -v want="$2" -v flavour="$3" -v suite="$suite" '
			$3 > 1000 && $1 ~ /^linux-(image|binary)-[0-9]/ {
				release = $1
				sub(/^linux-(image|binary)-/, "", release)
				end = length(release) - length(flavour)
				if (end < 2 || substr(release, end) != "-" flavour) next
				number = substr(release, 1, end - 1)
				if (number !~ /^[0-9][0-9a-z.+~]*(-[0-9][0-9a-z.+~]*)?$/) next
				if (want != "any" && index(number, want ".") != 1) next
				print $2, suite, $1
			}'
	done | sort -V
}

kernel_fetch() {
	local suites=$1 version=$2 flavour=$3 arch=amd64 found link
	[[ $flavour != *arm64* ]] || arch=arm64
	link=$CACHE/kernel/${suites//,/+}-$version-$flavour
	if ! fresh "$link/name"; then
		found=$(kernel_find "$suites" "$version" "$flavour" "$arch" | tail -n 1)
		if [[ $found ]]; then
			# shellcheck disable=SC2086 # three words
			kernel_unpack $found "$arch" "$link"
		elif [[ ! -e $link/name ]]; then
			die "no kernel package $version $flavour could be found in $suites, and none is cached"
		fi
	fi
	echo "$link"
}

# VERSION SUITE PACKAGE ARCH FOLDER
kernel_unpack() {
	local to=$5 tmp
	if [[ $(cat "$to/name" 2>/dev/null) == "$3 $1" ]]; then
		touch "$to/name"
		return
	fi
	tmp=$(mktemp -d "$CACHE/unpack.XXXXXX")
	# Below boot/ or, from 7.x on, usr/lib/modules/: the rest is large and of no use here.
	package_unpack "$2" "$4" "$3=$1" "$tmp" --wildcards --no-anchored 'vmlinuz*'
	rm -rf "$to"
	mkdir -p "$to"
	find "$tmp" -name 'vmlinuz*' -type f -exec mv {} "$to/vmlinuz" \;
	rm -rf "$tmp"
	[[ -e $to/vmlinuz ]] || die "there is no kernel in the package $3"
	echo "$3 $1" >"$to/name"
}

# --- other packages ---------------------------------------------------------------------------------

packages_fetch() {
	local suites=$1 arch=$2 suite package have to
	shift 2
	to=$CACHE/packages/${suites//,/+}-$arch/$(echo "$@" | cksum | cut -d' ' -f1)
	if ! fresh "$to/.name"; then
		for suite in ${suites//,/ }; do
			lists_update "$suite" "$arch" || continue
			have=$(lists_show "$suite" "$arch")
			for package; do
				[[ ! -e $to/.got/$package ]] || continue
				grep -q "^$package " <<<"$have" || continue
				package_unpack "$suite" "$arch" "$package" "$to"
				mkdir -p "$to/.got"
				touch "$to/.got/$package"
			done
		done
		for package; do
			[[ -e $to/.got/$package ]] || die "no package $package for $arch in $suites"
		done
		echo "$*" >"$to/.name"
	fi
	echo "$to"
}

command -v apt-get >/dev/null || die 'this is not Debian: apt-get is missing'
mkdir -p "$CACHE"
case ${1:-} in
kernel)
	[[ $# -eq 4 ]] || die 'kernel takes SUITES VERSION FLAVOUR'
	kernel_fetch "${@:2}"
	;;
packages)
	[[ $# -ge 4 ]] || die 'packages takes SUITES ARCH PACKAGE...'
	packages_fetch "${@:2}"
	;;
*) die 'which? kernel or packages' ;;
esac
