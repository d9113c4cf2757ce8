#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# The shared library exports what its headers declare and nothing else, every call has a manual page, and the examples run.
# usage: test_symbols.sh BUILD    the folder with lib/ and examples/

set -u

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"

build=${1:?usage: test_symbols.sh BUILD}
ORK_DEVICE=model
export ORK_DEVICE
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

grep -hv '^ \*' lib/include/*.h | grep -o 'ork_[a-z0-9_]*(' | tr -d '(' | sort -u >"$dir/declared"
nm -D --defined-only "$build/lib/libork.so" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort >"$dir/exported"
diff "$dir/declared" "$dir/exported" >"$dir/difference"
ok $? "exported and declared functions are the same" "$dir/difference"
[ -s "$dir/declared" ]
ok $? "there are some"

# Pages name their calls in the section NAME.
sed -n '/^\.SH NAME/,/^\.SH SYNOPSIS/p' Documentation/man/*.3 | grep -o 'ork_[a-z0-9_]*' | sort >"$dir/documented"
diff "$dir/declared" "$dir/documented" >"$dir/difference"
ok $? "every function is named by one manual page" "$dir/difference"

if command -v man >/dev/null && command -v groff >/dev/null; then
	for page in Documentation/man/*; do
		LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings=w -l "$page" >/dev/null 2>"$dir/warnings"
		[ ! -s "$dir/warnings" ]
		ok $? "$page has no errors" "$dir/warnings"
	done
fi

for example in "$build"/examples/*; do
	"$example" >"$dir/out" 2>&1
	ok $? "${example##*/} runs" "$dir/out"
done

if command -v valgrind >/dev/null; then
	valgrind -q --error-exitcode=9 --leak-check=full "$build/examples/quantised" >"$dir/out" 2>&1
	ok $? "valgrind finds no fault and no leak" "$dir/out"
fi

finish
