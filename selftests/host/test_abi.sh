#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# The ABI header compiles on its own, as C and as C++, with the same layout for 64-bit and 32-bit ARM. It needs no more
# than the kernel's own headers.
#
# usage: test_abi.sh    from the root of the repository; takes no notice of its argument, the build folder

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"

headers=$(mktemp -d)
trap 'rm -rf "$headers"' EXIT

# DRM's header, without the host's C library, which is of another architecture.
mkdir "$headers/drm"
for file in drm.h drm_mode.h; do
	cp "$(pkg-config --variable=includedir libdrm)/libdrm/$file" "$headers/" || exit 1
done

check() {
	name=$1
	shift
	"$@" -fsyntax-only -Wall -Wextra -Werror -Iuapi -I"$headers" selftests/host/abi_layout.c
	ok $? "$name"
}

kernel_headers=/usr/aarch64-linux-gnu/include

echo "TAP version 13"
check 'C on this machine' gcc -std=c11 -x c
check 'C++ on this machine' g++ -std=c++11 -x c++
check '64-bit ARM' aarch64-linux-gnu-gcc -std=c11 -x c
check '32-bit ARM' clang-19 --target=arm-linux-gnueabihf -std=c11 -x c -ffreestanding -nostdlibinc -I"$kernel_headers"
check '32-bit ARM, C++' clang-19 --target=arm-linux-gnueabihf -std=c++11 -x c++ -ffreestanding -nostdlibinc -I"$kernel_headers"
finish
