#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Copyright 2026 The rknpu-ork authors
#
# The driver's files in sysfs and debugfs are those that the documents in the kernel's format name. Runs as root on the
# board.
#
# usage: abi.sh DOCUMENT...

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/tap.sh"

# patterns DOCUMENT...: what they name, for the shell to match
patterns() {
	sed -n 's/^What:[[:space:]]*//p' "$@" | sed 's/\.\.\./*/g; s/<[^>]*>/*/g'
}

# existing: the driver's files; those of DRM itself are not its own.
existing() (
	set +f
	find /sys/bus/platform/drivers/rknpu-ork-core/*/npu[0-9]/ -type f
	for dir in /sys/kernel/debug/dri/*; do
		# A device has other names too, as links.
		if [ ! -L "$dir" ] && grep -q rknpu-ork "$dir/name"; then
			find "$dir" -type f | grep -vE '/(clients|gem_names|name)$'
		fi
	done
)

# found PATTERN
found() (
	set +f
	# shellcheck disable=SC2086 # it is to be matched
	ls -d $1 >/dev/null
)

# documented FILE DOCUMENT...
documented() {
	file=$1
	shift
	for pattern in $(patterns "$@"); do
		# shellcheck disable=SC2254 # a pattern
		case $file in
		$pattern) return 0 ;;
		esac
	done
	return 1
}

set -f
echo "TAP version 13"
for pattern in $(patterns "$@"); do
	found "$pattern"
	ok $? "there is $pattern"
done
for file in $(existing); do
	documented "$file" "$@"
	ok $? "$file is documented"
done
finish
