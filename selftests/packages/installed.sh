#!/bin/bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Installs the packages, uses them and removes them: inside in_copy.sh, called by test_packages.sh. To dpkg, DKMS and the
# packages' scripts this machine looks like a board: "uname" tells a board's answers, and kbuild is to compile for it.
#
# usage: installed.sh DEBS HEADERS OUT
#	HEADERS are those of the kernel in /lib/modules; the module that DKMS builds goes to OUT

set -u

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"

debs=$1
headers=$2
out=$3
cross=aarch64-linux-gnu-
native=$(dpkg --print-architecture)
release=$(ls /lib/modules)

look_like_a_board() {
	mkdir -p /tmp/board
	ln -s "/usr/bin/${cross}strip" /tmp/board/strip
	cat >/tmp/board/uname <<-END
		#!/bin/sh
		case \$* in
		-m) echo aarch64 ;;
		-r) echo $release ;;
		*) exec /usr/bin/uname "\$@" ;;
		esac
	END
	chmod +x /tmp/board/uname
	export PATH=/tmp/board:$PATH ARCH=arm64 CROSS_COMPILE=$cross
	ln -sfn "$headers" "/usr/src/linux-headers-$release"
	# As the kernel's package does it; DKMS sees there how modules are compressed.
	depmod "$release"
}

# traces: what is not as it was, but for the journals and caches of dpkg, ldconfig, man and DKMS.
traces() {
	(cd "$ORK_CHANGES" && find . ! -path './var/lib/dpkg/*' ! -path './var/log/*' ! -path './var/cache/*' \
		! -path './etc/ld.so.cache' ! -path './var/lib/dkms/mok.*' ! -path './tmp*' ! -type d)
	find "/lib/modules/$release" -name '*rknpu*'
}

computes() {
	ORK_DEVICE=model ork info && ORK_DEVICE=model ork matmul -m 7 -k 100 -n 33 --verify &&
		dpkg -L ork-tools | grep -qx /usr/share/man/man1/ork.1.gz
}

# builds_programs: as users of the library do.
builds_programs() {
	# shellcheck disable=SC2046 # one word per flag
	gcc -o /tmp/chain examples/chain.c $(pkg-config --cflags --libs libork) -lm && ORK_DEVICE=model /tmp/chain
}

# knows_the_hardware: depmod has seen the module, under the names by which udev asks for it.
knows_the_hardware() {
	modprobe -S "$release" --show-depends 'of:NnpuT(null)Crockchip,rk3588-rknn-core' | grep 'updates/dkms/rknpu_ork' &&
		modprobe -S "$release" --show-depends 'of:NnpuT(null)Crockchip,rk3588-rknpu' | grep 'updates/dkms/rknpu_ork'
}

cd "$(dirname "$0")/../.." || exit 1
look_like_a_board
traces | LC_ALL=C sort >/tmp/before

dpkg -i "$debs"/{libork0,libork-dev,ork-tools}_*_"$native".deb "$debs"/rknpu-ork-dkms_*_all.deb
ok $? "the packages are installed"
computes
ok $? "the command computes and its package has the manual page"
builds_programs
ok $? "a program is built against the development package"
dkms status rknpu-ork | grep -x "rknpu-ork/.*, $release, aarch64: installed"
ok $? "DKMS has built the module for the kernel and installed it"
knows_the_hardware
ok $? "the kernel finds the module by the names of the device tree"
cp "/lib/modules/$release"/updates/dkms/rknpu_ork.ko* "$out"/

dpkg -r rknpu-ork-dkms ork-tools libork-dev libork0
ok $? "the packages are removed"
traces | LC_ALL=C sort >/tmp/after
diff /tmp/before /tmp/after
ok $? "nothing of them is left"
