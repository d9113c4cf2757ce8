#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Shapes that language models use, on one and on three cores, each checked against the CPU
# reference. Runs here and on the board, where there is only busybox.
#
# usage: demo.sh ORK    on the device that ORK finds; ORK_DEVICE=model: the model in the process

set -u

ork=$1
failed=0

row() {
	printf '%5s %6s %6s %6s   %-14s %-32s %s\n' "$@"
}

# One line of ork becomes one row of the table.
show() {
	jobs=${4#*jobs per core }
	verify=${4#*verify }
	cores=$5
	row "$1" "$2" "$3" "$cores" "${jobs%%,*}" "${verify%,*}" "${4##*, }"
}

multiply() {
	if line=$("$ork" matmul -m "$1" -k "$2" -n "$3" --cores "$4" --verify); then
		show "$1" "$2" "$3" "$line" "$4"
	else
		echo "M=$1 K=$2 N=$3 on $4 cores failed: $line"
		failed=1
	fi
}

row M K N cores 'jobs per core' 'against the CPU reference' 'time'
for cores in 1 3; do
	multiply 1 2048 6144 "$cores"
	multiply 1 6144 2048 "$cores"
	multiply 64 2048 2048 "$cores"
	multiply 16 3584 18944 "$cores"
	multiply 128 4096 4096 "$cores"
	multiply 1 768 1792 "$cores"
	multiply 7 768 1792 "$cores"
	multiply 7 1792 768 "$cores"
done
exit $failed
