#!/bin/bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# The device-tree binding is in order and describes the emulated board, and the overlays do what they are for: on the
# board's trees and, where the kernel's source is there, on the tree of a real board.
#
# usage: test_dt.sh BUILD SOURCE
#	BUILD has the trees of the board and the overlays (formats.mk); SOURCE is the kernel's source or missing

set -u

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"

build=${1:?usage: test_dt.sh BUILD SOURCE}
source=${2:?usage: test_dt.sh BUILD SOURCE}
bindings=Documentation/devicetree/bindings
schema=$bindings/npu/rockchip,rk3588-rknpu.yaml
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# violations SCHEMA TREE [FILTER]: what the schemas with this in their names find, but for lines with FILTER, in $dir/out;
# 0 is nothing
violations() {
	dt-validate -m -l "$1" -s "$dir/schemas" "$2" 2>&1 | grep -v 'From schema' | grep -vE "${3:-^$}" >"$dir/out"
	[ ! -s "$dir/out" ]
}

# refused NAME PROPERTY VALUE...: the vendor's node with this change is found to be wrong. With no value the property goes.
refused() {
	local name=$1 property=$2 type=s
	shift 2

	case ${1-} in [0-9]*) type=u ;; esac
	cp "$build/rk3588-npu-vendor.dtb" "$dir/changed.dtb"
	if [ $# -eq 0 ]; then
		fdtput -d "$dir/changed.dtb" /npu@fdab0000 "$property"
	else
		fdtput -t $type "$dir/changed.dtb" /npu@fdab0000 "$property" "$@"
	fi
	if violations rk3588-rknpu "$dir/changed.dtb"; then
		ok 1 "$name is refused" "$dir/out"
	else
		ok 0 "$name is refused"
	fi
}

# status TREE NODE...: of each, one a line
status() {
	local tree=$1 node
	shift

	for node; do
		fdtget "$tree" "$node" status
	done | sort -u
}

test_schema() {
	dt-doc-validate -u $bindings $schema >"$dir/out" 2>&1 && [ ! -s "$dir/out" ]
	ok $? "the binding follows the rules for bindings" "$dir/out"

	{ dt-extract-example $schema && cat; } <<-'END' >"$dir/example.dts"
		/ { gic: gic { interrupt-controller; #interrupt-cells = <3>; }; cru: cru { #clock-cells = <1>; #reset-cells = <1>; };
		scmi_clk: scmi { #clock-cells = <1>; }; power: power { #power-domain-cells = <1>; };
		rknpu_mmu: mmu { #iommu-cells = <0>; }; vdd_npu_s0: vdd { }; };
	END
	sed -i 's/interrupt-parent = <&fake_intc0>;/interrupt-parent = <\&gic>;/' "$dir/example.dts"
	dtc -q -I dts -O dtb -o "$dir/example.dtb" "$dir/example.dts" >"$dir/out" 2>&1 && violations rk3588-rknpu "$dir/example.dtb"
	ok $? "its example follows it" "$dir/out"
}

test_board() {
	violations rk3588-rknpu "$build/rk3588-npu-vendor.dtb"
	ok $? "the board's tree with the vendor's node follows it" "$dir/out"

	refused "a core without an interrupt" interrupt-names npu0_irq npu1_irq
	refused "another order of the clocks" clock-names aclk0 clk_npu aclk1 aclk2 hclk0 hclk1 hclk2 pclk
	refused "a tree without resets" resets
	refused "a clock that the firmware hangs at" assigned-clock-rates 1000000000
	refused "an unknown property" rockchip,turbo yes
}

test_overlays() {
	local tree

	for tree in mainline vendor; do
		[ "$(status "$build/disabled-$tree.dtb" /npu@fdab0000 /iommu@fdab9000)" = disabled ] &&
			[ "$(status "$build/enabled-$tree.dtb" /npu@fdab0000 /iommu@fdab9000)" = okay ]
		ok $? "the overlay for the $tree tree enables the NPU" "$dir/out"
	done
	[ "$(status "$build/enabled-mainline.dtb" /npu@fda{b,c,d}0000 /iommu@fda{b9,ca,da}000)" = okay ]
	ok $? "all cores of the mainline tree" "$dir/out"
	violations rk3588-rknpu "$build/enabled-vendor.dtb"
	ok $? "the vendor's node follows the binding then" "$dir/out"
}

# The board lacks supplies (rk3588-npu.dts says why) and has operating points that mainline does not know.
test_mainline_schemas() {
	violations rockchip "$build/rk3588-npu.dtb" "'(npu|sram)-supply' is a required property"
	ok $? "the board's tree with mainline's nodes follows mainline's bindings but for its supplies" "$dir/out"
	violations rockchip "$build/rk3588-npu-opp.dtb" "'sram-supply' is a required property|'operating-points-v2' does not match"
	ok $? "the one with operating points follows them but for these" "$dir/out"
	violations rockchip "$build/enabled-mainline.dtb"
	ok $? "with the overlay the supplies are there as well" "$dir/out"
}

# as_source TREE
as_source() {
	dtc -q -s -I dtb -O dts "$1"
}

# real_tree BOARD: compiles mainline's tree of a board
real_tree() {
	local dts=$source/arch/arm64/boot/dts/rockchip

	cpp -nostdinc -undef -D__DTS__ -x assembler-with-cpp -I "$source/include" -I "$dts" "$dts/$1.dts" 2>"$dir/out" |
		dtc -@ -q -I dts -O dtb -o "$dir/$1.dtb" - >>"$dir/out" 2>&1
	ok $? "mainline's tree of $1 compiles" "$dir/out"
}

# The NPU of a Rock 5B is enabled in mainline. The overlay makes the same tree of one where it is not.
test_enabled_board() {
	local real=$dir/rk3588-rock-5b.dtb node

	real_tree rk3588-rock-5b
	cp "$real" "$dir/without.dtb"
	for node in /npu@fda{b,c,d}0000; do
		fdtput -d "$dir/without.dtb" "$node" npu-supply sram-supply
	done
	fdtput -d "$dir/without.dtb" /power-management@fd8d8000/power-controller/power-domain@8 domain-supply
	for node in /npu@fda{b,c,d}0000 /iommu@fda{b9,ca,da}000; do
		fdtput -t s "$dir/without.dtb" "$node" status disabled
	done
	! diff <(as_source "$real") <(as_source "$dir/without.dtb") >/dev/null
	ok $? "without its NPU it is another" "$dir/out"
	fdtoverlay -i "$dir/without.dtb" -o "$dir/with.dtb" "$build/rk3588-npu-mainline.dtbo" >"$dir/out" 2>&1 &&
		diff <(as_source "$real") <(as_source "$dir/with.dtb") >>"$dir/out" 2>&1
	ok $? "the overlay makes the same of it as mainline does" "$dir/out"
}

# That of a Rock 5A is not.
test_disabled_board() {
	real_tree rk3588s-rock-5a
	[ "$(status "$dir/rk3588s-rock-5a.dtb" /npu@fda{b,c,d}0000 /iommu@fda{b9,ca,da}000)" = disabled ] &&
		fdtoverlay -i "$dir/rk3588s-rock-5a.dtb" -o "$dir/with.dtb" "$build/rk3588-npu-mainline.dtbo" >"$dir/out" 2>&1 &&
		[ "$(status "$dir/with.dtb" /npu@fda{b,c,d}0000 /iommu@fda{b9,ca,da}000)" = okay ]
	ok $? "the overlay enables its NPU" "$dir/out"
	violations rockchip "$dir/with.dtb"
	ok $? "it follows mainline's bindings then" "$dir/out"
}

mkdir "$dir/bindings"
cp "$schema" "$dir/bindings/"
if [ -e "$source/recipe" ]; then
	cp "$source/$bindings/npu/rockchip,rk3588-rknn-core.yaml" "$source/$bindings/iommu/rockchip,iommu.yaml" "$dir/bindings/"
fi
dt-mk-schema -j -o "$dir/schemas" "$dir/bindings"

test_schema
test_board
test_overlays
if [ -e "$source/recipe" ]; then
	test_mainline_schemas
	test_enabled_board
	test_disabled_board
else
	ok 0 "mainline's bindings and boards # SKIP make setup-mainline fetches them"
fi
finish
