#!/bin/bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Setup step "guest": what programs on the board are built against and run
# with (busybox, libdrm), and the files of the kernel source that our tests
# and checks use at build time.

# shellcheck source=tools/setup/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tools/setup/apt.sh
. "$(dirname "$0")/apt.sh"

RECIPE=1
GUEST=$ORK_CACHE/guest

SOURCE_PACKAGE=linux-source-6.12
SOURCE_FILES=(
	tools/testing/selftests/kselftest.h
	tools/testing/selftests/kselftest_harness.h
	tools/testing/selftests/kselftest
	scripts/checkpatch.pl
	scripts/spelling.txt
	scripts/const_structs.checkpatch
	scripts/kernel-doc
)

get_sysroot() {
	local work package version deb
	local -a wanted=()

	apt_ready
	for package in busybox-static:arm64 libdrm2:arm64 libdrm-dev:arm64; do
		version=$(newest "$package" bookworm bookworm-security)
		wanted+=("$package=$version")
	done
	say "guest: ${wanted[*]}"
	work=$(work_dir guest)
	mkdir "$work/debs" "$work/sysroot"
	fetch "$work/debs" "${wanted[@]}"
	for deb in "$work"/debs/*.deb; do
		dpkg -x "$deb" "$work/sysroot"
	done
	rm -r "$work/debs"
	mv "$work/sysroot/bin/busybox" "$work/busybox"
	echo "$RECIPE" >"$work/recipe"
	publish "$work" "$GUEST"
}

# unpack_source DEB DIR: the archive inside the package is only streamed; it
# holds more than a gigabyte that nobody needs here.
unpack_source() {
	dpkg --fsys-tarfile "$1" |
		tar -xO "./usr/src/$SOURCE_PACKAGE.tar.xz" |
		xz -dcT0 |
		tar -x -C "$2" --strip-components=1 "${SOURCE_FILES[@]/#/$SOURCE_PACKAGE/}"
}

get_source() {
	local work version

	apt_ready
	version=$(newest "$SOURCE_PACKAGE" bookworm-backports)
	say "guest: kselftest headers and checkpatch of $SOURCE_PACKAGE $version"
	work=$(work_dir guest)
	mkdir "$work/debs" "$work/source"
	fetch "$work/debs" "$SOURCE_PACKAGE=$version"
	logged linux-source unpack_source "$work"/debs/*.deb "$work/source"
	echo "$RECIPE" >"$work/source/recipe"
	publish "$work/source" "$ORK_LINUX_SOURCE"
	rm -r "$work"
}

if ! { is_done "$GUEST" "$RECIPE" && is_done "$ORK_LINUX_SOURCE" "$RECIPE"; }; then
	take_lock guest
	is_done "$GUEST" "$RECIPE" || get_sysroot
	is_done "$ORK_LINUX_SOURCE" "$RECIPE" || get_source
fi
