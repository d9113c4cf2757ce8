#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright 2026 The rknpu-ork authors
#
# Puts the machine rk3588-npu into an extracted QEMU source tree:
#
#	apply.sh QEMU_TREE MODEL_DIR
#
# Everything lives in the tree's hw/rk3588-npu/. Upstream files get one line
# each, appended if it is not there, so that other QEMU versions take the
# overlay as well and running the script again only updates what changed. One
# constant of theirs is another, for speed.

set -eu

if [ $# -ne 2 ]; then
	echo "usage: $0 QEMU_TREE MODEL_DIR" >&2
	exit 2
fi

overlay=$(cd "$(dirname "$0")" && pwd)
tree=$1
model=$2
target=$tree/hw/rk3588-npu

# A file that did not change keeps its time, so that ninja skips it.
update() {
	cmp -s "$1" "$2" || cp "$1" "$2"
}

add_line() {
	grep -qxF "$2" "$1" || printf '\n%s\n' "$2" >> "$1"
}

list_model_sources() {
	echo "npu_model_files = files("
	for source in "$model"/*.c; do
		echo "  '${source##*/}',"
	done
	echo ")"
}

for file in hw/meson.build hw/Kconfig \
		configs/devices/aarch64-softmmu/default.mak; do
	if [ ! -f "$tree/$file" ]; then
		echo "$0: $tree is no QEMU source tree: no $file" >&2
		exit 1
	fi
done
if [ ! -f "$model/npu_model.h" ]; then
	echo "$0: no NPU model in $model" >&2
	exit 1
fi

mkdir -p "$target/model"
# Sources that are gone from the model must not linger in the tree.
for copy in "$target"/model/*.[ch]; do
	[ -f "$model/${copy##*/}" ] || rm -f "$copy"
done
for file in "$overlay"/*.[ch] "$overlay/Kconfig" "$overlay/meson.build"; do
	update "$file" "$target/${file##*/}"
done
for file in "$model"/*.[ch]; do
	update "$file" "$target/model/${file##*/}"
done
list_model_sources > "$target/model/sources.new"
update "$target/model/sources.new" "$target/model/meson.build"
rm "$target/model/sources.new"

add_line "$tree/hw/meson.build" "subdir('rk3588-npu')"
add_line "$tree/hw/Kconfig" "source rk3588-npu/Kconfig"
add_line "$tree/configs/devices/aarch64-softmmu/default.mak" \
	"CONFIG_RK3588_NPU=y"

# A kernel with KASAN jumps between more places than this cache of translated
# code holds: with four times the entries the board is a quarter faster.
jump_cache=$tree/accel/tcg/tb-jmp-cache.h
if grep -qxF '#define TB_JMP_CACHE_BITS 12' "$jump_cache"; then
	sed -i 's/^#define TB_JMP_CACHE_BITS 12$/#define TB_JMP_CACHE_BITS 14/' \
		"$jump_cache"
fi
