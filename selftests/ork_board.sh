#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Copyright 2026 The rknpu-ork authors
#
# The commands of ork that are about a board, on a board in good order. Prints TAP.

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
count=0
failed=0

# ok STATUS NAME: one test result; 0 is success
ok()
{
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		sed 's/^/# /' "$dir/out" "$dir/err"
		failed=$((failed + 1))
	fi
}

# run ARGS...: ork ARGS with its output in files; sets status
run()
{
	ork "$@" >"$dir/out" 2>"$dir/err"
	status=$?
}

# expect STATUS TEXT NAME: the last run ended so, and TEXT is in what it printed
expect()
{
	[ "$status" -eq "$1" ] && cat "$dir/out" "$dir/err" | grep -qF -- "$2"
	ok $? "$3"
}

# remedy CHECK: the command that doctor offers for it, for who is root already
remedy()
{
	awk -v check="$1" '$2 == check { wanted = 1; next } wanted { sub(/^ *-> /, ""); print; exit }' "$dir/out" | sed 's/sudo //g'
}

# settled: whether the render node is there, after a while
settled()
{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -c /dev/dri/renderD128 ] && return
		sleep 1
	done
	return 1
}

run selftest
expect 0 "sysfs agrees with the driver" "selftest passes"

run doctor
expect 0 "3 in service" "doctor finds no fault"
for device in /sys/bus/platform/drivers/rknpu-ork-core/*.npu; do
	device=${device##*/}
done
echo "$device" >/sys/bus/platform/drivers/rknpu-ork-core/unbind
run doctor
expect 1 "$device has no driver" "doctor sees a device without driver"
sh -c "$(remedy driver)" >/dev/null
settled
run doctor
expect 0 "has all devices" "its remedy mends that"

rmmod rknpu_ork
run doctor
expect 1 "rknpu_ork is installed but not loaded" "doctor sees that the module is not loaded"
sh -c "$(remedy module)"
settled
run doctor
expect 0 "is loaded" "its remedy mends that"
# The emulated board has no users.
grep -qs ^nobody: /etc/passwd || echo 'nobody:x:65534:65534::/:/usr/bin/sh' >>/etc/passwd
su -s "$(which sh)" nobody -c 'ork doctor' >"$dir/out" 2>"$dir/err"
status=$?
expect 1 "this user may not open /dev/dri/renderD128" "doctor without root sees that permission is missing"

echo "1..$count"
exit $((failed > 0))
