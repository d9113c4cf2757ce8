#!/bin/bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Setup step "user": Debian's user-mode emulation of arm64, whose plugins can
# count instructions, with the libraries that the emulator's build does not
# bring along. Unpacked in the cache; nothing is installed.

# shellcheck source=tools/setup/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tools/setup/apt.sh
. "$(dirname "$0")/apt.sh"

RECIPE=1

get_user() {
	local work package deb
	local -a wanted=()

	apt_ready
	for package in qemu-user libcapstone4 libnuma1 liburing2; do
		wanted+=("$package=$(newest "$package" bookworm bookworm-security)")
	done
	say "user: ${wanted[*]}"
	work=$(work_dir user)
	mkdir "$work/debs"
	fetch "$work/debs" "${wanted[@]}"
	for deb in "$work"/debs/*.deb; do
		dpkg -x "$deb" "$work"
	done
	rm -r "$work/debs"
	echo "$RECIPE" >"$work/recipe"
	publish "$work" "$ORK_USER"
}

if ! is_done "$ORK_USER" "$RECIPE"; then
	take_lock user
	is_done "$ORK_USER" "$RECIPE" || get_user
fi
