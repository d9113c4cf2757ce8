#!/bin/bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# The Debian packages: built twice they are the same, lintian has nothing to say, they are installed and removed without a
# trace, and what DKMS makes of the driver's package runs on the emulated board together with the command for arm64.
#
# usage: test_packages.sh DEBS AGAIN
#	two folders that packaging/deb.sh has filled

set -u

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"

debs=$(realpath "${1:?usage: test_packages.sh DEBS AGAIN}")
again=$(realpath "${2:?usage: test_packages.sh DEBS AGAIN}")
here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../..")
board=$top/tools/emulator/ork-board
eval "$("$top/tools/setup/paths.sh" | grep -E '^ORK_(CACHE|KERNELS_DIR)=')"
kernel=$ORK_KERNELS_DIR/6.12
version=$(dpkg-parsechangelog -l "$top/debian/changelog" -S Version)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

same_packages() {
	local deb

	for deb in "$debs"/*.deb; do
		cmp "$deb" "$again/${deb##*/}" || return 1
	done
	[ "$(cd "$debs" && echo *.deb)" = "$(cd "$again" && echo *.deb)" ]
}

# lives_on_board COMMAND: it exits with 0 on a board that has the module of DKMS and the arm64 packages. The names of
# modules-load.d load the driver.
lives_on_board() {
	local load

	load=$(sed '/^#/d; /^$/d' "$dir/board/guest/lib/modules-load.d/rknpu-ork.conf")
	"$board" run --kernel 6.12 --no-module --no-complaints --timeout 120 --build "$dir/board" -- \
		sh -ec "modprobe $load; $1" >"$dir/out" 2>&1
}

unpack_board() {
	local package

	mkdir -p "$dir/board/root" "$dir/board/module-6.12"
	for package in libork0_"$version"_arm64 ork-tools_"$version"_arm64 rknpu-ork-dkms_"$version"_all; do
		dpkg -x "$debs/$package.deb" "$dir/board/root" || return 1
	done
	ln -s root/usr "$dir/board/guest"
	xz -dc "$dir/dkms/rknpu_ork.ko.xz" >"$dir/board/module-6.12/rknpu_ork.ko"
}

[ "$version" = "$(awk '/define ORK_VERSION_/ { printf "%s%s", dot, $3; dot = "." }' "$top/lib/include/ork.h")" ]
ok $? "the packages have the version of the library's header"

same_packages >"$dir/out" 2>&1
ok $? "packages that are built twice are the same to the bit" "$dir/out"

lintian --allow-root --tag-display-limit 0 --fail-on error,warning "$debs"/*_"$version"_*.deb >"$dir/out" 2>&1
ok $? "lintian finds neither errors nor warnings" "$dir/out"

mkdir "$dir/dkms"
"$here/in_copy.sh" "$kernel/modules" "$(cat "$kernel/release")" "$top" "$ORK_CACHE" "$debs" "$dir" -- \
	"$here/installed.sh" "$debs" "$(realpath "$kernel/build")" "$dir/dkms" >"$dir/inside" 2>&1
status=$?
while read -r line; do
	ok "$([[ $line == ok* ]]; echo $?)" "${line#*- }" "$dir/inside"
done < <(grep -E '^(not )?ok ' "$dir/inside")
ok $status "installing and removing ends well" "$dir/inside"

unpack_board >"$dir/out" 2>&1
ok $? "DKMS has built a module" "$dir/out"
lives_on_board 'ork info && ork matmul -m 64 -k 256 -n 128 --verify'
ok $? "the module of DKMS and the command for arm64 compute on the board" "$dir/out"
# shellcheck disable=SC2016 # for the board's shell
lives_on_board 'basename "$(readlink -f /sys/class/drm/renderD128/device/driver)" | grep -qx rknpu-ork'
ok $? "the udev rule means this driver's render node" "$dir/out"

finish
