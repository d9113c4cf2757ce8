#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Line coverage of the model, from the counters of a build with --coverage.

    coverage.py [--missing] FOLDER

FOLDER holds the .gcno and .gcda files; gcov comes with the compiler. Prints a line per file and a total; with --missing also the
lines that never ran.
"""

import argparse
import glob
import json
import os
import subprocess
import sys


def counts_of(notes):
    """{file name: {line: executions}} of one object."""
    run = subprocess.run(["gcov", "--json-format", "--stdout", notes], capture_output=True, text=True, check=True)
    counts = {}
    for report in run.stdout.splitlines():
        for source in json.loads(report)["files"]:
            lines = counts.setdefault(source["file"], {})
            for line in source["lines"]:
                number = line["line_number"]
                lines[number] = lines.get(number, 0) + line["count"]
    return counts


def collect(folder):
    """The counts of all objects; headers run in several."""
    total = {}
    for notes in sorted(glob.glob(os.path.join(folder, "*.gcno"))):
        for name, lines in counts_of(notes).items():
            if "/tests/" in name or name.startswith("/"):
                continue
            into = total.setdefault(name, {})
            for number, count in lines.items():
                into[number] = into.get(number, 0) + count
    return total


def print_missing(name, lines):
    with open(name, encoding="utf-8") as source:
        text = source.read().splitlines()
    for number in sorted(number for number, count in lines.items() if count == 0):
        print(f"{name}:{number}: {text[number - 1].strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--missing", action="store_true", help="print the lines that never ran")
    parser.add_argument("folder")
    options = parser.parse_args()
    total = collect(options.folder)
    if not total:
        sys.exit(f"coverage.py: no counters in {options.folder}")
    covered = everything = 0
    for name, lines in sorted(total.items()):
        ran = sum(count > 0 for count in lines.values())
        covered += ran
        everything += len(lines)
        print(f"{os.path.basename(name):24} {ran:5} of {len(lines):5} lines {100 * ran / len(lines):6.1f} %")
    print(f"{'all':24} {covered:5} of {everything:5} lines {100 * covered / everything:6.1f} %")
    if options.missing:
        for name, lines in sorted(total.items()):
            print_missing(name, lines)


main()
