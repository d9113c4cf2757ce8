# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Documented commands that the test does not run as they are written.

A command has to match all of PATTERN, a regular expression. INSTEAD is what is run in its place, None is nothing. Each line
has to apply to a command of the documentation.
"""

import collections

Exception_ = collections.namedtuple("Exception_", "pattern instead reason")

EXCEPTIONS = [
    Exception_(r"make module KDIR=/lib/modules/\$\(uname -r\)/build", "test -e build/module/rknpu_ork.ko",
               "the board has no compiler; \"make module\" builds the same module for its kernel"),
    Exception_(r"make lib tools && sudo make install.*", "ork --version",
               "the board has no compiler; selftests/host/test_install.sh installs"),
    Exception_(r"make check.*", None, "this test is a part of it"),
    Exception_(r"make demo", "tools/demo.sh build/host/bin/ork",
               "the rest of it boots a board with the same script, which the commands for boards do as well"),
]
