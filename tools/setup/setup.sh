#!/bin/bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Brings the named pieces onto this machine; without a name, all of them but
# the three kernels that take minutes to build, and what only benches and
# checks need. Pieces that are there cost next to nothing, so every make target
# may ask.

set -euo pipefail

usage() {
	cat <<-USAGE
		usage: setup.sh [build] [host] [kernels] [qemu] [guest] [user] [sparse] [mainline] [debug] [race]
		  build    packages of this Debian that libork and ork are built with, with apt-get
		  host     these and all others
		  kernels  arm64 kernels 6.1 and 6.12, images and headers
		  qemu     the emulator with the board of this checkout
		  guest    busybox, libdrm and kselftest headers for the board
		  user     user-mode emulation that counts instructions
		  sparse   the kernel's checker, newer than Debian 12's
		  mainline the newest kernel source of Debian, built for the board
		  debug    the same with the kernel's own checks
		  race     the same with its check for data races
		Everything but the packages goes to \${XDG_CACHE_HOME:-~/.cache}/rknpu-ork;
		deleting that folder makes the next run fetch the newest again.
	USAGE
}

steps=()
for step in "$@"; do
	case $step in
	build | host | kernels | qemu | guest | user | sparse | mainline | debug | race) steps+=("$step") ;;
	-h | --help)
		usage
		exit 0
		;;
	*)
		printf 'setup: no such piece: %s\n' "$step" >&2
		usage >&2
		exit 2
		;;
	esac
done
if [ ${#steps[@]} -eq 0 ]; then
	steps=(host kernels qemu guest)
fi

here=$(cd "$(dirname "$0")" && pwd)
for step in "${steps[@]}"; do
	case $step in
	build) bash "$here/host.sh" build ;;
	mainline | debug | race) bash "$here/mainline.sh" "$step" ;;
	*) bash "$here/$step.sh" ;;
	esac
done
