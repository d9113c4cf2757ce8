# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Smallest possible TAP producer for tests in shell, which source it: one ok per behaviour, finish at the end. And a wait
# for what happens in the background.

count=0
failed=0

# ok STATUS NAME FILE...: one test result, named after the behaviour; 0 is success, and the files are shown if it is not
ok()
{
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
		return
	fi
	echo "not ok $count - $2"
	failed=$((failed + 1))
	shift 2
	[ $# -eq 0 ] || sed 's/^/# /' "$@"
}

# wait_until COMMAND...: tries until it succeeds, for a while
wait_until()
{
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || return 1
		sleep 0.1
	done
}

# finish: the plan; its exit status is to be that of the test
finish()
{
	echo "1..$count"
	[ "$failed" -eq 0 ]
}
