#!/bin/bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Setup steps "mainline", "debug" and "race": the newest kernel whose source
# Debian has, built for the board with little more than the board needs. All
# come from one source tree. "mainline" also builds the mainline driver for the
# NPU; "debug" has the kernel's own checks (mainline-debug.config) but the one
# for data races, which "race" has (mainline-race.config).
#
#	mainline.sh mainline|debug|race
#
# A build happens where it stays, because its Makefile names its place; one
# that was interrupted goes on.

# shellcheck source=tools/setup/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tools/setup/apt.sh
. "$(dirname "$0")/apt.sh"

RECIPE=1
SERIES=7
SUITE=trixie-backports
SETUP_DIR=$ORK_ROOT/tools/setup

FLAVOUR=$1
case $FLAVOUR in
mainline) FRAGMENTS=("$SETUP_DIR/mainline-board.config") ;;
debug | race) FRAGMENTS=("$SETUP_DIR/mainline-board.config" "$SETUP_DIR/mainline-$FLAVOUR.config") ;;
*) die "mainline.sh: no such kernel: $FLAVOUR" ;;
esac
TARGET=$ORK_KERNELS_DIR/$FLAVOUR
FLAVOUR_RECIPE="$RECIPE-$(cat "${FRAGMENTS[@]}" | sha256sum | cut -c1-16)"

newest_source_package() {
	local package

	package=$(private_apt apt-cache search --names-only "^linux-source-$SERIES\\.[0-9]+\$" |
		cut -d' ' -f1 | sort -V | tail -n 1)
	[ -n "$package" ] || die "no package linux-source-$SERIES.* in suite $SUITE"
	printf '%s\n' "$package"
}

# unpack_source DEB PACKAGE DIR
# shellcheck disable=SC2317 # logged calls it
unpack_source() {
	dpkg --fsys-tarfile "$1" |
		tar -xO "./usr/src/$2.tar.xz" |
		xz -dcT0 |
		tar -x -C "$3" --strip-components=1
}

get_source() {
	local package version work

	apt_ready
	package=$(newest_source_package)
	version=$(newest "$package" "$SUITE")
	say "$FLAVOUR: $package $version"
	work=$(work_dir mainline)
	mkdir "$work/debs" "$work/source"
	fetch "$work/debs" "$package=$version"
	logged mainline-source unpack_source "$work"/debs/*.deb "$package" "$work/source"
	echo "${package#linux-source-}" >"$work/source/series"
	echo "$RECIPE" >"$work/source/recipe"
	publish "$work/source" "$ORK_MAINLINE_SOURCE"
	rm -r "$work"
}

kbuild() {
	make -s -C "$ORK_MAINLINE_SOURCE" O="$TARGET/build" ARCH=arm64 \
		CROSS_COMPILE="$ORK_CROSS_COMPILE" "$@"
}

# check_config: allnoconfig drops what it cannot have without a word.
check_config() {
	local line

	while read -r line; do
		grep -qxF -- "$line" "$TARGET/build/.config" || die "$FLAVOUR: the kernel has no $line"
	done < <(grep -h '^CONFIG_' "${FRAGMENTS[@]}")
}

configure() {
	mkdir -p "$TARGET/build"
	cat "${FRAGMENTS[@]}" >"$TARGET/build/fragment"
	logged "$FLAVOUR-config" kbuild KCONFIG_ALLCONFIG="$TARGET/build/fragment" allnoconfig
	check_config
}

# install_kernel: the names that tools/setup/kernels.sh gives a stock kernel.
install_kernel() {
	local release

	release=$(kbuild kernelrelease)
	rm -rf "$TARGET/root"
	logged "$FLAVOUR-install" kbuild INSTALL_MOD_PATH="$TARGET/root" \
		INSTALL_MOD_STRIP=1 DEPMOD=true modules_install
	cp "$TARGET/build/arch/arm64/boot/Image" "$TARGET/vmlinuz"
	ln -sfn "root/lib/modules/$release" "$TARGET/modules"
	echo "$release" >"$TARGET/release"
}

get_kernel() {
	rm -f "$TARGET/recipe"
	configure
	say "$FLAVOUR: building Linux $(kbuild kernelversion) (log: $ORK_CACHE/log/$FLAVOUR-build.log)"
	logged "$FLAVOUR-build" kbuild -j"$(nproc)" Image modules
	install_kernel
	echo "$FLAVOUR_RECIPE" >"$TARGET/recipe"
}

# link_version: lets people ask for the kernel by its version.
link_version() {
	find "$ORK_KERNELS_DIR" -maxdepth 1 -type l -lname mainline -delete
	ln -sfn mainline "$ORK_KERNELS_DIR/$(cat "$ORK_MAINLINE_SOURCE/series")"
}

main() {
	if is_done "$TARGET" "$FLAVOUR_RECIPE" && is_done "$ORK_MAINLINE_SOURCE" "$RECIPE"; then
		return
	fi
	take_lock mainline
	is_done "$ORK_MAINLINE_SOURCE" "$RECIPE" || get_source
	is_done "$TARGET" "$FLAVOUR_RECIPE" || get_kernel
	if [ "$FLAVOUR" = mainline ]; then
		link_version
	fi
}

# On one line: this file may change while a long build runs, and bash reads on.
main; exit
