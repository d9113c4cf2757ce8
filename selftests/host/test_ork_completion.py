#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""bash completion and man page of ork: they have what the command takes.

usage: test_ork_completion.py BUILD    the folder with bin/ork
"""

import os
import re
import subprocess

from tap import ENV, ORK, finish, ok

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/ork/ork.bash")
MAN = os.path.join(os.path.dirname(SCRIPT), "../../Documentation/man/ork.1")
COMPLETE = """
. "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_ork "$2" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def ork(*args):
    return subprocess.run([ORK, *args], capture_output=True, text=True, env=ENV, stdin=subprocess.DEVNULL)


def offered(*words):
    """What bash offers for the last word of "ork WORDS"."""
    done = subprocess.run(["bash", "-c", COMPLETE, "bash", SCRIPT, ORK, *words], capture_output=True, text=True)
    return sorted(done.stdout.split()) if not done.stderr else done.stderr


def check_commands():
    listed = re.search(r"^commands:\n(.*?)\n\n", ork("--help").stdout, re.S | re.M).group(1)
    commands = re.findall(r"^  (\w+)", listed, re.M)
    ok(offered("") == sorted([*commands, "--help", "--version"]), "all commands are offered", offered(""))
    ok(offered("matm") == ["matmul"], "a part of one is completed")
    ok(offered("help", "un") == ["unpack"], "also for help")
    return [command for command in commands if command != "help"]


def check_options(command):
    text = "\n".join(line.strip().split("  ")[0] for line in ork("help", command).stdout.splitlines()
                     if line.startswith("  -"))
    options = sorted({*re.findall(r"(?:^|[ ,])(--?[a-z][a-z-]*)", text, re.M), "--help"})
    got = offered(command, "-")
    ok(got == options, f"all options of {command} are offered", f"{got} {options}")
    refused = [o for o in got if f'wrong option "{o}"' in ork(command, o, "--no-such-option").stderr]
    ok(not refused, f"{command} takes them", refused)
    with open(MAN, encoding="utf-8") as f:
        page = f.read().replace("\\-", "-")
    missing = [o for o in options if o != "--help" and not re.search(f"{re.escape(o)}(?![a-z-])", page)]
    ok(f"ork {command}" in page and not missing, f"the man page has {command} and its options", missing)


def check_values():
    """An error lists the values that an option takes."""
    for command, option in (("matmul", "--type"), ("bench", "--type"), ("pack", "--type"), ("matmul", "--cores"),
                            ("bench", "--cores"), ("bench", "--model")):
        err = ork(command, option, "none").stderr
        values = re.search(f"{option} takes (.*), not", err).group(1)
        got = offered(command, option, "")
        ok(got == sorted(re.split(", | or ", values)), f"values of {command} {option}", f"{got} {err}")
    ok("model" in offered("info", "--device", ""), "the model is a device")
    ok(offered("matmul", "-k", "") == [], "nothing is offered for a number")
    ok(offered("bench", "--plot", "") == [] and offered("pack", "-o", "") == [], "readline completes files")


for name in check_commands():
    check_options(name)
check_values()
finish()
