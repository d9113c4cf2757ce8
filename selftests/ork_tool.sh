#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Copyright 2026 The rknpu-ork authors
#
# The ork command where it needs the driver: what it tells of it, and what it says when the NPU cannot be
# used. Runs as root on the board, with ork in the path.

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/tap.sh"

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

run() {
	"$@" > "$dir/out" 2> "$dir/err"
	status=$?
}

# refused TEXT NAME: the last command ended with 3, nothing on stdout and one line that has TEXT
refused() {
	[ $status -eq 3 ] && [ ! -s "$dir/out" ] && [ "$(wc -l < "$dir/err")" -eq 1 ] && grep -qF -- "$1" "$dir/err"
	ok $? "$2" "$dir/out" "$dir/err"
}

# as_nobody ARGS...: ork ARGS, by a user without rights
as_nobody() {
	grep -q '^nobody:' /etc/passwd || echo 'nobody:x:65534:65534::/:/bin/sh' >> /etc/passwd
	run start-stop-daemon -S -c nobody:65534 -x "$(command -v ork)" -- "$@"
}

# says PATTERN NAME: the last command succeeded and printed a line that matches
says() {
	[ $status -eq 0 ] && [ ! -s "$dir/err" ] && grep -qE -- "$1" "$dir/out"
	ok $? "$2" "$dir/out" "$dir/err"
}

info() {
	ork matmul -m 8 -k 256 -n 96 --cores 3 > "$dir/out" 2> "$dir/err"
	run ork info
	says '^module +rknpu_ork [0-9]+\.' "info tells the version of the module"
	says '^clock +[0-9]+ MHz, limits [0-9]+ to [0-9]+ MHz, governor [a-z_]+$' "and the clock"
	says '^address spaces +1 of all' "and address spaces"
	says '^core 2 +[1-9][0-9]* jobs done, .*, ok, (powered|off), busy for [0-9]+\.[0-9]' "and cores"
	run ork info --json
	says '"vms": 1, .*"clients": 1, .*"state": "ok", "busy_ns": [1-9]' "as JSON too"
	chmod 666 /dev/dri/renderD128
	as_nobody info --json
	says '"clock_hz": [1-9].*"vms": null, .*"clients": 1, .*"hidden_processes": true.*"busy_ns": [1-9]' \
		"what only root may read is unknown to others"
	chmod 600 /dev/dri/renderD128
}

# jobs_done: by all cores
jobs_done() {
	cat /sys/bus/platform/drivers/rknpu-ork-core/*/npu*/jobs | awk '{ sum += $1 } END { print sum }'
}

has_worked() {
	[ "$(jobs_done)" -gt "$before" ]
}

# Work in the background while ork top looks at it.
top() {
	before=$(jobs_done)
	ork matmul -m 64 -k 2048 -n 2048 --cores 2 --repeat 100000 > "$dir/work" 2>&1 &
	work=$!
	wait_until has_worked
	run ork top -n 2 -d 0.5
	says "^ +$work +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[1-9][0-9]* .*  ork\$" "top shows the process that works"
	[ "$(grep -c '^core 1 ' "$dir/out")" -eq 2 ]
	ok $? "as often as is asked for" "$dir/out" "$dir/err"
	run ork top -b -n 1 --json
	says "\"load\": (0\\.[0-9]+|1), \"jobs\": .*\"pid\": $work, \"name\": \"ork\", \"load\": \\[(0\\.[0-9]|1)" "as JSON too"
	kill $work
	wait $work 2> /dev/null
}

permissions() {
	node=/dev/dri/renderD128
	chown 0:0 $node && chmod 600 $node
	as_nobody info
	refused "sudo chgrp render $node && sudo chmod g+rw $node" "a node of root is to get a group"
	grep -q '^render:' /etc/group || echo 'render:x:105:' >> /etc/group
	chgrp render $node && chmod 660 $node
	as_nobody info
	refused 'sudo usermod -aG render ' "the user is to join the node's group"
	chown 0:0 $node && chmod 600 $node
}

hang() {
	# The largest tasks, which take longer than a millisecond and the kernel's tick.
	run ork matmul -m 128 -k 2048 -n 8192 --cores 1 --timeout 1 --repeat 100
	refused "give a slow one a longer timeout" "a job that timed out is to get more time"
}

without_driver() {
	for core in /sys/bus/platform/drivers/rknpu-ork-core/*.npu; do
		echo "${core##*/}" > /sys/bus/platform/drivers/rknpu-ork-core/unbind
	done
	run ork info
	refused "did not take the NPU: sudo dmesg" "a driver without device sends to the log"
	rmmod rknpu_ork
	run ork top
	refused "is not loaded: sudo modprobe rknpu_ork" "top says what is missing"
	run ork info
	refused "is not loaded: sudo modprobe rknpu_ork" "the module is to be loaded"
	modprobe rknpu_ork
	run ork info
	[ $status -eq 0 ]
	ok $? "which helps" "$dir/out" "$dir/err"
}

echo "TAP version 13"
info
top
permissions
hang
without_driver
finish
