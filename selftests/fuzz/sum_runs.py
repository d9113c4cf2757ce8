#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Adds the figures of several runs of ioctl_fuzz up.

  sum_runs.py LOG...    prints a line "# figure fuzz.NAME VALUE UNIT" for each name

Places of the driver that a run has reached and programs that it has kept are mostly
those of the other runs, too: of these it is the highest number.
"""

import re
import sys

FIGURE = re.compile(r"# figure (fuzz\.\S+) ([0-9]+) (.+)")
HIGHEST = ("fuzz.places", "fuzz.kept")


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    sums = {"fuzz.runs": (0, "runs of the fuzzer")}
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as lines:
            found = [match.groups() for match in map(FIGURE.match, lines) if match]
        if found:
            sums["fuzz.runs"] = (sums["fuzz.runs"][0] + 1, sums["fuzz.runs"][1])
        for name, value, unit in found:
            old = sums.get(name, (0, unit))[0]
            sums[name] = (max(old, int(value)) if name in HIGHEST else old + int(value), unit)
    for name, (value, unit) in sums.items():
        print(f"# figure {name} {value} {unit}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
