#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Writes the seed corpus of fuzz_checker: one file per type and form, alone, as a chain, with reuse and with slots.

usage: seed_checker.py FOLDER
"""

import os
import sys

TYPES = 9
FORMS = 5
ADDRESSES = bytes([0, 4, 0, 4, 0, 4])

# What change_task() of fuzz_checker.c understands: operation, task, word, argument.
CHANGES = {
    "alone": b"",
    "chain": bytes([9, 0, 0, 9, 0, 0, 9, 0, 0]),
    "weights": bytes([9, 0, 0, 11, 1, 0, 2]),
    "features": bytes([9, 0, 0, 11, 1, 0, 1]),
    "slots": bytes([5, 0, 17, 1, 5, 0, 23, 2, 5, 0, 29, 3]),
}


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for kind in range(TYPES):
        for form in range(FORMS):
            shape = bytes([form & 1, kind, form, 3, 7, 3, 1])
            for name, changes in CHANGES.items():
                with open(os.path.join(folder, f"{kind}-{form}-{name}"), "wb") as seed:
                    seed.write(shape + ADDRESSES + changes)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
