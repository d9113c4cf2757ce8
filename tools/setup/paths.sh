#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Where the pieces that do not belong to the checkout live. Everything that
# setup fetches or builds goes into one cache folder, so that a second checkout
# finds it ready.
#
# Sourced: defines the variables below; the caller sets ORK_ROOT to the top of
# the checkout. Run as a program: prints them as NAME=value, or with names as
# arguments the values of these, one a line.
#
# shellcheck disable=SC2034 # the users are elsewhere

: "${ORK_ROOT:=$(cd "$(dirname "$0")/../.." && pwd)}"

ORK_CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/rknpu-ork"

# Kernels that modules are built for and that the board boots. Below
# $ORK_KERNELS_DIR/<kernel>: build (KDIR), vmlinuz, modules, release.
ORK_KERNELS="6.1 6.12"
ORK_KERNELS_DIR="$ORK_CACHE/kernels"

# Kernels that setup builds for the board from the newest source that Debian
# has, in the same form: mainline, and debug and race with the kernel's own
# checks. The kernel's version is a link to "mainline" there.
ORK_BUILT_KERNELS="mainline debug race"
ORK_MAINLINE_SOURCE="$ORK_CACHE/mainline/source"

ORK_CROSS_COMPILE=aarch64-linux-gnu-
ORK_GUEST_CC=aarch64-linux-gnu-gcc-12

# Headers and libraries for programs that run on the board.
ORK_GUEST_SYSROOT="$ORK_CACHE/guest/sysroot"
ORK_GUEST_CFLAGS="-I$ORK_GUEST_SYSROOT/usr/include -I$ORK_GUEST_SYSROOT/usr/include/libdrm"
ORK_GUEST_LDFLAGS="-L$ORK_GUEST_SYSROOT/usr/lib/aarch64-linux-gnu"
ORK_GUEST_BUSYBOX="$ORK_CACHE/guest/busybox"

# Debian's user-mode emulation, for counts of instructions.
ORK_USER="$ORK_CACHE/user"

ORK_SPARSE="$ORK_CACHE/sparse/sparse"

# The few files of the kernel source that builds and checks use.
ORK_LINUX_SOURCE="$ORK_CACHE/linux-source"

# The emulator is named after everything that goes into it, so checkouts with
# different models share one cache and an edit is noticed without a stamp file.
ORK_QEMU_FLAGS="--target-list=aarch64-softmmu --without-default-features
	--without-default-devices --enable-tcg --enable-fdt=system --disable-docs
	--disable-werror --disable-install-blobs --disable-debug-info"

ork_qemu_inputs() {
	printf '%s\n' "$ORK_QEMU_FLAGS"
	(
		cd "$ORK_ROOT/tools/emulator" &&
			find qemu model -maxdepth 1 \( -name '*.[ch]' -o -name Kconfig \
				-o -name meson.build -o -name apply.sh \) |
			LC_ALL=C sort | xargs -r sha256sum
	)
}

# The version is not known before setup has looked, so recipes of make have to ask when they run.
ORK_QEMU_VERSION=$(cat "$ORK_CACHE/qemu/version" 2>/dev/null || echo none)
ORK_QEMU_DIR="$ORK_CACHE/qemu/$ORK_QEMU_VERSION-$(ork_qemu_inputs | sha256sum | cut -c1-16)"
ORK_QEMU="$ORK_QEMU_DIR/qemu-system-aarch64"

if [ "${0##*/}" = paths.sh ]; then
	if [ $# -gt 0 ]; then
		for name; do
			eval "printf '%s\n' \"\$$name\""
		done
		exit
	fi
	for name in ORK_CACHE ORK_KERNELS ORK_KERNELS_DIR ORK_BUILT_KERNELS \
		ORK_MAINLINE_SOURCE ORK_CROSS_COMPILE \
		ORK_GUEST_CC ORK_GUEST_SYSROOT ORK_GUEST_CFLAGS \
		ORK_GUEST_LDFLAGS ORK_GUEST_BUSYBOX ORK_USER ORK_LINUX_SOURCE ORK_QEMU ORK_SPARSE; do
		eval "printf '%s=%s\n' \"$name\" \"\$$name\""
	done
fi
