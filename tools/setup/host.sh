#!/bin/bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Setup steps "host", build tools from this machine's own Debian, and "build",
# those of them that libork and the ork command need. When all are there,
# neither apt nor sudo is called.
#
#	host.sh [build]

# shellcheck source=tools/setup/common.sh
. "$(dirname "$0")/common.sh"

BUILD_PACKAGES=(gcc libc6-dev make pkg-config libdrm-dev)
PACKAGES=(
	"${BUILD_PACKAGES[@]}"
	# host programs and the board's programs
	g++
	gcc-12-aarch64-linux-gnu gcc-aarch64-linux-gnu libc6-dev-arm64-cross
	# kernel modules
	bc bison dwarves flex libelf-dev libssl-dev
	# emulator and its board
	device-tree-compiler libfdt-dev libglib2.0-dev libpixman-1-dev
	ninja-build patch python3 python3-venv
	# fetching and unpacking
	ca-certificates dpkg-dev xz-utils
	# packages and their tests
	debhelper dh-dkms dkms kmod lintian
	# device trees
	dt-schema
	# checks: NumPy is the independent reader and writer of .npy files
	clang-19 coccinelle libclang-rt-19-dev python3-numpy shellcheck valgrind
	# documentation
	mandoc python3-sphinx
)

if [ "${1-}" = build ]; then
	PACKAGES=("${BUILD_PACKAGES[@]}")
fi

missing_packages() {
	# shellcheck disable=SC2016 # dpkg-query's own format
	dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${PACKAGES[@]}" 2>/dev/null |
		awk -v wanted="${PACKAGES[*]}" '
			$2 == "installed" { have[$1] = 1 }
			END {
				n = split(wanted, list, " ")
				for (i = 1; i <= n; i++)
					if (!(list[i] in have))
						print list[i]
			}'
}

install_packages() {
	logged host-apt-update as_root apt-get -q update
	logged host-install as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -q --no-install-recommends "$@"
}

mapfile -t missing < <(missing_packages)
if [ "${#missing[@]}" -gt 0 ]; then
	take_lock host
	say "host: installing ${missing[*]}"
	install_packages "${missing[@]}"
fi
