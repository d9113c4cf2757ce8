#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Copyright 2026 The rknpu-ork authors
#
# Loads and unloads the module many times, with and without work in between, and looks for what it
# left behind. Runs as root on the board, with the programs of this folder next to it.
#
#	reload.sh [TIMES [WORK]]
#
# WORK is a selftest, and may have arguments; matmul without them.

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/tap.sh"

here=$(dirname "$0")
times=${1:-20}
work=${2:-matmul}

reload_many_times() {
	i=0
	while [ $i -lt "$times" ]; do
		rmmod rknpu_ork || return 1
		[ ! -e /dev/dri/renderD128 ] || return 1
		modprobe rknpu_ork || return 1
		[ -e /dev/dri/renderD128 ] || return 1
		i=$((i + 1))
	done
}

# The cores are still powered and attached to the last address space when the module goes.
reload_after_work() {
	for core in /sys/bus/platform/drivers/rknpu-ork-core/*.npu; do
		echo 60000 > "$core/power/autosuspend_delay_ms" || return 1
	done
	"$here/run.sh" "$work" > /dev/null && rmmod rknpu_ork && modprobe rknpu_ork &&
		"$here/run.sh" "$work" > /dev/null
}

interrupts_are_gone() {
	rmmod rknpu_ork || return 1
	! grep '\.npu' /proc/interrupts
	left=$?
	modprobe rknpu_ork && return $left
}

# The clock framework says which clock failed in the test refuse.
log_is_clean() {
	! dmesg | grep -v '__pm_clk_enable' | grep -E 'WARNING:|BUG:|Oops|refcount|leaked|rknpu-ork.*(error|fail)'
}

# Only kernels that look for leaks can tell.
nothing_leaked() {
	leaks=/sys/kernel/debug/kmemleak
	[ -e $leaks ] || return 0
	rmmod rknpu_ork || return 1
	# It turns itself off when too much was allocated; then it cannot tell.
	echo scan > $leaks || return 1
	sleep 6
	echo scan > $leaks
	! grep -q ork_ $leaks
	left=$?
	[ $left -eq 0 ] || cat $leaks
	modprobe rknpu_ork && return $left
}

echo "TAP version 13"
echo "1..5"
reload_many_times
ok $? "module loads and unloads $times times"
reload_after_work
ok $? "module unloads after work and works after loading"
interrupts_are_gone
ok $? "no interrupt handler stays behind"
nothing_leaked
ok $? "no memory stays behind"
log_is_clean
ok $? "kernel log holds no warning"
[ "$failed" -eq 0 ]
