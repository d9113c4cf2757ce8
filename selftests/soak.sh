#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Copyright 2026 The rknpu-ork authors
#
# What happens to the driver as a whole, again and again, while clients compute (soak, next to this script). Runs as root on
# the board.
#
# usage: soak.sh reload|unbind|suspend COUNT
#
#   reload   the module is unloaded and loaded after each burst of work
#   unbind   a core's device is unbound and bound while clients work
#   suspend  all devices are suspended and resumed while clients work
#
# Prints "# figure NAME.WHAT NUMBER UNIT" for each thing that was counted.

here=$(dirname "$0")
name=$1
count=$2
cores=/sys/bus/platform/drivers/rknpu-ork-core

fail() {
	echo "not ok 1 - $name: $1"
	exit 1
}

# start_soak OPTIONS...: clients in the background, until finish_soak. Their figures lack those of this script.
start_soak() {
	"$here/soak" -n "$name" -t 100000 "$@" > "/tmp/soak.$$" &
	soak=$!
}

finish_soak() {
	kill "$soak"
	wait "$soak"
	status=$?
	cat "/tmp/soak.$$"
	rm "/tmp/soak.$$"
	return $status
}

reload() {
	done=0
	products=0
	while [ $done -lt "$count" ]; do
		"$here/soak" -n "$name" -t 0 > "/tmp/soak.$$" || { cat "/tmp/soak.$$"; return 1; }
		n=$(awk '$3 == "'"$name"'.checked" { print $4 }' "/tmp/soak.$$")
		products=$((products + n))
		rmmod rknpu_ork || return 1
		[ ! -e /dev/dri/renderD128 ] || return 1
		modprobe rknpu_ork || return 1
		[ -e /dev/dri/renderD128 ] || return 1
		done=$((done + 1))
	done
	rm "/tmp/soak.$$"
	echo "# figure $name.checked $products products"
	echo "# figure $name.times $done times"
	echo "ok 1 - $name: every product right, none lost"
}

unbind() {
	set -- "$cores"/*.npu
	device=${1##*/}
	start_soak -g -w 1 -k 1
	done=0
	while [ $done -lt "$count" ]; do
		usleep $((done * 7919 % 300000))
		echo "$device" > $cores/unbind || break
		echo "$device" > $cores/bind || break
		done=$((done + 1))
	done
	sleep 1
	finish_soak || return 1
	echo "# figure $name.times $done times"
	[ $done -eq "$count" ]
}

# The kernel's own test of the drivers' part of a sleep.
suspend() {
	echo platform > /sys/power/pm_test || return 1
	echo 0 > /sys/module/suspend/parameters/pm_test_delay
	start_soak -w 1 -k 1
	done=0
	while [ $done -lt "$count" ]; do
		usleep $((done * 7919 % 300000))
		echo freeze > /sys/power/state || break
		done=$((done + 1))
	done
	echo none > /sys/power/pm_test
	finish_soak || return 1
	echo "# figure $name.times $done times"
	[ $done -eq "$count" ]
}

case $name in
reload | unbind | suspend) $name || fail "it ended after $done of $count" ;;
*) fail "not known" ;;
esac
