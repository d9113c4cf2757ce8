#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""How well the timing model predicts published figures.

    timing_table.py                 prints the table of Documentation/emulator.rst
    timing_table.py --check FILE    TAP: FILE holds exactly this table

The parameters are the defaults of the model (tools/emulator/model/npu_task.c); nothing is fitted to a row. How a
published run was cut into tasks is known for few of them: where it is not, one chain is assumed whose tasks take as many
rows as fit beside two kernel groups of weights.
"""

import math
import os
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
BANK = 32768
BANKS = 12
PRECISION = {"int8": 0, "fp16": 2}
INPUT_BYTES = {"int8": 1, "fp16": 2}
KERNEL_GROUP = {"int8": 32, "fp16": 16}


def parameters():
    with open(os.path.join(HERE, "model/npu_task.c"), encoding="ascii") as source:
        text = source.read()
    numbers = {name: int(value) for name, value in re.findall(r"\.(\w+) = (\d+),", text)}
    macs = re.search(r"\.macs_per_cycle = \{([^}]*)\}", text).group(1)
    numbers["macs_per_cycle"] = [int(word) for word in macs.split(",")]
    return numbers


def plan(dtype, m, k, n):
    """(tasks, MACs, bytes) of one chain; each task streams all weights, features and results move once."""
    group_banks = math.ceil(KERNEL_GROUP[dtype] * k * INPUT_BYTES[dtype] / BANK)
    weight_banks = min(2 * group_banks, BANKS - 1)
    row = 64 * math.ceil(k * INPUT_BYTES[dtype] / 64)
    rows = min((BANKS - weight_banks) * BANK // row, 1022)
    tasks = math.ceil(m / rows)
    return tasks, m * k * n, (tasks * k * n + m * k) * INPUT_BYTES[dtype] + 4 * m * n


def predicted_ms(model, dtype, mhz, kicks, work):
    tasks, macs, traffic = work
    compute = macs / model["macs_per_cycle"][PRECISION[dtype]]
    memory = traffic / model["dma_bytes_per_cycle"]
    cycles = max(compute, memory) + tasks * model["task_cycles"] + kicks * model["kick_cycles"]
    return cycles / mhz / 1000


# What, type, MHz, kicks, work, published ms (low, high), remark. Sections are those of the reference.
ROWS = [
    ("64x256x256, one core", "fp16", 1000, 1, plan("fp16", 64, 256, 256), (0.09, 0.09), ""),
    ("128x512x512, one core", "fp16", 1000, 1, plan("fp16", 128, 512, 512), (0.60, 0.60), "queueing included"),
    ("512x1024x1024, one core", "fp16", 1000, 1, plan("fp16", 512, 1024, 1024), (4.8, 4.8), "queueing included"),
    ("512x2048x2048, one core", "fp16", 1000, 1, plan("fp16", 512, 2048, 2048), (5.7, 8.2), ""),
    ("512x3840x4096, one core", "fp16", 1000, 5, (320, 512 * 3840 * 4096, 141_500_000), (21, 32), "published traffic"),
    ("the same at 600 MHz", "fp16", 600, 5, (320, 512 * 3840 * 4096, 141_500_000), (48, 48), "published traffic"),
    ("128x1024x8192, vendor API", "fp16", 1000, 1, plan("fp16", 128, 1024, 8192), (2.39, 2.39), "from 900 GFLOP/s"),
    ("128x1024x8192, vendor API", "int8", 1000, 1, plan("int8", 128, 1024, 8192), (1.19, 1.19), "from 1.8 TOP/s"),
    ("1x4096x4096, vendor API", "fp16", 1000, 1, plan("fp16", 1, 4096, 4096), (3.05, 3.05), "from 11 GFLOP/s"),
    ("8x3584x1216, one core", "int8", 1000, 1, plan("int8", 8, 3584, 1216), (0.609, 0.609), ""),
    ("tiny program in a chain", "int8", 1000, 0, plan("int8", 1, 64, 32), (0.018, 0.018), ""),
    ("smallest job, submit to fence", "fp16", 600, 1, plan("fp16", 8, 64, 16), (0.020, 0.023), "CPU's part included"),
]


def figure(value):
    return f"{value:.3g}"


def error(value, low, high):
    """Distance to the nearer end of what was published, in per cent of it."""
    if low <= value <= high:
        return "in range"
    nearest = low if value < low else high
    return f"{100 * (value - nearest) / nearest:+.0f} %"


def table():
    model = parameters()
    lines = [("Run", "Type", "MHz", "Published ms", "Predicted ms", "Error", "Remark")]
    for what, dtype, mhz, kicks, work, (low, high), remark in ROWS:
        value = predicted_ms(model, dtype, mhz, kicks, work)
        published = figure(low) if low == high else f"{figure(low)} - {figure(high)}"
        lines.append((what, dtype, str(mhz), published, figure(value), error(value, low, high), remark))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    rule = "  ".join("=" * width for width in widths)
    text = ["  ".join(word.ljust(width) for word, width in zip(line, widths)).rstrip() for line in lines]
    return "\n".join([rule, text[0], rule, *text[1:], rule]) + "\n"


def main(arguments):
    if not arguments:
        print(table(), end="")
        return 0
    if len(arguments) != 2 or arguments[0] != "--check":
        sys.exit(__doc__)
    with open(arguments[1], encoding="utf-8") as document:
        same = table() in document.read()
    print(f"TAP version 13\n1..1\n{'' if same else 'not '}ok 1 {os.path.basename(arguments[1])} holds the computed table")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
