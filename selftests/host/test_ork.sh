#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# The ork command on the in-process model: results, exit statuses, messages, and that failures leave no file behind.
# usage: test_ork.sh BUILD    the folder with bin/ork

set -u

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"

ORK=${1:?usage: test_ork.sh BUILD}/bin/ork
ORK_DEVICE=model
export ORK_DEVICE
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# run ARGS...: ork ARGS with its output in files; sets status
run()
{
	"$ORK" "$@" >"$dir/out" 2>"$dir/err"
	status=$?
}

# expect STATUS TEXT NAME: the last run ended so, and TEXT is in what it printed
expect()
{
	[ "$status" -eq "$1" ] && cat "$dir/out" "$dir/err" | grep -qF -- "$2"
	ok $? "$3" "$dir/out" "$dir/err"
}

# whether the output file, or a temporary one beside it, exists
output_exists()
{
	set -- "$dir"/out.npy*
	[ -e "$1" ]
}

# refuse STATUS TEXT NAME ARGS...: ork fails with one line on stderr, nothing on stdout and no output file
refuse()
{
	want=$1 text=$2 name=$3
	shift 3
	rm -f "$dir"/out.npy*
	run "$@"
	[ "$status" -eq "$want" ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" -eq 1 ] &&
		grep -qF -- "$text" "$dir/err" && ! output_exists
	ok $? "$name" "$dir/out" "$dir/err"
}

# npy FILE DESCR ORDER SHAPE BYTES: a NumPy file of version 1; BYTES as for printf %b
npy()
{
	printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '$2', 'fortran_order': $3, 'shape': $4, }" >"$1"
	printf '%b' "$5" >>"$1"
}

run --help
expect 0 "usage: ork COMMAND" "--help explains the command"
run --version
expect 0 "libork 0.1.0" "--version names the library"
"$ORK" --version >"$dir/out"
here=$(dirname "$0")
grep -q "^MODULE_VERSION(\"$(sed 's/.* //' "$dir/out")\");" "$here/../../drivers/rknpu-ork/ork_drv.c"
ok $? "which is that of the module" "$dir/out" "$dir/err"
run help matmul
expect 0 "usage: ork matmul" "help matmul explains the options"
run info
expect 0 "cores            3 (mask 0x7)" "info tells the cores"

run selftest
expect 0 "ok 1 - core 0 alone: int8 to int32" "selftest passes on the model"
[ "$(grep -c '^ok' "$dir/out")" -eq "$(sed -n 's/^1\.\.//p' "$dir/out")" ]
ok $? "every test of it does" "$dir/out" "$dir/err"
refuse 3 "in-process model is not supported" "probe needs the driver" probe k
refuse 2 "no sweep \"z\"" "a sweep that is not there" probe z
refuse 2 "multiples of 32" "a K that is none" probe k --from 33
refuse 2 "at most 11" "more banks than there are" probe banks --to 12
run selftest --device /dev/null
expect 3 "cannot open device" "selftest without a device is an error"

for cores in 1 2 3 auto; do
	run matmul -m 7 -k 768 -n 640 --cores $cores --verify
	expect 0 "verify ok (0 of 4480 elements wrong)" "M=7 K=768 N=640 is exact with --cores $cores"
done
run matmul -m 3 -k 10300 -n 50 --verify
expect 0 "verify ok (0 of 150 elements wrong)" "K=10300 is exact"
run matmul -m 64 -k 2048 -n 2048 --explain
expect 0 "cores: 3, each core takes columns of C; estimates:" "--explain tells cores and costs"
expect 0 "banks: 4 features, 8 weights of 12" "--explain tells on-chip banks"
run matmul -m 64 -k 512 -n 384 --cores 3 --verify --repeat 3 --seed 42
expect 0 "3 cores, jobs per core 3/3/3, verify ok" "three cores do equal numbers of jobs"
[ "$(wc -l <"$dir/out")" -eq 1 ]
ok $? "the summary is one line" "$dir/out" "$dir/err"

# [1 2; 3 4] * [5 -6 7; -8 9 10] = [-11 12 27; -17 18 61]
npy "$dir/a.npy" '|i1' False '(2, 2)' '\0001\0002\0003\0004'
npy "$dir/b.npy" '|i1' False '(2, 3)' '\0005\0372\0007\0370\0011\0012'
run matmul --a "$dir/a.npy" --b "$dir/b.npy" -o "$dir/c.npy" --verify
expect 0 "M=2 K=2 N=3" "files are multiplied"
tail -c 24 "$dir/c.npy" | od -An -v -td4 | tr -s ' \n' ' ' >"$dir/values"
[ "$(cat "$dir/values")" = " -11 12 27 -17 18 61 " ]
ok $? "the written result is right" "$dir/out" "$dir/err"
set -- "$dir"/c.npy*
[ "$*" = "$dir/c.npy" ]
ok $? "only the result is left" "$dir/out" "$dir/err"

for type in i8 i8q i4 f16 f16f16 bf16; do
	run matmul -m 5 -k 700 -n 90 --type $type --verify
	expect 0 "verify ok (0 of 450 elements wrong)" "--type $type is exact"
done
run matmul -m 2 -k 3000 -n 3 --type i8q --requant 1,0,0 --verify
expect 0 "int8 to int8: model, " "--requant is used"

# [1 2; 3 4] * [1 0.5; -2 1] = [-3 2.5; -5 5.5]
npy "$dir/a.npy" '<f2' False '(2, 2)' '\0000\0074\0000\0100\0000\0102\0000\0104'
npy "$dir/b.npy" '<f2' False '(2, 2)' '\0000\0074\0000\0070\0000\0300\0000\0074'
run matmul --a "$dir/a.npy" --b "$dir/b.npy" -o "$dir/c.npy" --type f16 --verify
tail -c 16 "$dir/c.npy" | od -An -v -tf4 | tr -s ' \n' ' ' >"$dir/values"
[ "$status" -eq 0 ] && grep -q '<f4' "$dir/c.npy" && [ "$(cat "$dir/values")" = " -3 2.5 -5 5.5 " ]
ok $? "float16 files give a float32 file" "$dir/out" "$dir/err"
run matmul --a "$dir/a.npy" --b "$dir/b.npy" -o "$dir/c.npy" --type f16f16 --verify
tail -c 8 "$dir/c.npy" | od -An -v -tx2 | tr -s ' \n' ' ' >"$dir/values"
[ "$status" -eq 0 ] && grep -q '<f2' "$dir/c.npy" && [ "$(cat "$dir/values")" = " c200 4100 c500 4580 " ]
ok $? "or a float16 file" "$dir/out" "$dir/err"
npy "$dir/a.npy" '<f4' False '(1, 2)' '\0000\0000\0200\0077\0000\0000\0000\0100'
npy "$dir/b.npy" '<f4' False '(2, 1)' '\0000\0000\0000\0100\0000\0000\0200\0277'
run matmul --a "$dir/a.npy" --b "$dir/b.npy" -o "$dir/c.npy" --type bf16 --verify
tail -c 4 "$dir/c.npy" | od -An -v -tf4 | tr -s ' \n' ' ' >"$dir/values"
[ "$status" -eq 0 ] && [ "$(cat "$dir/values")" = " 0 " ]
ok $? "bfloat16 is read from float32 files" "$dir/out" "$dir/err"
npy "$dir/a.npy" '|i1' False '(1, 1)' '\0010'
npy "$dir/b.npy" '|i1' False '(1, 1)' '\0001'
run matmul --a "$dir/a.npy" --b "$dir/b.npy" --type i4
expect 2 "values outside -8..7" "int4 files with other values are refused"
npy "$dir/a.npy" '|i1' False '(1, 1)' '\0370'
run matmul --a "$dir/a.npy" --b "$dir/b.npy" -o "$dir/c.npy" --type i4 --verify
expect 0 "verify ok" "int4 files are int8 files"

npy "$dir/a.npy" '|i1' False '(2, 2)' '\0001\0002\0003\0004'
npy "$dir/b.npy" '|i1' False '(2, 3)' '\0005\0372\0007\0370\0011\0012'
out=$dir/out.npy
refuse 2 "No such file" "a missing file" matmul --a "$dir/none.npy" --b "$dir/b.npy" -o "$out"
echo "not numpy" >"$dir/bad.npy"
refuse 2 "not a NumPy file" "a file of another format" matmul --a "$dir/bad.npy" --b "$dir/b.npy" -o "$out"
npy "$dir/bad.npy" '|i1' True '(2, 2)' '\0001\0002\0003\0004'
refuse 2 "Fortran order" "Fortran order" matmul --a "$dir/bad.npy" --b "$dir/b.npy" -o "$out"
npy "$dir/bad.npy" '<f4' False '(1, 1)' '\0001\0002\0003\0004'
refuse 2 "<f4" "another type" matmul --a "$dir/bad.npy" --b "$dir/b.npy" -o "$out"
npy "$dir/bad.npy" '|i1' False '(2, 2)' '\0001\0002\0003'
refuse 2 "truncated" "a truncated file" matmul --a "$dir/bad.npy" --b "$dir/b.npy" -o "$out"
npy "$dir/bad.npy" '|i1' False '(2, 2)' '\0001\0002\0003\0004\0005'
refuse 2 "more bytes" "a file with more bytes than its shape" matmul --a "$dir/bad.npy" --b "$dir/b.npy" -o "$out"
npy "$dir/bad.npy" '|i1' False '(4,)' '\0001\0002\0003\0004'
refuse 2 "1 dimension" "a vector" matmul --a "$dir/bad.npy" --b "$dir/b.npy" -o "$out"
npy "$dir/bad.npy" '|i1' False '(1, 4)' '\0001\0002\0003\0004'
refuse 2 "shapes do not fit" "shapes that do not fit" matmul --a "$dir/bad.npy" --b "$dir/b.npy" -o "$out"
refuse 2 "cannot write" "an output directory that does not exist" \
	matmul --a "$dir/a.npy" --b "$dir/b.npy" -o "$dir/none/out.npy"
refuse 2 "not a regular file" "an output that is a directory" matmul --a "$dir/a.npy" --b "$dir/b.npy" -o "$dir"
refuse 2 "not a regular file" "an output that is a device" matmul --a "$dir/a.npy" --b "$dir/b.npy" -o /dev/null
[ -c /dev/null ]
ok $? "the device is still there" "$dir/out" "$dir/err"

refuse 2 "-k takes a number" "K above the limit" matmul -m 1 -k 1048577 -n 1 -o "$out"
refuse 2 "--type takes" "an unknown type" matmul -m 1 -k 1 -n 1 --type f64 -o "$out"
refuse 2 "--requant takes" "an incomplete conversion" matmul -m 1 -k 1 -n 1 --type i8q --requant 1,2 -o "$out"
refuse 2 "--requant is for" "a conversion of another type" matmul -m 1 -k 1 -n 1 --requant 1,2,3 -o "$out"
refuse 2 "shift is above 63" "a shift that is too large" matmul -m 1 -k 1 -n 1 --type i8q --requant 1,64,0 -o "$out"
refuse 2 "-m takes a number" "M of 0" matmul -m 0 -k 1 -n 1 -o "$out"
refuse 2 "-k takes a number" "a negative K" matmul -m 1 -k -5 -n 1 -o "$out"
refuse 2 "-n takes a number" "N with a unit" matmul -m 1 -k 1 -n 1k -o "$out"
refuse 2 "-n takes a number" "a huge N" matmul -m 1 -k 1 -n 99999999999999999999 -o "$out"
refuse 2 "a shape" "an incomplete shape" matmul -m 1 -k 1 -o "$out"
refuse 2 "belong together" "A without B" matmul --a "$dir/a.npy" -o "$out"
refuse 2 "come from the files" "files and a shape" matmul --a "$dir/a.npy" --b "$dir/b.npy" -m 2 -o "$out"
refuse 2 "--cores takes" "four cores" matmul -m 1 -k 1 -n 1 --cores 4 -o "$out"
refuse 2 "--cores takes" "cores in words" matmul -m 1 -k 1 -n 1 --cores all -o "$out"
refuse 2 "--repeat takes" "no repetition" matmul -m 1 -k 1 -n 1 --repeat 0 -o "$out"
refuse 2 "timeout of 4000000 ms" "a timeout above the maximum" matmul -m 1 -k 1 -n 1 --timeout 4000000 -o "$out"
refuse 2 "needs a value" "an option without value" matmul -m 1 -k 1 -n
refuse 2 "wrong option" "an unknown option" matmul -m 1 -k 1 -n 1 --fast -o "$out"
refuse 2 "unexpected argument" "an argument too many" matmul -m 1 -k 1 -n 1 more -o "$out"
refuse 2 "unknown command" "an unknown command" multiply
refuse 2 "command is missing" "no command"
refuse 2 "no help" "help for an unknown command" help multiply
refuse 3 "cannot open device" "a device that does not exist" matmul -m 1 -k 1 -n 1 --device /nonexistent -o "$out"
refuse 3 "cannot open device" "a device of another driver" info --device /dev/null

# An older result survives a failed run.
echo old >"$dir/kept.npy"
run matmul --a "$dir/none.npy" --b "$dir/b.npy" -o "$dir/kept.npy"
[ "$status" -eq 2 ] && [ "$(cat "$dir/kept.npy")" = old ]
ok $? "a failed run leaves an older file unchanged" "$dir/out" "$dir/err"

if [ -w /dev/full ]; then
	"$ORK" info >/dev/full 2>"$dir/err"
	status=$?
	: >"$dir/out"
	expect 2 "cannot write the output" "a full disk is noticed"
fi

if python3 -c 'import numpy' 2>/dev/null; then
	python3 - "$dir" "$ORK" <<-'PYTHON'
		import subprocess, sys
		import numpy as np
		folder, ork = sys.argv[1:]
		rng = np.random.default_rng(1)
		a = rng.integers(-128, 128, (19, 300), dtype=np.int8)
		b = rng.integers(-128, 128, (300, 70), dtype=np.int8)
		np.save(folder + "/na.npy", a)
		np.save(folder + "/nb.npy", b)
		files = ["--a", folder + "/na.npy", "--b", folder + "/nb.npy", "-o", folder + "/nc.npy"]
		subprocess.run([ork, "matmul", *files], check=True, stdout=subprocess.DEVNULL)
		c = np.load(folder + "/nc.npy")
		sys.exit(not (c.dtype == np.int32 and (c == a.astype(np.int32) @ b.astype(np.int32)).all()))
	PYTHON
	ok $? "NumPy agrees with files that it wrote and reads" "$dir/out" "$dir/err"
else
	ok 0 "NumPy agrees with files that it wrote and reads # SKIP python3-numpy is not installed"
fi

finish
