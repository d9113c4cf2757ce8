#!/bin/bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Fills a folder with what Sphinx reads: the pages of this folder, the reference of the ioctls from the comments in their
# header, and a page for each man page.
#
# usage: generate.sh KERNEL_DOC FOLDER     KERNEL_DOC: scripts/kernel-doc of the kernel's source

set -euo pipefail

kernel_doc=$1
out=$2
here=$(cd "$(dirname "$0")" && pwd)

# title NAME: underlined
title() {
	printf '%s\n%s\n\n' "$1" "${1//?/=}"
}

# man_page FILE: mandoc knows the format; its HTML is taken as it is
man_page() {
	local file name
	file=$(basename "$1")
	name="${file%.*}(${file##*.})"

	mandoc -T html -O fragment -W warning,stop "$1" > "$out/man/$file.html"
	{
		title "$name"
		printf '.. raw:: html\n   :file: %s.html\n' "$file"
	} > "$out/man/$file.rst"
}

rm -rf "$out"
mkdir -p "$out"
cp -r "$here"/*.rst "$here/conf.py" "$here/pictures" "$out/"

mkdir "$out/man"
for page in "$here"/man/*.[1-9]; do
	man_page "$page"
done

perl "$kernel_doc" -Werror -rst -sphinx-version 5.3.0 "$here/../uapi/drm/rknpu_ork.h" > "$out/uapi-generated.txt"
