#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Keeps the corpus of a fuzzer as one text file, an input a line in hexadecimal digits, in the order of their sizes.

usage: corpus.py unpack FILE FOLDER
       corpus.py pack FOLDER FILE
"""

import hashlib
import os
import sys

# Inputs that are larger would fill the file without leading much further.
MAX_INPUT_BYTES = 512
MAX_FILE_BYTES = 64 << 10


def unpack(path, folder):
    os.makedirs(folder, exist_ok=True)
    with open(path, encoding="ascii") as lines:
        for line in lines:
            content = bytes.fromhex(line)
            with open(os.path.join(folder, hashlib.sha1(content).hexdigest()), "wb") as output:
                output.write(content)


def pack(folder, path):
    contents = []
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as source:
            contents.append(source.read())
    left = MAX_FILE_BYTES
    with open(path, "w", encoding="ascii") as output:
        for content in sorted(contents, key=lambda content: (len(content), content)):
            line = content.hex() + "\n"
            left -= len(line)
            if len(content) > MAX_INPUT_BYTES or left < 0:
                break
            output.write(line)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack"):
        sys.exit(__doc__)
    {"pack": pack, "unpack": unpack}[sys.argv[1]](*sys.argv[2:])
