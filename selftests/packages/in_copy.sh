#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Runs COMMAND as root in a copy of this machine: an overlay over its root file system, whose changes are in memory and
# are gone in the end. Packages are installed there without a trace on the machine, and $ORK_CHANGES is the folder with
# all that has changed. Each DIR is in the copy as it is here. MODULES, the modules of a kernel, are in the copy as those
# of the kernel RELEASE; what is changed there is not in $ORK_CHANGES.
#
# usage: in_copy.sh MODULES RELEASE DIR... -- COMMAND [ARGUMENT...]

set -eu

if [ "${1-}" != --inside ]; then
	if [ "$(id -u)" = 0 ]; then
		exec unshare --mount --propagation private "$0" --inside "$@"
	fi
	exec sudo -E unshare --mount --propagation private "$0" --inside "$@"
fi
shift

# A folder that every Debian has; what lies there shows through no more, here alone.
place=/mnt
mount -t tmpfs tmpfs "$place"
modules=$1
release=$2
shift 2

# overlay LOWER NAME TARGET
overlay()
{
	mkdir -p "$place/$2" "$place/$2.work" "$3"
	mount -t overlay overlay -o "lowerdir=$1,upperdir=$place/$2,workdir=$place/$2.work" "$3"
}

overlay / changes "$place/root"
overlay "$(realpath "$modules")" modules.changes "$place/root/lib/modules/$release"
for dir in /proc /sys /dev; do
	mount --rbind "$dir" "$place/root$dir"
done
mount -t tmpfs tmpfs "$place/root/tmp"
while [ "$1" != -- ]; do
	mkdir -p "$place/root$1"
	mount --bind "$1" "$place/root$1"
	shift
done
shift
mkdir "$place/root/tmp/changes"
mount --bind "$place/changes" "$place/root/tmp/changes"

status=0
ORK_CHANGES=/tmp/changes chroot "$place/root" "$@" || status=$?
exit $status
