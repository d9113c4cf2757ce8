#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# "make install-module" puts the driver where the kernel and udev find it.
#
# usage: test_install_module.sh KERNEL CROSS_COMPILE
#	KERNEL is one of setup's

set -u

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"

kernel=${1:?usage: test_install_module.sh KERNEL CROSS_COMPILE}
cross=${2:?usage: test_install_module.sh KERNEL CROSS_COMPILE}
PATH=$PATH:/usr/sbin:/sbin
release=$(cat "$kernel/release")
unset MAKEFLAGS MAKELEVEL
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# The kernel's other modules, which depmod wants to see.
mkdir -p "$dir/root/lib/modules"
cp -rs "$(realpath "$kernel/modules")" "$dir/root/lib/modules/$release"

make -s install-module KDIR="$kernel/build" ARCH=arm64 CROSS_COMPILE="$cross" DESTDIR="$dir/root" >"$dir/out" 2>&1
ok $? "installs below DESTDIR" "$dir/out"
grep -i error "$dir/out" >"$dir/errors"
[ ! -s "$dir/errors" ]
ok $? "says nothing of errors" "$dir/errors"

for name in rockchip,rk3588-rknn-core rockchip,rk3588-rknpu; do
	modprobe -d "$dir/root" -S "$release" --show-depends "of:NnpuT(null)C$name" >"$dir/out" 2>&1
	grep -q "updates/rknpu_ork\.ko" "$dir/out" && grep -q gpu-sched "$dir/out"
	ok $? "a device $name gets the module and what it needs" "$dir/out"
done

[ "$(sed '/^#/d; /^$/d' "$dir/root/usr/local/lib/modules-load.d/rknpu-ork.conf")" = rknpu_ork ]
ok $? "it is loaded at boot" "$dir/out"

modprobe -C packaging/modprobe.d -c 2>"$dir/out" | sed -n 's/^blacklist //p' >"$dir/kept_away"
grep -qx rocket "$dir/kept_away" && grep -qx rknpu "$dir/kept_away" && ! grep -q ork "$dir/kept_away"
ok $? "the file for modprobe.d keeps the other drivers away and not this one" "$dir/kept_away"

make -s install-module >"$dir/out" 2>&1
[ $? -eq 2 ] && grep -q KDIR= "$dir/out"
ok $? "without a kernel it says what to give" "$dir/out"

finish
