# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""What the tests of ork in Python share. Their first argument is the folder with bin/ork."""

import os
import sys

ORK = os.path.abspath(os.path.join(sys.argv[1], "bin", "ork"))
# Runs it on the in-process model.
ENV = {**os.environ, "ORK_DEVICE": "model"}
count = failed = 0


def ok(good, name, detail=""):
    """One test result, named after the behaviour; the detail is shown if it is bad."""
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}" + (f": {detail}" if detail and not good else ""), flush=True)


def finish():
    """Prints the plan and exits with the status of the test."""
    print(f"1..{count}")
    sys.exit(failed > 0)
