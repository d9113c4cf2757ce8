#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Looks whether the tests that Documentation/emulator.rst names for known hangs and corruptions exist.

    rules_check.py PAGE
"""

import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
SECTION = re.compile(r"^Known hangs and corruptions\n=+\n(.*?)^[^\n]+\n=+\n\n", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\S.*  ``([a-z0-9_]+)``$", re.MULTILINE)


def tests():
    names = set()
    for path in glob.glob(os.path.join(HERE, "model", "tests", "test_*.c")):
        with open(path, encoding="utf-8") as source:
            names.update(re.findall(r"^\tRUN\((\w+)\);", source.read(), re.MULTILINE))
    with open(os.path.join(HERE, "qemu", "test_qemu.py"), encoding="utf-8") as source:
        names.update(re.findall(r"^@test\ndef (\w+)\(", source.read(), re.MULTILINE))
    return names


def main(page):
    with open(page, encoding="utf-8") as source:
        section = SECTION.search(source.read())
    named = ROW.findall(section.group(1)) if section else []
    missing = [name for name in named if name not in tests()]
    for name in missing:
        print(f"rules_check.py: {page} names the test {name}, which does not exist", file=sys.stderr)
    good = bool(named) and not missing
    print("TAP version 13\n1..1")
    print(f"{'ok' if good else 'not ok'} 1 - the {len(named)} tests that {page} names exist")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
