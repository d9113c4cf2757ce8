#!/bin/bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Setup step "kernels": stock Debian arm64 kernels, image and headers, unpacked
# into the cache. Modules build against them with
#   make -C <kernel>/build M=... ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-

# shellcheck source=tools/setup/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tools/setup/apt.sh
. "$(dirname "$0")/apt.sh"

RECIPE=1

# Debian names the ABI differently per suite; backports carry "deb12".
declare -A IMAGE_PATTERN=(
	[6.1]='^linux-image-6\.1\.0-[0-9]+-arm64-unsigned$'
	[6.12]='^linux-image-6\.12\.[0-9]+.*deb12-arm64-unsigned$'
)
declare -A SUITES=(
	[6.1]='bookworm bookworm-security'
	[6.12]='bookworm-backports'
)

has_version() {
	local package=$1 version=$2
	local all
	shift 2

	all=$(versions "$package" "$@")
	grep -Fxq -- "$version" <<<"$all"
}

# kernel_packages IMAGE SUITE...: the package set of IMAGE, one PACKAGE=VERSION
# per line, or failure when a part of it is not there in the same version.
kernel_packages() {
	local image=$1
	local release=${image#linux-image-} version abi kbuild package
	shift
	release=${release%-unsigned}
	abi=${release%-arm64}

	version=$(versions "$image:arm64" "$@" | head -n 1)
	[ -n "$version" ] || return 1
	kbuild=linux-kbuild-$abi
	if ! has_version "$kbuild:amd64" "$version" "$@"; then
		# 6.1 has one kbuild package for all of its ABIs.
		kbuild=linux-kbuild-${abi%.*}
	fi
	for package in "$image:arm64" "linux-headers-$release:arm64" \
		"linux-headers-$abi-common" "$kbuild:amd64"; do
		has_version "$package" "$version" "$@" || return 1
		printf '%s=%s\n' "$package" "$version"
	done
}

# find_kernel KERNEL: package set of the newest image that is complete. A
# mirror in the middle of an update can have an image without its headers.
find_kernel() {
	local image packages
	local -a suites
	read -ra suites <<<"${SUITES[$1]}"

	while read -r image; do
		if packages=$(kernel_packages "$image" "${suites[@]}"); then
			printf '%s\n' "$packages"
			return
		fi
	done < <(private_apt apt-cache search --names-only "${IMAGE_PATTERN[$1]}" |
		cut -d' ' -f1 | sort -Vr)
	die "no complete set of packages ${IMAGE_PATTERN[$1]} (image, headers, kbuild) in suite(s): ${SUITES[$1]}"
}

# point_makefiles ROOT TARGET: header Makefiles include each other by absolute
# path; TARGET is where ROOT is going to be.
point_makefiles() {
	find "$1/usr/src" -maxdepth 2 -name Makefile -exec \
		sed -i "s|^include /usr/src/|include $2/usr/src/|" {} +
}

# add_names DIR: names that do not change with the version.
add_names() {
	local image release

	image=$(find "$1/root/boot" -name 'vmlinuz-*')
	release=${image##*/vmlinuz-}
	echo "$release" >"$1/release"
	ln -s "root/boot/vmlinuz-$release" "$1/vmlinuz"
	ln -s "root/lib/modules/$release" "$1/modules"
	ln -s "root/usr/src/linux-headers-$release" "$1/build"
	[ -e "$1/build/Module.symvers" ] || die "kernel $release: headers lack Module.symvers"
}

get_kernel() {
	local kernel=$1
	local target=$ORK_KERNELS_DIR/$kernel
	local packages work deb

	apt_ready
	packages=$(find_kernel "$kernel")
	say "kernels: $kernel is ${packages%%:*}"
	work=$(work_dir kernels)
	mkdir "$work/debs" "$work/root"
	# shellcheck disable=SC2086 # one word per package
	fetch "$work/debs" $packages
	for deb in "$work"/debs/*.deb; do
		dpkg -x "$deb" "$work/root"
	done
	rm -r "$work/debs"
	point_makefiles "$work/root" "$target/root"
	add_names "$work"
	echo "$RECIPE" >"$work/recipe"
	publish "$work" "$target"
}

all_done() {
	local kernel

	for kernel in $ORK_KERNELS; do
		is_done "$ORK_KERNELS_DIR/$kernel" "$RECIPE" || return 1
	done
}

if ! all_done; then
	take_lock kernels
	for kernel in $ORK_KERNELS; do
		is_done "$ORK_KERNELS_DIR/$kernel" "$RECIPE" || get_kernel "$kernel"
	done
fi
