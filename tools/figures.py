#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Holds figures against budgets and writes them into the documentation.

A figure is a line "# figure NAME VALUE UNIT" anywhere in a program's output. What a program has laid out itself stands
between "# table NAME" and "# end of table".

  figures.py check BUDGET FILE...   1 if a figure misses its budget, or has none
                                    where BUDGET has a line for it
  figures.py write DOCUMENT FILE... replaces the tables of DOCUMENT that are marked

A line of BUDGET is "NAME <= VALUE TOLERANCE%", or ">=" where more is better.

A table stands in DOCUMENT between ".. figures PREFIX..." and ".. end of figures".
With one prefix it has a line for each figure whose name begins with it; with two
a line for each name that both have, and the first's share of the second. What stands
between ".. table NAME" and ".. end of table" is what the program laid out.
"""

import re
import sys

FIGURE = re.compile(r"# figure (\S+) (-?[0-9.]+) (.+)")
BUDGET = re.compile(r"(\S+) (<=|>=) ([0-9.]+) ([0-9.]+)%")
TABLE = re.compile(r"^\.\. figures (?P<prefixes>[^\n]+)\n(?P<old>.*?)^\.\. end of figures\n", re.MULTILINE | re.DOTALL)

LAID_OUT = re.compile(r"^# table (\S+)\n(.*?)^# end of table\n", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"^\.\. table (\S+)\n(.*?)^\.\. end of table\n", re.MULTILINE | re.DOTALL)


def read_tables(paths):
    tables = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            tables.update(LAID_OUT.findall(file.read()))
    return tables


def read_figures(paths):
    figures = {}
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for match in filter(None, map(FIGURE.match, lines)):
                figures[match[1]] = (float(match[2]), match[3].strip())
    return figures


def number(value):
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:,.3g}"


def lay_out(rows):
    """A table; the first row is its head."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    rule = " ".join("=" * max(width, 1) for width in widths)
    head, *lines = (" ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)
    return "\n".join([rule, head, rule, *lines, rule, ""])


def judge(line, figures):
    """What is wrong with the figure of a budget's line, or None."""
    match = BUDGET.fullmatch(line)
    if not match:
        return f"not a budget: {line}"
    name, relation, budget, tolerance = match[1], match[2], float(match[3]), float(match[4]) / 100
    if name not in figures:
        return f"{name}: not measured"
    value = figures[name][0]
    good = value <= budget * (1 + tolerance) if relation == "<=" else value >= budget * (1 - tolerance)
    return None if good else f"{name}: {number(value)}, budget {relation} {number(budget)} with {match[4]} %"


def check(budget, paths):
    figures = read_figures(paths)
    with open(budget, encoding="utf-8") as lines:
        lines = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    wrong = [text for text in (judge(line, figures) for line in lines) if text]
    for text in wrong:
        print(f"not ok {text}")
    print(f"{len(lines) - len(wrong)} of {len(lines)} figures are within their budgets")
    return 1 if wrong else 0


def rows_of(prefixes, figures):
    first = {name[len(prefixes[0]):]: figures[name] for name in figures if name.startswith(prefixes[0])}
    if len(prefixes) == 1:
        return [[what, number(value), unit] for what, (value, unit) in first.items()]
    rows = []
    for what, (value, unit) in first.items():
        other = figures.get(prefixes[1] + what)
        if other:
            share = f"{value / other[0]:.3f}" if other[0] else ""
            rows.append([f"{what}, {unit}", number(value), number(other[0]), share])
    return rows


def table(prefixes, figures):
    head = ["figure", prefixes[0], "unit"] if len(prefixes) == 1 else ["figure", *prefixes, "share"]
    rows = rows_of(prefixes, figures)
    if not rows:
        return None
    return f"\n{lay_out([head, *rows])}\n"


def write(document, paths):
    figures, tables = read_figures(paths), read_tables(paths)

    def replace(match):
        new = table(match["prefixes"].split(), figures)
        return match[0] if new is None else f".. figures {match['prefixes']}\n{new}.. end of figures\n"

    def place(match):
        new = tables.get(match[1])
        return match[0] if new is None else f".. table {match[1]}\n\n{new}\n.. end of table\n"

    with open(document, encoding="utf-8") as file:
        text = PLACE.sub(place, TABLE.sub(replace, file.read()))
    with open(document, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


def main():
    commands = {"check": check, "write": write}
    if len(sys.argv) < 4 or sys.argv[1] not in commands:
        print(__doc__, file=sys.stderr)
        return 2
    return commands[sys.argv[1]](sys.argv[2], sys.argv[3:])


if __name__ == "__main__":
    sys.exit(main())
