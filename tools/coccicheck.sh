#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Runs the kernel's own coccinelle scripts over a folder and prints what they report. Exits with 1 if that is anything.
# Those with a part in OCaml want a compiler of 430 MB and are left out; of the two in Linux 7.3, one looks for pointers
# compared with 0, as sparse does, and the other is for another driver.
#
#	coccicheck.sh SCRIPTS FOLDER

scripts=$1
folder=$2
export folder

# What "make coccicheck MODE=report" does with a script.
# shellcheck disable=SC2016 # for the inner shell
report=$(grep -rlE '^virtual report' --include '*.cocci' "$scripts" | xargs grep -L ':ocaml' | sort | xargs -P 2 -I SCRIPT sh -c '
	# shellcheck disable=SC2046 # options are words
	spatch -D report --no-show-diff --very-quiet --cocci-file SCRIPT \
		$(sed -n "s|^// Options:||p" SCRIPT) --dir "$folder" 2>/dev/null || echo "SCRIPT: does not run"')
report=$(printf '%s\n' "$report" | grep -v '^$')
[ -z "$report" ] || {
	printf '%s\n' "$report"
	exit 1
}
