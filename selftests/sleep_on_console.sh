#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Copyright 2026 The rknpu-ork authors
#
# Runs the selftest "sleep" on a board with the named kernel and takes the result from the console. Linux 7.3 does not
# bring the ports to the host back after a sleep: its virtio_console asks for their state before it gives the device a
# buffer for the answer, so that QEMU drops it.
#
#	sleep_on_console.sh KERNEL

board=$(dirname "$0")/../tools/emulator/ork-board
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# It never hears the end of the command; what it says about complaints counts.
"$board" run --kernel "$1" --no-complaints --log "$log" --timeout 300 -- \
	sh -c '/usr/libexec/selftests/sleep > /dev/kmsg 2>&1; poweroff -f' 2>&1 | grep 'complained' && exit 1
grep -oE '((not )?ok [0-9]+ |# (PASSED|FAILED)).*' "$log"
grep -q '# PASSED' "$log"
