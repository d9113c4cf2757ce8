#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""ork pack, unpack and inspect: files of every format go in and come out again; what is wrong is refused.

usage: test_ork_pack.py BUILD    the folder with bin/ork
"""

import json
import math
import os
import random
import resource
import struct
import subprocess
import tempfile

from tap import ORK, finish, ok

random.seed(1)


def ork(*args, **kwargs):
    done = subprocess.run([ORK, *args], capture_output=True, text=True, **kwargs)
    return done.returncode, done.stdout, done.stderr


def refuse(text, name, *args):
    """The command fails with one line that has the text and leaves no file."""
    status, out, err = ork(*args)
    left = [f for f in os.listdir(".") if f.startswith("bad.")]
    ok(status == 2 and not out and err.count("\n") == 1 and text in err and not left, name,
       f"{status} {out} {err} {left}")


def half(value):
    return struct.unpack("<e", struct.pack("<e", value))[0]


def halves(values):
    return struct.pack(f"<{len(values)}e", *values)


def bf16(values):
    return b"".join(struct.pack("<f", v)[2:] for v in values)


def npy(path, descr, rows, cols, data):
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows}, {cols}), }}"
    head += " " * (117 - len(head)) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)


def read_npy(path):
    """Rows of numbers."""
    raw = open(path, "rb").read()
    length = struct.unpack("<H", raw[8:10])[0]
    head = eval(raw[10:10 + length])  # pylint: disable=eval-used
    kind = {"|i1": "b", "<f2": "e", "<f4": "f"}[head["descr"]]
    flat = struct.unpack(f"<{(len(raw) - 10 - length) // struct.calcsize(kind)}{kind}", raw[10 + length:])
    rows, cols = head["shape"]
    return [flat[r * cols:(r + 1) * cols] for r in range(rows)]


def safetensors(path, tensors, **changes):
    """tensors: name -> (dtype, shape, bytes)."""
    head, data = {"__metadata__": {"format": "pt \"x\" \\u00e4"}}, b""
    for name, (dtype, shape, raw) in tensors.items():
        head[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        head[name].update(changes)
        data += raw
    text = json.dumps(head).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


GGML = {"F32": 0, "F16": 1, "Q4_0": 2, "Q8_0": 8, "Q4_K": 12, "Q6_K": 14, "BF16": 30, "Q5_K": 13}


def text(string):
    return struct.pack("<Q", len(string)) + string.encode()


def gguf(path, tensors, version=3, offset_step=0):
    """tensors: name -> (type, shape as in NumPy, bytes)."""
    info, data = b"", b""
    for name, (kind, shape, raw) in tensors.items():
        data += b"\0" * (-len(data) % 64)
        info += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", d) for d in reversed(shape))
        info += struct.pack("<IQ", GGML[kind], len(data) + offset_step)
        data += raw
    keys = [text("general.architecture") + struct.pack("<I", 8) + text("test"),
            text("tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b"),
            text("nested") + struct.pack("<IIQ", 9, 9, 1) + struct.pack("<IQ", 4, 2) + b"\0" * 8,
            text("general.alignment") + struct.pack("<II", 4, 64)]
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys)) + b"".join(keys) + info
    with open(path, "wb") as f:
        f.write(head + b"\0" * (-len(head) % 64) + data)


def random_half_bits():
    return struct.pack("<e", random.uniform(0.001, 0.02))


def block_of(kind):
    """A random block, and the numbers that it stands for, by the formula of its type."""
    if kind == "Q8_0":
        d, q = random_half_bits(), [random.randrange(-128, 128) for _ in range(32)]
        return d + struct.pack("32b", *q), [struct.unpack("<e", d)[0] * v for v in q]
    if kind == "Q4_0":
        d, q = random_half_bits(), bytes(random.randrange(256) for _ in range(16))
        scale = struct.unpack("<e", d)[0]
        return d + q, [scale * ((q[i % 16] >> (4 if i >= 16 else 0) & 15) - 8) for i in range(32)]
    if kind == "Q4_K":
        d, m = random_half_bits(), random_half_bits()
        s = bytes(random.randrange(256) for _ in range(12))
        q = bytes(random.randrange(256) for _ in range(128))
        fd, fm = struct.unpack("<e", d)[0], struct.unpack("<e", m)[0]
        values = []
        for i in range(256):
            g = i // 32
            if g < 4:
                sc, mn = s[g] & 63, s[g + 4] & 63
            else:
                sc = (s[g + 4] & 0xF) | ((s[g - 4] >> 6) << 4)
                mn = (s[g + 4] >> 4) | ((s[g] >> 6) << 4)
            byte = q[i // 64 * 32 + i % 32]
            values.append(fd * sc * (byte >> 4 if i % 64 >= 32 else byte & 15) - fm * mn)
        return d + m + s + q, values
    ql = bytes(random.randrange(256) for _ in range(128))
    qh = bytes(random.randrange(256) for _ in range(64))
    sc = [random.randrange(-128, 128) for _ in range(16)]
    d = random_half_bits()
    values = []
    for i in range(256):
        n, r = divmod(i, 128)
        quarter, l = divmod(r, 32)
        low = ql[64 * n + (32 if quarter % 2 else 0) + l]
        low = low >> 4 if quarter >= 2 else low & 15
        high = qh[32 * n + l] >> (2 * quarter) & 3
        values.append(struct.unpack("<e", d)[0] * sc[8 * n + 2 * quarter + l // 16] * ((low | high << 4) - 32))
    return ql + qh + struct.pack("16b", *sc) + d, values


def matrix_of(kind, rows, cols):
    """Bytes of a tensor [rows][cols] and its numbers."""
    flat = [random.gauss(0, 1) for _ in range(rows * cols)]
    if kind == "F32":
        raw = struct.pack(f"<{len(flat)}f", *flat)
    elif kind == "F16":
        raw, flat = halves(flat), [half(v) for v in flat]
    elif kind == "BF16":
        raw = bf16(flat)
        flat = [struct.unpack("<f", b"\0\0" + raw[2 * i:2 * i + 2])[0] for i in range(len(flat))]
    else:
        size = 32 if kind in ("Q8_0", "Q4_0") else 256
        blocks = [block_of(kind) for _ in range(rows * cols // size)]
        raw, flat = b"".join(b[0] for b in blocks), [v for b in blocks for v in b[1]]
    return raw, [flat[r * cols:(r + 1) * cols] for r in range(rows)]


def transposed(rows):
    return [list(column) for column in zip(*rows)]


def error(got, wanted):
    """Relative root mean square."""
    changed = sum((a - b) ** 2 for r, s in zip(got, wanted) for a, b in zip(r, s))
    return math.sqrt(changed / sum(b * b for s in wanted for b in s))


def unpacked(path, name, *options):
    status, _, err = ork("unpack", "-o", "out.npy", *options, path, name)
    if status:
        raise RuntimeError(err)
    return read_npy("out.npy")


def formats_are_understood():
    kinds = ["F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_K", "Q6_K"]
    made = {k: matrix_of(k, 70, 512) for k in kinds}
    gguf("all.gguf", {f"blk.{k}.weight": (k, [70, 512], made[k][0]) for k in kinds}
         | {"norm": ("F32", [512], b"\0" * 2048)})
    status, out, err = ork("pack", "-o", "all.orkpack", "--type", "f16", "all.gguf")
    ok(status == 0 and "7 tensors" in out and "1 with one dimension left out" in out, "a GGUF file is packed", err)
    for k in kinds:
        got = unpacked("all.orkpack", f"blk.{k}.weight")
        wanted = [[half(v) for v in row] for row in transposed(made[k][1])]
        # Products are rounded to binary32 on the way, which now and then decides how binary16 is rounded.
        ok(error(got, wanted) < 2e-5, f"{k} means what its definition says", error(got, wanted))
    status, out, err = ork("inspect", "--verify", "all.orkpack")
    ok(status == 0 and out.count("  ok") == 7, "the file is whole", out + err)

    made = {k: matrix_of(k, 33, 96) for k in ("F32", "F16", "BF16")}
    safetensors("all.safetensors", {k: (k, [33, 96], made[k][0]) for k in made})
    status, out, err = ork("pack", "-o", "safe.orkpack", "--json", "all.safetensors")
    summary = json.loads(out)
    ok(status == 0 and len(summary["tensors"]) == 3, "a safetensors file is packed", err)
    for tensor in summary["tensors"]:
        seen = error(unpacked("safe.orkpack", tensor["name"]), transposed(made[tensor["name"]][1]))
        ok(tensor["k"] == 96 and tensor["n"] == 33 and abs(seen - tensor["error"]) < 1e-4 and seen < 0.012,
           f"{tensor['name']} to int8 loses what the summary says ({100 * seen:.2f} %)", tensor)

    raw, rows = matrix_of("F32", 96, 130)
    npy("layer.npy", "<f4", 96, 130, raw)
    status, out, err = ork("pack", "-o", "npy.orkpack", "layer.npy", "all.safetensors")
    ok(status == 0 and error(unpacked("npy.orkpack", "layer"), rows) < 0.012, "a NumPy file is B[K][N]", err)
    integers = [[random.randrange(-128, 128) for _ in range(65)] for _ in range(40)]
    npy("whole.npy", "|i1", 40, 65, struct.pack("2600b", *[v for r in integers for v in r]))
    ork("pack", "-o", "npy.orkpack", "whole.npy")
    ok([list(r) for r in unpacked("npy.orkpack", "whole")] == integers, "int8 stays as it is")


def quantisation_works():
    raw, rows = matrix_of("F32", 64, 1024)
    wide = [[v * (20 if i == 5 else 1) for i, v in enumerate(row)] for row in rows]
    raw = struct.pack("<65536f", *[v for r in wide for v in r])
    safetensors("q.safetensors", {"w": ("F32", [64, 1024], raw)})
    errors = {}
    for name, options in {"plain": [], "rotated": ["--hadamard"], "grouped": ["--group", "128"],
                          "both": ["--hadamard", "--group", "128"]}.items():
        status, out, err = ork("pack", "-o", "q.orkpack", "--type", "i4", "--json", *options, "q.safetensors")
        tensor = json.loads(out)["tensors"][0]
        errors[name] = error(unpacked("q.orkpack", "w"), transposed(wide))
        ok(status == 0 and abs(errors[name] - tensor["error"]) < 1e-3,
           f"int4, {name}: the error is as stated ({100 * errors[name]:.1f} %)", f"{tensor} {err}")
        ok(tensor["groups"] == (8 if "--group" in options else 1) and
           tensor["hadamard"] == (1024 if "--hadamard" in options else 0), "groups and rotation are in the index", tensor)
    ok(errors["rotated"] < errors["plain"] / 2 and errors["both"] < errors["rotated"],
       "rotation and groups help", errors)


def batches_are_kept():
    made = [matrix_of("F16", 40, 64) for _ in range(3)]
    safetensors("b.safetensors", {"experts": ("F16", [3, 40, 64], b"".join(m[0] for m in made)),
                                  "other": ("F16", [40, 64], made[0][0])})
    status, out, err = ork("pack", "-o", "b.orkpack", "--tensor", "exp*", "b.safetensors")
    ok(status == 0 and "1 tensors" in out, "only tensors that match are packed", out + err)
    for i in range(3):
        ok(error(unpacked("b.orkpack", "experts", "--matrix", str(i)), transposed(made[i][1])) < 0.012,
           f"matrix {i} of a batch")
    refuse("no number 3", "a matrix that the batch does not have", "unpack", "-o", "bad.npy", "--matrix", "3",
           "b.orkpack", "experts")
    refuse("no tensor", "a tensor that the file does not have", "unpack", "-o", "bad.npy", "b.orkpack", "nothing")


def wrong_files_are_refused():
    raw, _ = matrix_of("F32", 32, 32)
    good = {"w": ("F32", [32, 32], raw)}
    bad = ("pack", "-o", "bad.orkpack")
    with open("x", "wb") as f:
        f.write(b"something else entirely")
    refuse("neither GGUF nor", "a file of another kind", *bad, "x")
    refuse("No such file", "a file that is not there", *bad, "none")
    refuse("is missing", "no input", *bad)
    refuse("-o with the name", "no output", "pack", "x")
    for name, changes, wanted in [("an offset outside", {"data_offsets": [1 << 40, (1 << 40) + 4096]}, "outside the file"),
                                  ("a wrong length", {"data_offsets": [0, 4]}, "not as long"),
                                  ("reversed offsets", {"data_offsets": [8, 4]}, "malformed"),
                                  ("a huge shape", {"shape": [1 << 62, 1 << 62]}, "malformed"),
                                  ("five dimensions", {"shape": [1, 1, 1, 32, 32]}, "more than 4"),
                                  ("a negative size", {"shape": [-1, 4]}, "malformed"),
                                  ("an unknown key", {"stride": [1]}, "unknown or repeated key"),
                                  ("an unknown type", {"dtype": "F8_E4M3"}, "type F8_E4M3")]:
        safetensors("x", good, **changes)
        refuse(wanted, f"safetensors with {name}", *bad, "x")
    safetensors("x", good)
    whole = open("x", "rb").read()
    for cut in (9, 60, len(whole) - 1):
        open("x", "wb").write(whole[:cut])
        refuse("cannot read x", f"safetensors of {cut} bytes", *bad, "x")
    open("x", "wb").write(b"\xff" * 8 + whole[8:])
    refuse("longer than the file", "a header that is longer than the file", *bad, "x")

    gguf("x", good)
    whole = open("x", "rb").read()
    for cut in (5, 30, 100, 300, len(whole) - 1):
        open("x", "wb").write(whole[:cut])
        refuse("cannot read x", f"GGUF of {cut} bytes", *bad, "x")
    gguf("x", good, version=1)
    refuse("version 1", "an old GGUF version", *bad, "x")
    gguf("x", good, offset_step=4)
    refuse("misaligned", "a misaligned tensor", *bad, "x")
    gguf("x", good, offset_step=1 << 20)
    refuse("outside the file", "a tensor outside the file", *bad, "x")
    gguf("x", {"w": ("Q5_K", [32, 256], b"\0" * 32 * 176)})
    refuse("\"w\" at byte", "a type that is not supported", *bad, "x")
    gguf("x", {"w": ("Q8_0", [32, 40], b"\0" * 32 * 34)})
    refuse("whole blocks", "rows that are no whole blocks", *bad, "x")
    safetensors("x", {"w": ("F32", [1, 32], struct.pack("<32f", *[math.inf] * 32))})
    refuse("infinite", "infinity", *bad, "x")
    safetensors("x", {"w": ("F32", [1, 32], struct.pack("<32f", *[1e6] * 32))})
    refuse("binary16 does not have", "numbers beyond binary16", *bad, "--type", "f16", "x")
    safetensors("x", good)
    refuse("two tensors", "the same tensor twice", *bad, "x", "x")
    refuse("no matrix", "a pattern that nothing matches", *bad, "--tensor", "y*", "x")
    refuse("no multiple", "a group that does not divide K", *bad, "--group", "96", "x")
    refuse("--type takes", "an unknown type", *bad, "--type", "i5", "x")
    refuse("--group takes", "a group of 33", *bad, "--group", "33", "x")
    refuse("are for integers", "a rotation of float16", *bad, "--type", "f16", "--hadamard", "x")
    refuse("cannot write", "a folder that is not there", "pack", "-o", "none/bad.orkpack", "x")


def damage_is_found():
    ork("pack", "-o", "d.orkpack", "--tensor", "F32", "all.safetensors")
    whole = bytearray(open("d.orkpack", "rb").read())
    whole[4096 + 17] ^= 1
    open("d.orkpack", "wb").write(whole)
    status, out, _ = ork("inspect", "--verify", "d.orkpack")
    ok(status == 1 and "damaged" in out, "inspect --verify finds a changed bit", out)
    refuse("damaged", "damaged weights are not unpacked", "unpack", "-o", "bad.npy", "d.orkpack", "F32")
    open("d.orkpack", "wb").write(whole[:-1])
    refuse("truncated", "a truncated file", "inspect", "d.orkpack")


def older_files_survive():
    safetensors("x", {"a": ("F32", [32, 32], b"\0" * 4096), "b": ("F32", [1, 32], struct.pack("<32f", *[math.nan] * 32))})
    open("kept.orkpack", "w").write("old")
    status, _, _ = ork("pack", "-o", "kept.orkpack", "x")
    ok(status == 2 and open("kept.orkpack").read() == "old" and len([f for f in os.listdir(".") if "kept" in f]) == 1,
       "a failed run leaves an older file unchanged and nothing beside it")


def large_files_need_little_memory():
    """A sparse tensor that is far larger than the memory the command may have."""
    n, k = 32768, 16384
    head = json.dumps({"w": {"dtype": "BF16", "shape": [n, k], "data_offsets": [0, 2 * n * k]}}).encode()
    with open("large", "wb") as f:
        f.write(struct.pack("<Q", len(head)) + head)
        f.truncate(8 + len(head) + 2 * n * k)
    status, _, err = ork("pack", "-o", "large.orkpack", "large")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    ok(status == 0 and (peak < 256 * 1024), f"1 GiB is packed in {peak // 1024} MiB of memory", err)
    os.unlink("large")
    os.unlink("large.orkpack")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    formats_are_understood()
    quantisation_works()
    batches_are_kept()
    wrong_files_are_refused()
    damage_is_found()
    older_files_survive()
    large_files_need_little_memory()
finish()
