#!/bin/bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Setup step "qemu": Debian's QEMU source plus our board, built once per state
# of tools/emulator/{qemu,model}. The build tree stays in the cache, so an edit
# of the model compiles a handful of files.

# shellcheck source=tools/setup/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tools/setup/apt.sh
. "$(dirname "$0")/apt.sh"

RECIPE=1
SERIES=10.0
HOME_DIR=$ORK_CACHE/qemu
TREE=$HOME_DIR/tree
KEPT_BINARIES=6

newest_source() {
	local version

	version=$(versions qemu source:trixie | grep -E "^([0-9]+:)?${SERIES/./\\.}\." | head -n 1) || true
	[ -n "$version" ] || die "source package 'qemu' $SERIES.* is missing in suite trixie"
	printf '%s\n' "$version"
}

# get_source: QEMU's source and the meson that it wants, in $HOME_DIR.
get_source() {
	local work version meson

	apt_ready
	version=$(newest_source)
	meson=$(newest meson bookworm-backports)
	say "qemu: source $version, meson $meson"
	work=$(work_dir qemu)
	fetch_source "$work" "qemu=$version"
	mkdir "$work/download"
	fetch "$work/download" "meson=$meson"
	dpkg -x "$work"/download/meson_*.deb "$work/meson"
	echo "$RECIPE" >"$work/tree/recipe"

	# Binaries are named after the version; it counts from here on.
	publish "$work/meson" "$HOME_DIR/meson"
	publish "$work/tree" "$TREE"
	echo "${version#*:}" >"$HOME_DIR/version"
	rm -r "$work"
}

# apply_overlay: copies our files into the tree. An edit during the copying
# would be built under the wrong name, so the name has to be the same after it.
apply_overlay() {
	local name=

	while [ "$name" != "$ORK_QEMU_DIR" ]; do
		name=$ORK_QEMU_DIR
		logged qemu-overlay sh "$ORK_ROOT/tools/emulator/qemu/apply.sh" \
			"$TREE" "$ORK_ROOT/tools/emulator/model"
		# shellcheck source=tools/setup/paths.sh
		. "$ORK_ROOT/tools/setup/paths.sh"
	done
}

# configure, called through logged, where errexit is off.
# shellcheck disable=SC2317
configure() (
	mkdir -p "$TREE/build" && cd "$TREE/build" || exit 1
	# shellcheck disable=SC2086 # one word per flag
	../configure $ORK_QEMU_FLAGS --python=/usr/bin/python3 || exit 1
	# Remembered last: a configure that was interrupted runs again.
	printf '%s\n' "$ORK_QEMU_FLAGS" >configured
)

is_configured() {
	[ "$(cat "$TREE/build/configured" 2>/dev/null)" = "$ORK_QEMU_FLAGS" ]
}

build() {
	local log=$ORK_CACHE/log/qemu-build.log

	if ! ninja -C "$TREE/build" qemu-system-aarch64 9>&- 2>&1 |
		tee "$log" | ninja_progress qemu; then
		show_log "$log"
		die "qemu does not build"
	fi
}

# publish_binary: the stripped result under the name of its inputs.
publish_binary() {
	local work

	work=$(work_dir qemu)
	strip -o "$work/qemu-system-aarch64" "$TREE/build/qemu-system-aarch64"
	publish "$work" "$ORK_QEMU_DIR"
}

# prune: edits leave a binary each; those that were used last stay.
prune() {
	local old

	find "$HOME_DIR" -mindepth 1 -maxdepth 1 -type d -name '*-????????????????' -printf '%T@ %p\n' |
		sort -rn | tail -n "+$((KEPT_BINARIES + 1))" | cut -d' ' -f2- |
		while read -r old; do
			rm -r "$old"
		done
}

main() {
	export PATH="$HOME_DIR/meson/usr/bin:$PATH"
	export PYTHONPATH="$HOME_DIR/meson/usr/lib/python3/dist-packages"

	if [ -x "$ORK_QEMU" ]; then
		touch "$ORK_QEMU_DIR"
		return
	fi
	take_lock qemu
	is_done "$TREE" "$RECIPE" || get_source
	# The version, and with it the name of the result, may be new.
	# shellcheck source=tools/setup/paths.sh
	. "$ORK_ROOT/tools/setup/paths.sh"
	if [ -x "$ORK_QEMU" ]; then
		return
	fi
	apply_overlay
	say "qemu: building $ORK_QEMU_DIR"
	is_configured || logged qemu-configure configure
	build
	publish_binary
	prune
}

# On one line: this file may change while a long build runs, and bash reads on.
main; exit
