# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# What every setup step needs: messages, a log, a lock, and a work folder that
# is renamed into place only when it is complete. A step that is interrupted
# leaves nothing that looks finished.

set -euo pipefail
shopt -s inherit_errexit

ORK_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tools/setup/paths.sh
. "$ORK_ROOT/tools/setup/paths.sh"

say() {
	printf 'setup: %s\n' "$*" >&2
}

die() {
	say "$@"
	exit 1
}

# kbuild and make split paths at blanks.
case $ORK_CACHE in
*[[:space:]]*) die "the cache path '$ORK_CACHE' holds a blank; set XDG_CACHE_HOME to one without" ;;
/*) ;;
*) die "the cache path '$ORK_CACHE' is not absolute; set XDG_CACHE_HOME" ;;
esac

# take_lock NAME: one process at a time from here to the end of this one.
take_lock() {
	mkdir -p "$ORK_CACHE/lock"
	exec 9>"$ORK_CACHE/lock/$1"
	if ! flock -n 9; then
		say "$1: waiting for another setup to finish"
		flock 9
	fi
}

# work_dir NAME: an empty folder of this step's own. The lock of the same name
# must be held, so what a killed run left there is nobody's.
work_dir() {
	local dir=$ORK_CACHE/tmp/$1

	rm -rf "$dir"
	mkdir -p "$dir"
	printf '%s\n' "$dir"
}

# publish SOURCE TARGET: puts a finished folder in place of an older one.
publish() {
	mkdir -p "$(dirname "$2")"
	rm -rf "$2"
	mv -T "$1" "$2"
}

# is_done DIR RECIPE: DIR was finished by this version of its recipe.
is_done() {
	[ "$(cat "$1/recipe" 2>/dev/null)" = "$2" ]
}

# logged NAME COMMAND...: runs it with its output in a log; shows the end of
# the log when it fails.
logged() {
	local name=$1
	local log=$ORK_CACHE/log/$name.log
	shift

	mkdir -p "$ORK_CACHE/log"
	if ! "$@" >"$log" 2>&1 9>&-; then
		show_log "$log"
		die "$name failed: $*"
	fi
}

show_log() {
	say "last lines of $1:"
	tail -n 40 "$1" >&2
}

# ninja_progress NAME: reads ninja's output, shows "NAME: done/total": on a
# terminal one line that is rewritten, else a line every tenth.
ninja_progress() {
	local tty=0

	[ -t 2 ] && tty=1
	awk -v name="$1" -v tty="$tty" '
		match($0, /^\[[0-9]+\/[0-9]+\]/) {
			split(substr($0, 2, RLENGTH - 2), n, "/")
			tenth = int(10 * n[1] / n[2])
			if (tty)
				printf "\r%s: %d/%d", name, n[1], n[2]
			else if (tenth != last)
				printf "%s: %d/%d\n", name, n[1], n[2]
			last = tenth
			shown = 1
			fflush()
		}
		END { if (tty && shown) printf "\n" }' >&2
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "this needs root and there is no sudo; run as root: $*"
	fi
}
