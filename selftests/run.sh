#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Copyright 2026 The rknpu-ork authors
#
# Runs the named selftests, which lie next to this script, one after another. Exits with 1 if one of
# them failed.
#
#	run.sh TEST...
#	run.sh 'TEST ARGUMENT...' ...

here=$(dirname "$0")
failed=0

for name in "$@"; do
	echo "# $name"
	# shellcheck disable=SC2086 # a test and its arguments
	"$here"/$name || failed=1
done
exit $failed
