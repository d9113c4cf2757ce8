#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Small valid files for fuzz_source and fuzz_pack to start from. usage: seed_files.py FOLDER"""

import os
import struct
import sys


def write(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def text(string):
    return struct.pack("<Q", len(string)) + string.encode()


def gguf(kind, row_bytes):
    keys = (text("general.alignment") + struct.pack("<II", 4, 32) + text("s") + struct.pack("<I", 8) + text("v") +
            text("a") + struct.pack("<IIQ", 9, 9, 1) + struct.pack("<IQ", 8, 1) + text("x"))
    info = text("w") + struct.pack("<IQQIQ", 2, 256, 2, kind, 0)
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 3) + keys + info
    return head + b"\0" * (-len(head) % 32) + b"\1" * (2 * row_bytes)


def safetensors(dtype, size):
    head = (f'{{"__metadata__":{{"a":"\\u00e4\\n"}},"w":{{"dtype":"{dtype}","shape":[2,3],"data_offsets":[0,{6 * size}]}},'
            f'"v":{{"dtype":"I64","shape":[],"data_offsets":[0,8]}}}}').encode()
    return struct.pack("<Q", len(head)) + head + b"\1" * (6 * size)


def npy(version, descr, size):
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': (2, 3), }}\n".encode()
    return (b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(head)) + head +
            b"\1" * (6 * size))


def orkpack(names, scaled):
    entries = blob = b""
    for i, name in enumerate(names):
        offset = 4096 * (1 + i)
        entries += struct.pack("<QQQQIIIIIIIIIQII16x", offset, 0, offset + 1024 if scaled else 0, 0, 32, 32,
                               96 * len(names) + len(blob), len(name), 1, 1, 1, 32, 32, 0, scaled, 0)[:96]
        blob += name.encode() + b"\0"
    header = struct.pack("<8sIIQQQQQQ", b"", 1, len(names), 0, 4096 * (1 + len(names)), 0, 0, 0, 0)
    return b"\1" + header + entries + blob


root = sys.argv[1]
for number, row in {0: 1024, 1: 512, 2: 144, 8: 272, 12: 144, 14: 210, 30: 512, 13: 176}.items():
    write(root + "/source", f"gguf{number}", gguf(number, row))
for name, width in {"F32": 4, "F16": 2, "BF16": 2, "I8": 1}.items():
    write(root + "/source", "safe" + name, safetensors(name, width))
for name, width in {"|i1": 1, "<f2": 2, "<f4": 4}.items():
    write(root + "/source", "npy" + name[1:], npy(1, name, width))
write(root + "/source", "npy2", npy(2, "<f4", 4))
write(root + "/pack", "one", orkpack(["w"], 0))
write(root + "/pack", "three", orkpack(["a", "b", "c.d"], 1))
