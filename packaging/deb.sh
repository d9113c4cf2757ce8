#!/bin/bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Builds the Debian packages of this checkout into DIR: those of this machine's architecture, and on other machines than
# an arm64 board those for arm64 as well.
#
#	deb.sh DIR
#
# The packages for arm64 are built with the cross compiler and the libdrm of setup's step "guest". No architecture has to
# be added to this machine's dpkg; it knows nothing of these libraries then: it does not look for build dependencies (-d)
# and is told here where the libraries are and which packages have them (debian/shlibs.local).

# shellcheck source=tools/setup/common.sh
. "$(dirname "$0")/../tools/setup/common.sh"

mkdir -p "$1"
DIR=$(cd "$1" && pwd)
VERSION=$(dpkg-parsechangelog -l "$ORK_ROOT/debian/changelog" -S Version)

# export_source TREE: the files that git knows, as they are now.
export_source() {
	rm -rf "$1"
	mkdir -p "$1"
	(cd "$ORK_ROOT" && git ls-files -z --cached --others --exclude-standard | tar -c --null -T - --ignore-failed-read) |
		tar -x -C "$1"
}

version_of() {
	sed -n 's/^Version: *//p' "$ORK_GUEST_SYSROOT/usr/lib/aarch64-linux-gnu/pkgconfig/$1.pc"
}

# arm64_libraries: what debian/shlibs.local has to say about the libraries of Debian 12.
arm64_libraries() {
	printf '%s libc6 (>= 2.36)\n' 'libc 6' 'libm 6' 'ld-linux-aarch64 1'
	echo "libdrm 2 libdrm2 (>= $(version_of libdrm))"
}

# build ARCH OPTION...: its packages in DIR, its log in DIR/ARCH.log
build() {
	local arch=$1
	local tree=$DIR/$arch/rknpu-ork-$VERSION
	shift

	say "deb: building for $arch (log: $DIR/$arch.log)"
	export_source "$tree"
	if [ "$arch" != "$native" ]; then
		arm64_libraries >"$tree/debian/shlibs.local"
	fi
	if ! (cd "$tree" && "${environment[@]}" dpkg-buildpackage -us -uc -a "$arch" "$@") >"$DIR/$arch.log" 2>&1; then
		show_log "$DIR/$arch.log"
		die "the packages for $arch do not build"
	fi
	mv "$DIR/$arch"/*.deb "$DIR/"
	rm -r "${DIR:?}/$arch"
}

native=$(dpkg --print-architecture)
rm -f "$DIR"/*.deb
environment=(env)
build "$native" -b
if [ "$native" != arm64 ]; then
	libraries=$ORK_GUEST_SYSROOT/usr/lib/aarch64-linux-gnu
	environment=(env
		PKG_CONFIG=pkg-config "PKG_CONFIG_LIBDIR=$libraries/pkgconfig" "PKG_CONFIG_SYSROOT_DIR=$ORK_GUEST_SYSROOT"
		"DEB_CFLAGS_APPEND=-ffile-prefix-map=$ORK_GUEST_SYSROOT=." "DEB_LDFLAGS_APPEND=-L$libraries"
		"LD_LIBRARY_PATH=$libraries:/usr/aarch64-linux-gnu/lib")
	build arm64 -B -d
fi
