#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Runs the commands of the documentation, in the order in which they stand there, as a new user would.

Those for the machine with the checkout run there, with the model of the NPU as device; those for a board in one boot of
the emulated board per device tree. exceptions.py lists what cannot be run as it is written, and why. documented.py tells
how commands are written. A command has to succeed, unless what is shown below it is its error message; what is shown has
to be printed.

usage: test_docs.py BUILD     the folder with host/, guest/ and module-<kernel>/
"""

import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import documented  # noqa: E402
import fixtures  # noqa: E402
from exceptions import EXCEPTIONS  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
ERROR_LINE = re.compile(r"(ork|insmod|modprobe|rmmod|mount|sh|make): ")
HOST_SECONDS = 900


class Tap:
    """Prints results; remembers whether one was bad."""

    def __init__(self):
        self.count = 0
        self.failed = False

    def ok(self, good, name, details=()):
        self.count += 1
        self.failed |= not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}")
        for line in () if good else details:
            print(f"# {line}")
        sys.stdout.flush()

    def done(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def files(folder, pattern):
    names = sorted(name for name in os.listdir(os.path.join(ROOT, folder)) if re.fullmatch(pattern, name))
    return [os.path.join(folder, name) for name in names]


def collect():
    """Commands of README.md and the pages; lines that look like one and are in no block."""
    commands, stray = documented.of_markdown("README.md", read("README.md"))
    for page in files("Documentation", r".*\.rst"):
        more, lost = documented.of_page(page, read(page))
        commands += more
        stray += lost
    return commands, stray


def exception_of(command):
    return next((entry for entry in EXCEPTIONS if re.fullmatch(entry.pattern, command.text)), None)


def to_run(command):
    """What is run for a command; None: nothing."""
    exception = exception_of(command)
    return exception.instead if exception else command.text


def complaint_about(command, status, output):
    """Why the command did not do what the documentation says, as a line, or None."""
    wants_error = any(ERROR_LINE.match(line) for line in command.shown)
    if wants_error != (status != 0):
        return f"exit status {status}"
    lines = iter(output.splitlines())
    for shown in command.shown:
        pattern = ".*".join(re.escape(part) for part in shown.strip().split("..."))
        if not any(re.fullmatch(r"\s*" + pattern + r"\s*", line) for line in lines):
            return f"'{shown.strip()}' is not printed"
    return None


def judge(tap, command, status, output):
    complaint = complaint_about(command, status, output)
    tap.ok(not complaint, f"{command}", [complaint, *output.splitlines()[-40:]])


def host_environment(build):
    env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    env["ORK_DEVICE"] = "model"
    env["PATH"] = os.path.abspath(os.path.join(build, "host/bin")) + ":" + env["PATH"]
    return env


def run_on_host(text, folder, env):
    result = subprocess.run(["bash", "-c", text], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, timeout=HOST_SECONDS, check=False)
    return result.returncode, result.stdout.decode(errors="replace")


def test_host(tap, commands, folder, env):
    for command in commands:
        text = to_run(command)
        if text is not None:
            judge(tap, command, *run_on_host(text, folder, env))


def test_board(tap, place, build, commands):
    commands = [command for command in commands if to_run(command) is not None]
    if not commands:
        return
    if not fixtures.is_there(place):
        tap.ok(True, f"{len(commands)} commands for the board {place} # SKIP its kernel has not been built")
        return
    results = fixtures.run_on_board(place, build, [to_run(command) for command in commands])
    for command, (status, output) in zip(commands, results):
        judge(tap, command, status, output)


# --- Man pages --------------------------------------------------------------------------------------------------------


def test_synopsis(tap, page, text, env):
    """Each form is of a command that has help, which names the form's options; none is missing."""
    forms = documented.synopsis(text)
    for form in forms:
        words = form.split()
        if words[1] == "help" or words[1].startswith("-"):
            continue
        status, output = run_on_host(f"ork help {words[1]}", ROOT, env)
        missing = [option for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", form) if option not in output]
        tap.ok(status == 0 and not missing, f"{page}: {form}", [f"its help lacks {missing}", *output.splitlines()])
    _, usage = run_on_host("ork --help", ROOT, env)
    known = set(re.findall(r"^  ([a-z]+) ", usage, re.MULTILINE)) - {"help"}
    named = {form.split()[1] for form in forms}
    tap.ok(bool(known) and known <= named, f"{page}: SYNOPSIS names every command", [f"missing: {sorted(known - named)}"])


def test_prototypes(tap, page, text, env):
    """Declaring the calls again is an error for the compiler if the header says something else."""
    source = documented.prototypes(text)
    result = subprocess.run(["gcc", "-x", "c", "-fsyntax-only", "-Wall", "-Werror", "-Ilib/include", "-"], cwd=ROOT, env=env,
                            input=source.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    tap.ok(result.returncode == 0 and "(" in source, f"{page}: SYNOPSIS is what the headers say",
           result.stdout.decode().splitlines())


def test_man_pages(tap, env):
    commands = []
    with tempfile.TemporaryDirectory() as folder:
        fixtures.make_files(folder)
        for page in files("Documentation/man", r".*\.[13]"):
            text = read(page)
            if page.endswith(".1"):
                test_synopsis(tap, page, text, env)
            else:
                test_prototypes(tap, page, text, env)
            commands += documented.examples(page, text)
        test_host(tap, commands, folder, env)
    return commands


# --- README -----------------------------------------------------------------------------------------------------------


def test_readme_code(tap, env):
    """The C of README.md compiles; its variables are the reader's."""
    code = re.search(r"```c\n(.*?)```", read("README.md"), re.DOTALL)[1]
    include, body = code.split("\n", 1)
    source = f"#include <stdio.h>\n{include}\nint product(void *A, void *B, void *C, size_t m, size_t n, size_t k)\n" \
        f"{{\n{body}return 0;\n}}\n"
    result = subprocess.run(["gcc", "-x", "c", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Ilib/include", "-"],
                            cwd=ROOT, env=env, input=source.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            check=False)
    tap.ok(result.returncode == 0, "README.md: the C code compiles", result.stdout.decode().splitlines())


def test_make_targets(tap, env):
    """What the documentation calls "make X" is there."""
    _, database = run_on_host("make -pqrR nothing-that-exists 2>/dev/null; true", ROOT, env)
    targets = set(re.findall(r"^([\w./%-]+):", database, re.MULTILINE))
    for source in ["README.md", *files("Documentation", r".*\.rst")]:
        named = set(re.findall(r"`make ([a-z][\w-]*)(?=[ `])", read(source)))
        tap.ok(named <= targets, f"{source}: make has the {len(named)} targets that are named", sorted(named - targets))


def main():
    build = sys.argv[1]
    env = host_environment(build)
    tap = Tap()
    commands, stray = collect()
    tap.ok(not stray, "every command is in a console block", stray)
    test_readme_code(tap, env)
    test_make_targets(tap, env)
    known = commands + test_man_pages(tap, env)
    test_host(tap, [command for command in commands if command.place == documented.HOST], ROOT, env)
    for place in fixtures.BOARDS:
        test_board(tap, place, build, [command for command in commands if command.place == place])
    for exception in EXCEPTIONS:
        tap.ok(any(exception_of(command) is exception for command in known), f"still documented: {exception.pattern}")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
