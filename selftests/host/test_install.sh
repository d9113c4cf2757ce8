#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# "make install" puts every file into its place and "make uninstall" takes all of them away; a program is built against
# what was installed, as its user would do it.
# usage: test_install.sh BUILD    the folder with lib/ and bin/

set -u

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"

build=${1:?usage: test_install.sh BUILD}
ORK_DEVICE=model
export ORK_DEVICE
unset MAKEFLAGS MAKELEVEL LD_LIBRARY_PATH
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# run_make ARGS...: its output in a file
run_make()
{
	make -s BUILD="$(dirname "$build")" "$@" >"$dir/out" 2>&1
}

# files ROOT: what is below it, one line each
files()
{
	(cd "$1" && find . ! -type d | sed 's/^\.//' | LC_ALL=C sort)
}

# wanted PREFIX LIBDIR: what "make install" is to put there
wanted()
{
	{
		echo "$1/bin/ork"
		printf "$1/include/%s\n" ork.h ork_pack.h ork_quant.h
		printf "$2/%s\n" libork.a libork.so libork.so.0 pkgconfig/libork.pc
		echo "$1/lib/udev/rules.d/60-rknpu-ork.rules"
		if [ -e tools/ork/ork.bash ]; then
			echo "$1/share/bash-completion/completions/ork"
		fi
		for page in Documentation/man/*; do
			echo "$1/share/man/man${page##*.}/${page##*/}"
		done
	} | LC_ALL=C sort
}

run_make install DESTDIR="$dir/usual"
ok $? "installs below DESTDIR" "$dir/out"
wanted /usr/local /usr/local/lib >"$dir/wanted"
files "$dir/usual" >"$dir/installed"
diff "$dir/wanted" "$dir/installed" >"$dir/out"
ok $? "all files are in the usual places" "$dir/out"

run_make install DESTDIR="$dir/other" PREFIX=/opt/npu libdir=/usr/lib/aarch64-linux-gnu
wanted /opt/npu /usr/lib/aarch64-linux-gnu >"$dir/wanted"
files "$dir/other" >"$dir/installed"
diff "$dir/wanted" "$dir/installed" >"$dir/out"
ok $? "PREFIX and libdir are obeyed" "$dir/out"
grep -qx 'libdir=/usr/lib/aarch64-linux-gnu' "$dir/other/usr/lib/aarch64-linux-gnu/pkgconfig/libork.pc"
ok $? "pkg-config tells where libdir is" "$dir/other/usr/lib/aarch64-linux-gnu/pkgconfig/libork.pc"

PKG_CONFIG_PATH=$dir/usual/usr/local/lib/pkgconfig
PKG_CONFIG_SYSROOT_DIR=$dir/usual
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
version=$(awk '/define ORK_VERSION_/ { printf "%s%s", dot, $3; dot = "." }' lib/include/ork.h)
[ "$(pkg-config --modversion libork)" = "$version" ]
ok $? "pkg-config knows the version of the header"

# shellcheck disable=SC2046 # one word per flag
${CC:-gcc} -Wall -Werror -o "$dir/chain" examples/chain.c $(pkg-config --cflags --libs libork) -lm >"$dir/out" 2>&1 &&
	LD_LIBRARY_PATH=$dir/usual/usr/local/lib "$dir/chain" >>"$dir/out" 2>&1
ok $? "an example is built with pkg-config and the shared library, and runs" "$dir/out"

# shellcheck disable=SC2046
${CC:-gcc} -Wall -Werror -o "$dir/chain" examples/chain.c $(pkg-config --cflags libork) \
	"$dir/usual/usr/local/lib/libork.a" -ldrm -lm >"$dir/out" 2>&1 && "$dir/chain" >>"$dir/out" 2>&1
ok $? "an example is built with the static library, and runs" "$dir/out"

"$dir/usual/usr/local/bin/ork" matmul -m 3 -k 64 -n 32 --verify >"$dir/out" 2>&1
ok $? "the installed command finds its library and computes" "$dir/out"

run_make uninstall DESTDIR="$dir/usual" && [ -z "$(files "$dir/usual")" ]
ok $? "uninstall leaves no file" "$dir/out"

finish
