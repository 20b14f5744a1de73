# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154 # status and output are of bats
# A copy of the source tree to build, break and change in: nothing is ever written to the real one.

# What a make around the tests hands down is not meant for the ones inside.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES SAN DEVELOPER O PT_BUILD_USER

# tree_copy FOLDER: the sources without what was built.
tree_copy() {
	mkdir -p "$1"
	tar -C "$PT_SRC" -cf - --exclude=./build --exclude=./proctrace --exclude=./.git . | tar -C "$1" -xf -
}

# contains TEXT: $output holds it; else show what it holds.
contains() {
	[[ $output == *"$1"* ]] || { printf 'not in the output: %s\n--- output:\n%s\n' "$1" "$output"; return 1; }
}

lacks() {
	[[ $output != *"$1"* ]] || { printf 'in the output: %s\n--- output:\n%s\n' "$1" "$output"; return 1; }
}

status_is() {
	[[ $status -eq $1 ]] || { printf 'status %s, not %s\n--- output:\n%s\n' "$status" "$1" "$output"; return 1; }
}
