#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Copyright 2026 The rknpu-ork authors
#
# The commands of ork that are about a board, on a board in good order. Prints TAP.

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/tap.sh"

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# run ARGS...: ork ARGS with its output in files; sets status
run()
{
	ork "$@" >"$dir/out" 2>"$dir/err"
	status=$?
}

# as_nobody ARGS...: the same by a user without rights; the emulated board has no users
as_nobody()
{
	grep -qs ^nobody: /etc/passwd || echo 'nobody:x:65534:65534::/:/usr/bin/sh' >>/etc/passwd
	su -s "$(which sh)" nobody -c "ork $*" >"$dir/out" 2>"$dir/err"
	status=$?
}

# expect STATUS TEXT NAME: the last run ended so, and TEXT is in what it printed
expect()
{
	[ "$status" -eq "$1" ] && cat "$dir/out" "$dir/err" | grep -qF -- "$2"
	ok $? "$3" "$dir/out" "$dir/err"
}

# remedy CHECK: the command that doctor offers for it, for who is root already
remedy()
{
	awk -v check="$1" '$2 == check { wanted = 1; next } wanted { sub(/^ *-> /, ""); print; exit }' "$dir/out" | sed 's/sudo //g'
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
wait_until test -c /dev/dri/renderD128
run doctor
expect 0 "has all devices" "its remedy mends that"

rmmod rknpu_ork
run doctor
expect 1 "rknpu_ork is installed but not loaded" "doctor sees that the module is not loaded"
sh -c "$(remedy module)"
wait_until test -c /dev/dri/renderD128
run doctor
expect 0 "is loaded" "its remedy mends that"
as_nobody doctor
expect 1 "this user may not open /dev/dri/renderD128" "doctor without root sees that permission is missing"

# point VALUE RESULT: whether the last probe says so
point()
{
	grep -qE "^ +$1  $2" "$dir/out"
}

run probe --timeout 3000 k --from 10720 --to 10816
[ "$status" -eq 0 ] && point 10752 'works$' && point 10784 'hangs$' && point 10816 'hangs$'
ok $? "probe finds the ceiling of K and goes on after each hang" "$dir/out" "$dir/err"
run probe --timeout 3000 --core 2 --type f16 banks --from 3 --to 9 --step 3
[ "$status" -eq 0 ] && point 3 'hangs$' && point 6 'works$' && point 9 'wrong, 128 of 512 elements'
ok $? "probe finds how many banks weights and features need" "$dir/out" "$dir/err"
run probe --timeout 3000 --type i4 reuse --from 128 --to 256 --step 128
[ "$status" -eq 0 ] && point 128 'works$' && point 256 'wrong, [0-9]+ of 1024 elements \((49|50)'
ok $? "probe finds what is left of weights on the chip" "$dir/out" "$dir/err"
run probe --timeout 3000 --json slice --to 64 --step 32
[ "$status" -eq 0 ] && grep -q '"value": 32, "result": "works".*"value": 64, "result": "wrong"' "$dir/out"
ok $? "probe finds that weights of a part of K are not in one place" "$dir/out" "$dir/err"
chmod 666 /dev/dri/renderD128
as_nobody probe k
chmod 600 /dev/dri/renderD128
[ "$status" -eq 3 ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q "for root only" "$dir/err"
ok $? "probe is for root only" "$dir/out" "$dir/err"
run selftest
expect 0 "core 0 alone" "the board computes right after that"

set -- /sys/kernel/debug/dri/*/hang
run regcmd "$1"
expect 1 "no progress" "regcmd reads what debugfs has of the last hang"
expect 1 "BANKS" "and says why"

finish
