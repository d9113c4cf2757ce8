#!/bin/bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Setup step "sparse": the newest that Debian has the source of. Linux 7.3 does
# without the one of Debian 12, which is too old for it.

# shellcheck source=tools/setup/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tools/setup/apt.sh
. "$(dirname "$0")/apt.sh"

RECIPE=1
SUITE=sid

get_sparse() {
	local work version

	apt_ready
	version=$(newest sparse "source:$SUITE")
	say "sparse: source $version"
	work=$(work_dir sparse)
	fetch_source "$work" "sparse=$version"
	# The package names a compiler of its own suite.
	logged sparse-build make -C "$work/tree" CC=gcc sparse
	mkdir "$work/done"
	mv "$work/tree/sparse" "$work/done/"
	echo "$RECIPE" >"$work/done/recipe"
	publish "$work/done" "$(dirname "$ORK_SPARSE")"
	rm -r "$work"
}

if ! is_done "$(dirname "$ORK_SPARSE")" "$RECIPE"; then
	take_lock sparse
	is_done "$(dirname "$ORK_SPARSE")" "$RECIPE" || get_sparse
fi
