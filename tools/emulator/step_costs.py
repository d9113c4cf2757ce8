#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Counts what a way through a driver costs, in the logs of ork-board run --steps.

A section DRIVER-NAME-PRODUCTS-ROUND begins with the first ioctl in it and ends with the
first other system call after the last one; of a section's rounds the one with the fewest instructions counts. All counts
are exact: executed instructions of user space and kernel, the idle task and
interrupts of anything included, and accesses to registers of the NPU and its
IOMMUs.

  step_costs.py DIR [--prefix P]  a line "# figure P-DRIVER-NAME-WHAT VALUE UNIT" per count, and
                                  a table of the sections that all drivers have (tools/figures.py)
  step_costs.py DIR --profile DRIVER-NAME-PRODUCTS-ROUND [--from EVENT] [--to EVENT]
                                  instructions by function; events are call, doorbell,
                                  interrupt (the last) and return

DIR/kallsyms-DRIVER is the guest's /proc/kallsyms with that driver.
"""

import argparse
import bisect
import collections
import functools
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))

from figures import lay_out, number  # noqa: E402  (found through the path above)

NPU = "rk3588-npu-core"
IOMMU = "rk3588-iommu"
OPERATION_ENABLE = 0x0008
# INTERRUPT_STATUS and INTERRUPT_RAW_STATUS: a handler reads one of them.
STATUSES = (0x0028, 0x002c)
CORE_WINDOW = 0xFFFF
KERNEL = 1 << 63

ACCESS = re.compile(r"memory_region_ops_(read|write) cpu \d+ mr \S+ addr 0x([0-9a-f]+) value 0x([0-9a-f]+) size \d+ name '([^']+)'")

# Where the kernel is done with an interrupt's handler, before what else is to be done then.
HANDLED = "irq_exit_rcu"

# Functions of the kernel whose calls are counted, of all kernels that are supported.
CALLS = {
    "allocations": re.compile(r"(__kmalloc(_cache|_large|_track_caller)?|__kvmalloc_node|kvmalloc_node)(_noprof)?"
                              r"|kmalloc_trace|kmem_cache_alloc(_lru|_node|_bulk)?(_noprof)?"
                              r"|__alloc_(frozen_)?pages(_noprof)?"),
    "mappings": re.compile(r"rk_iommu_(un)?map(_pages)?"),
    "switches": re.compile(r"cpu_switch_to"),
    "attaches": re.compile(r"rk_iommu_enable"),
}


class Symbols:
    def __init__(self, path):
        lines = (line.split() for line in open(path, encoding="ascii"))
        found = sorted((int(words[0], 16), words[2]) for words in lines if words[1] in "tTwW")
        self._starts = [start for start, _ in found]
        self._names = [name for _, name in found]
        self.handled = {start for start, name in found if name == HANDLED}
        self.counted = {start: what for start, name in found for what, pattern in CALLS.items() if pattern.fullmatch(name)}

    def name(self, pc):
        i = bisect.bisect_right(self._starts, pc) - 1
        return self._names[i] if pc >= KERNEL and i >= 0 else "(user)"


class Section:
    """The events of one log; each has the number of instructions before it."""

    def __init__(self, path, symbols):
        self.calls = []
        self.doorbells = []
        self.interrupts = []
        self.accesses = []
        self.counted = collections.Counter()
        self.pcs = []
        self._symbols = symbols
        self._exception = None
        self._interrupt = None
        with open(path, encoding="ascii", errors="replace") as log:
            for line in log:
                self._read(line)
        self._find_ends()

    def _read(self, line):
        if line.startswith("Trace "):
            self.pcs.append(int(line.split("/", 2)[1], 16))
        elif line.startswith("Stopped "):
            # The last one was not executed after all.
            if self.pcs:
                self.pcs.pop()
        elif line.startswith("Taking exception "):
            self._exception = line.split("[")[1].split("]")[0]
            if self._exception == "IRQ":
                self._interrupt = len(self.pcs)
        elif line.startswith("...with ELR") and self._exception == "SVC":
            self.calls.append((len(self.pcs), int(line.split()[2], 16)))
        elif line.startswith("memory_region"):
            self._read_access(ACCESS.match(line))

    def _read_access(self, match):
        if not match or match[4] not in (NPU, IOMMU):
            return
        now = len(self.pcs)
        self.accesses.append((now, match[4], match[1]))
        offset = int(match[2], 16) & CORE_WINDOW
        if match[4] != NPU:
            return
        if match[1] == "write" and offset == OPERATION_ENABLE and int(match[3], 16) & 1:
            self.doorbells.append(now)
        elif match[1] == "read" and offset in STATUSES and self._interrupt is not None:
            self.interrupts.append(self._interrupt)
            self._interrupt = None

    def _find_ends(self):
        """Nothing but an ioctl is called before the first doorbell; all are called from one place."""
        where = [pc for at, pc in self.calls if at < self.doorbells[0]][-1]
        calls, self.calls = self.calls, [at for at, pc in self.calls if pc == where]
        self.start = self.calls[0]
        self.end = [at for at, pc in calls if at > self.calls[-1]][0]
        self.doorbells = [at for at in self.doorbells if self.start < at < self.end]
        self.interrupts = [at for at in self.interrupts if self.start < at < self.end]
        for pc in self.pcs[self.start:self.end]:
            what = self._symbols.counted.get(pc)
            if what:
                self.counted[what] += 1

    def instructions(self):
        return self.end - self.start

    def _accesses(self, start, end, kind, unit=None):
        return sum(start < at <= end and access == kind and unit in (None, where) for at, where, access in self.accesses)

    def _handlers(self):
        """From each interrupt to the end of its handler."""
        ends = [i for i in range(self.start, self.end) if self.pcs[i] in self._symbols.handled]
        return [(at, ends[bisect.bisect(ends, at)]) for at in self.interrupts]

    def _hand_overs(self):
        """From an interrupt to the next doorbell, where one comes before the next interrupt."""
        for at, following in zip(self.interrupts, self.interrupts[1:]):
            bells = [bell for bell in self.doorbells if at < bell < following]
            if bells:
                yield at, bells[0]

    def figures(self, products):
        spans = {
            "": [(self.start, self.end)],
            "call-to-doorbell": [(self.start, self.doorbells[0])],
            "interrupt": self._handlers(),
            "interrupt-to-doorbell": list(self._hand_overs()),
            "interrupt-to-user": [(self.interrupts[-1], self.end)],
        }
        for name, found in spans.items():
            if found:
                start, end = sorted(found, key=lambda span: span[1] - span[0])[len(found) // 2]
                yield name or "instructions", end - start, "instructions"
                for kind in ("read", "write"):
                    yield f"{name}-{kind}s".lstrip("-"), self._accesses(start, end, kind), "accesses"
        for kind in ("read", "write"):
            yield f"iommu-{kind}s", self._accesses(self.start, self.end, kind, IOMMU), "accesses"
        counts = {"calls": len(self.calls), "interrupts": len(self.interrupts)}
        for what, value in counts.items():
            yield what, value, what
        for what, value in {"instructions": self.instructions(), **counts}.items():
            yield f"{what}-per-product", round(value / products, 2), what
        for what in CALLS:
            yield what, self.counted[what], "calls"

    def event(self, name):
        return {"call": self.start, "doorbell": self.doorbells[0], "interrupt": self.interrupts[-1], "return": self.end}[name]


@functools.lru_cache
def symbols_of(folder, section):
    return Symbols(os.path.join(folder, "kallsyms-" + section.partition("-")[0]))


def best_rounds(folder):
    """By driver and name of the section: figures of the round with the fewest instructions."""
    best = collections.defaultdict(dict)
    for path in sorted(glob.glob(os.path.join(folder, "*-[0-9]"))):
        driver, name, products, _ = os.path.basename(path).split("-")
        section = Section(path, symbols_of(folder, driver))
        if name not in best[driver] or section.instructions() < best[driver][name][0].instructions():
            best[driver][name] = section, int(products)
    return {driver: {name: list(section.figures(products)) for name, (section, products) in sections.items()}
            for driver, sections in best.items()}


def print_table(name, costs):
    """A column for each section that all drivers have, and in it the figures of each, in the order of their names."""
    drivers = sorted(costs)
    sections = [section for section in costs[drivers[0]] if all(section in costs[driver] for driver in drivers)]
    cells = {driver: {section: {what: value for what, value, _ in costs[driver][section]} for section in sections}
             for driver in drivers}
    rows = [[" / ".join(drivers), *sections]]
    longest = max(sections, key=lambda section: len(cells[drivers[0]][section]))
    for what in cells[drivers[0]][longest]:
        found = [[cells[driver][section].get(what) for driver in drivers] for section in sections]
        rows.append([what, *("" if None in values else " / ".join(map(number, values)) for values in found)])
    print(f"# table {name}\n{lay_out(rows)}# end of table")


def print_profile(section, symbols, start, end):
    pcs = section.pcs[section.event(start):section.event(end)]
    by_function = collections.Counter(symbols.name(pc) for pc in pcs)
    print(f"{len(pcs)} instructions from {start} to {end}")
    for name, count in by_function.most_common(70):
        print(f"{count:8} {name}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--prefix", default="")
    parser.add_argument("--profile")
    parser.add_argument("--from", dest="start", default="call")
    parser.add_argument("--to", dest="end", default="return")
    options = parser.parse_args()
    if options.profile:
        symbols = symbols_of(options.folder, options.profile)
        section = Section(os.path.join(options.folder, options.profile), symbols)
        print_profile(section, symbols, options.start, options.end)
        return
    costs = best_rounds(options.folder)
    for driver, sections in costs.items():
        for name, figures in sections.items():
            for what, value, unit in figures:
                print(f"# figure {options.prefix}{driver}-{name}-{what} {value} {unit}")
    print_table(f"{options.prefix}path", costs)


if __name__ == "__main__":
    sys.exit(main())
