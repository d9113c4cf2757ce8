#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Counts what a way through a driver costs, in the logs of ork-board run --steps.

A section DRIVER-NAME-ROUND begins with the first ioctl in it and ends with the
first other system call after the last one; of a section's rounds the one with the fewest instructions counts. All counts
are exact: executed instructions of user space and kernel, the idle task and
interrupts of anything included, and accesses to registers of the NPU and its
IOMMUs.

  step_costs.py DIR [--prefix P]  a line "# figure P-DRIVER-NAME-WHAT VALUE UNIT" per count
  step_costs.py DIR --profile DRIVER-NAME-ROUND [--from EVENT] [--to EVENT]
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

NPU = "rk3588-npu-core"
IOMMU = "rk3588-iommu"
OPERATION_ENABLE = 0x0008
# INTERRUPT_STATUS and INTERRUPT_RAW_STATUS: a handler reads one of them.
STATUSES = (0x0028, 0x002c)
CORE_WINDOW = 0xFFFF
KERNEL = 1 << 63

ACCESS = re.compile(r"memory_region_ops_(read|write) cpu \d+ mr \S+ addr 0x([0-9a-f]+) value 0x([0-9a-f]+) size \d+ name '([^']+)'")

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

    def accesses_between(self, start, end, name=None):
        return sum(start < at <= end and name in (None, unit) for at, unit, _ in self.accesses)

    def hand_overs(self):
        """Instructions from an interrupt to the next doorbell, where one comes before the next interrupt."""
        found = []
        for i, at in enumerate(self.interrupts[:-1]):
            following = [bell for bell in self.doorbells if at < bell < self.interrupts[i + 1]]
            if following:
                found.append(following[0] - at)
        return sorted(found)

    def figures(self):
        bell, last = self.doorbells[0], self.interrupts[-1]
        yield "instructions", self.instructions(), "instructions"
        yield "call-to-doorbell", bell - self.start, "instructions"
        yield "call-to-doorbell-accesses", self.accesses_between(self.start, bell), "accesses"
        hand_overs = self.hand_overs()
        if hand_overs:
            yield "interrupt-to-doorbell", hand_overs[len(hand_overs) // 2], "instructions"
        yield "interrupt-to-user", self.end - last, "instructions"
        yield "interrupt-to-user-accesses", self.accesses_between(last, self.end), "accesses"
        yield "accesses", self.accesses_between(self.start, self.end), "accesses"
        yield "iommu-accesses", self.accesses_between(self.start, self.end, IOMMU), "accesses"
        yield "calls", len(self.calls), "calls"
        yield "interrupts", len(self.interrupts), "interrupts"
        for what in CALLS:
            yield what, self.counted[what], "calls"

    def event(self, name):
        return {"call": self.start, "doorbell": self.doorbells[0], "interrupt": self.interrupts[-1], "return": self.end}[name]


@functools.lru_cache
def symbols_of(folder, section):
    return Symbols(os.path.join(folder, "kallsyms-" + section.partition("-")[0]))


def best_rounds(folder):
    """By section: the round with the fewest instructions."""
    best = {}
    for path in sorted(glob.glob(os.path.join(folder, "*-[0-9]"))):
        name = os.path.basename(path)[:-2]
        section = Section(path, symbols_of(folder, name))
        if name not in best or section.instructions() < best[name].instructions():
            best[name] = section
    return best


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
    for name, section in best_rounds(options.folder).items():
        for what, value, unit in section.figures():
            print(f"# figure {options.prefix}{name}-{what} {value} {unit}")


if __name__ == "__main__":
    sys.exit(main())
