#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Counts the arm64 instructions of the library's work on the CPU, per byte read or written.

    count.py USER_EMULATION FOLDER

USER_EMULATION is where setup put Debian's qemu-user. FOLDER holds count_plugin.so and, for arm64, bench_cpu with NEON
and bench_cpu_scalar without, and bench_checker. A program runs with some rounds of work and with more: the difference
is the work alone. Counts are exact and the same everywhere.
"""

import os
import subprocess
import sys

FEW, MANY = 2, 6


def run(emulation, folder, program, *arguments):
    """(instructions, what the program printed)"""
    command = [os.path.join(emulation, "usr/bin/qemu-aarch64"), "-plugin", os.path.join(folder, "count_plugin.so"),
               os.path.join(folder, program), *arguments]
    libraries = {"LD_LIBRARY_PATH": os.path.join(emulation, "usr/lib/x86_64-linux-gnu")}
    result = subprocess.run(command, env=libraries, capture_output=True, encoding="ascii")
    if result.returncode:
        sys.exit(f"count.py: {' '.join(command)}: {result.stderr}")
    return int(result.stderr or 0), result.stdout


def per_byte(emulation, folder, program, before, after=()):
    few, output = run(emulation, folder, program, *before, str(FEW), *after)
    many, _ = run(emulation, folder, program, *before, str(MANY), *after)
    return (many - few) / (MANY - FEW) / int(output)


def main(emulation, folder):
    _, names = run(emulation, folder, "bench_cpu", "names")
    for variant, program in (("neon", "bench_cpu"), ("scalar", "bench_cpu_scalar")):
        for name in names.split():
            value = per_byte(emulation, folder, program, [name], [variant])
            print(f"# figure arm64-{variant}-{name} {value:.4f} instructions/byte")
    print(f"# figure arm64-kernel-checker {per_byte(emulation, folder, 'bench_checker', []):.4f} instructions/byte")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
