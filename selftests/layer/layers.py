#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Predicts what a decoder layer of Qwen3-1.7B costs on the board, and where the time goes.

    layers.py BENCH_LAYER             tables and figures of all policies
    layers.py BENCH_LAYER BUDGET      figures of the policies that the file has budgets for

Runs the program on the emulated board with the timing model, with the bandwidth that the model gives each core and
with less of it, as three cores share a bus. Every time is a prediction.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict

HERE = os.path.dirname(os.path.realpath(__file__))
TOOLS = os.path.join(HERE, "../../tools")
EMULATOR = os.path.join(TOOLS, "emulator")
sys.dont_write_bytecode = True
sys.path[:0] = EMULATOR, TOOLS

import timing_table  # noqa: E402  (found through the path above)
from figures import lay_out  # noqa: E402

CORES = 3
MHZ = 1000
LAYERS = 28
PREFILL_TOKENS = 64
# What the memory gives at most (measurements 1), and what three cores got together of it in the fastest published
# decoding of this model (8.1: 1.7 GB for each of 11.5 to 12.8 tokens a second).
ROOF_GB_PER_S = 30
SHARED_BYTES_PER_CYCLE = 7

# What tokens per second are made of.
PER_TOKEN = ("decode-defaults", "prefill-defaults", "vocabulary-defaults")

MARKS = ("begin", "quantised", "submitted", "done", "end")
# Where the time of a core goes: at work, or what it waits for.
BUSY, CPU, START, HAND_OVER, OTHERS, WAKE = range(6)
KINDS = ("busy", "CPU", "start", "hand-over", "others", "wake")

# Measurements 8.1, tokens per second: what, case, policy, published (low, high).
PUBLISHED = (
    ("ork-driver, one core", "decode", "one-core", (5.0, 5.34)),
    ("ork-driver, 3 cores, K in slices", "decode", "defaults", (8.6, 8.6)),
    ("ork-driver, 3 cores, whole K", "decode", "whole-K", (11.0, 12.8)),
    ("librkllmrt, 3 cores", "decode", "whole-K", (11.5, 11.7)),
    ("ork-driver, 3 cores", "prefill", "defaults", (67, 178)),
    ("librkllmrt, 3 cores", "prefill", "defaults", (184, 187)),
)


class Step:
    """Products that were submitted together, and the tasks that the cores ran for them."""

    def __init__(self, words):
        self.case, self.policy, self.names = words[1:4]
        for mark, word in zip(MARKS, words[4:]):
            setattr(self, mark, int(word))
        self.tasks = [[] for _ in range(CORES)]

    def ns(self):
        return self.end - self.begin

    def bytes_read(self):
        return sum(task["bytes_read"] for tasks in self.tasks for task in tasks)

    def split(self, core):
        """Nanoseconds of each kind for one core; together they are the step's."""
        every = [task for tasks in self.tasks for task in tasks]
        end_of_all = max(task["end_ns"] for task in every)
        own = self.tasks[core]
        first = min(task["end_ns"] - task["ns"] for task in own or every)
        last = max((task["end_ns"] for task in own), default=first)
        kinds = [0] * len(KINDS)
        kinds[BUSY] = sum(task["ns"] for task in own)
        kinds[CPU] = self.quantised - self.begin + self.end - self.done
        kinds[START] = first - self.quantised
        kinds[HAND_OVER] = last - first - kinds[BUSY]
        kinds[OTHERS] = end_of_all - last
        kinds[WAKE] = self.done - end_of_all
        return kinds


def run_board(program, runs, *options):
    """Steps by case and policy, of those that begin with one of the runs."""
    with tempfile.TemporaryDirectory() as directory:
        log = os.path.join(directory, "log")
        limits = "/sys/class/devfreq/fdab0000.npu"
        command = [os.path.join(EMULATOR, "ork-board"), "run", "--dt", "opp", "--load", "gpio_regulator", "--mem", "3G",
                   "--timing", "--job-log", log, "--put", f"{program}:/root/bench_layer", "--timeout", "900", *options,
                   "--", "sh", "-c", f"echo {MHZ}000000 > {limits}/max_freq && echo {MHZ}000000 > {limits}/min_freq && "
                   f"/root/bench_layer {' '.join(runs)}"]
        output = subprocess.run(command, stdout=subprocess.PIPE, check=True, encoding="ascii").stdout
        with open(log, encoding="ascii") as lines:
            tasks = [json.loads(line) for line in lines]
    steps = [Step(line.split()) for line in output.splitlines() if line.startswith("step ")]
    found = defaultdict(lambda: defaultdict(list))
    for step in steps:
        for task in tasks:
            if step.quantised <= task["end_ns"] <= step.done:
                step.tasks[task["core"]].append(task)
        found[step.case][step.policy].append(step)
    return found


def time_of(steps):
    return sum(step.ns() for step in steps)


def row(name, steps):
    """Time, share of the memory's bandwidth, busy time of each core, and the kinds of idle time over all cores."""
    ns = time_of(steps)
    kinds = [[sum(step.split(core)[kind] for step in steps) for kind in range(len(KINDS))] for core in range(CORES)]
    roof = 100 * sum(step.bytes_read() for step in steps) / ROOF_GB_PER_S / ns
    busy = "/".join(f"{100 * core[BUSY] / ns:.0f}" for core in kinds)
    idle = [f"{100 * sum(core[kind] for core in kinds) / CORES / ns:.0f}" for kind in range(1, len(KINDS))]
    return [name, f"{ns / 1e3:.0f}", f"{roof:.0f}", busy, *idle]


def show(name, heads, rows):
    """A table for Documentation/performance.rst (tools/figures.py)."""
    print(f"# table {name}\n{lay_out([heads, *rows])}# end of table\n")


def show_case(case, policies):
    heads = ["policy", "us", "roof %", "busy %", *(kind + " %" for kind in KINDS[1:])]
    show(f"layers-{case}", heads, [row(name, steps) for name, steps in policies.items()])
    steps = policies["defaults"]
    if len(steps) > 1:
        show(f"layers-{case}-steps", ["products", *heads[1:]], [row(step.names, [step]) for step in steps])


def tokens_per_second(found, case, policy):
    vocabulary = found["vocabulary"]
    last = vocabulary[policy if policy in vocabulary else "defaults"]
    ns = LAYERS * time_of(found[case][policy]) + time_of(last)
    return (PREFILL_TOKENS if case == "prefill" else 1) * 1e9 / ns


def model_error():
    """Of the runs of one core with few rows, from the table of Documentation/emulator.rst."""
    model = timing_table.parameters()
    errors = []
    for what, dtype, mhz, kicks, work, (low, high), _ in timing_table.ROWS:
        if what.startswith(("1x4096", "8x3584")):
            errors.append(timing_table.error(timing_table.predicted_ms(model, dtype, mhz, kicks, work), low, high))
    return " to ".join(errors)


def show_tokens(full, shared):
    rows = []
    for what, case, policy, (low, high) in PUBLISHED:
        words = [what, case, policy, f"{low:g} - {high:g}" if low != high else f"{low:g}"]
        for found in (full, shared):
            value = tokens_per_second(found, case, policy)
            alone = found is shared and policy == "one-core"
            words += ["", ""] if alone else [f"{value:.3g}", timing_table.error(value, low, high)]
        rows.append(words)
    show("layers-tokens",
         ["run", "case", "policy", "published", "predicted", "error", "shared bus", "error"], rows)


def show_figures(full, shared):
    for case, policies in full.items():
        for policy, steps in policies.items():
            print(f"# figure layers-{case}-{policy} {time_of(steps) / 1e3:.0f} us")
    for name, found in (("layers", full), ("layers-shared-bus", shared)):
        for case in ("decode", "prefill"):
            print(f"# figure {name}-{case}-tokens-per-second {tokens_per_second(found, case, 'defaults'):.2f} tokens/s")


def run_boards(program, full, shared):
    return (run_board(program, full),
            run_board(program, shared, "--machine", f"dma-bytes-per-cycle={SHARED_BYTES_PER_CYCLE}"))


def budgeted(path):
    """CASE-POLICY of the lines "layers-CASE-POLICY <= ..."."""
    with open(path, encoding="ascii") as lines:
        return re.findall(r"^layers-(\S+) <=", lines.read(), re.MULTILINE)


def main(program, budget=None):
    if budget:
        show_figures(*run_boards(program, budgeted(budget), PER_TOKEN))
        return 0
    full, shared = run_boards(program, [], ["decode", *PER_TOKEN])
    print(f"Predicted for {MHZ} MHz. The model's error on published runs of one core with few rows: {model_error()}\n")
    for case, policies in full.items():
        show_case(case, policies)
    show_case("shared-bus-decode", shared["decode"])
    show_tokens(full, shared)
    show_figures(full, shared)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
