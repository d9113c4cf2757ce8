#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""What all commands of ork share: JSON as it is documented, colours, progress bars.

usage: test_ork_frame.py BUILD    the folder with bin/ork
"""

import json
import os
import pty
import re
import subprocess
import tempfile

import tap
from tap import ORK, finish, ok

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Documentation/ork-json.rst")
TOP = os.path.join(os.path.dirname(PAGE), "../tools/ork/top_print.c")
ENV = {**tap.ENV, "NO_COLOR": ""}
printed = {}  # by command, all members that were seen


def ork(*args, env=ENV):
    done = subprocess.run([ORK, *args], capture_output=True, env=env)
    return done.returncode, done.stdout, done.stderr


def on_terminal(which, *args, env=ENV):
    """What the command prints on a terminal, that is stdout or stderr."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([ORK, *args], env=env, stdin=subprocess.DEVNULL,
                               **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, which: theirs})
    os.close(theirs)
    text = b""
    try:
        while part := os.read(ours, 4096):
            text += part
    except OSError:  # the other end was closed
        pass
    process.communicate()
    os.close(ours)
    return text


def members(value, name=""):
    """Names of all members, as in the documentation."""
    if isinstance(value, list):
        return set().union(*(members(element, name + "[]") for element in value))
    if isinstance(value, dict):
        return set().union(*(members(element, f"{name}.{key}" if name else key) for key, element in value.items()))
    return {name}


def one_object(name, *args, status=0):
    """The command prints one object on one line, which says who made it."""
    got, out, err = ork(*args, "--json")
    try:
        result = json.loads(out)
    except ValueError:
        result = {}
    ok(got == status and out.count(b"\n") == 1 and not err and list(result)[:2] == ["format", "command"] and
       result["format"] == 1 and result["command"] == args[0], name, f"{got} {out} {err}")
    printed.setdefault(args[0], set()).update(members(result) - {"format", "command"})
    return result


def check_help():
    listed = re.search(r"^commands:\n(.*?)\n\n", ork("--help")[1].decode(), re.S | re.M).group(1)
    for command in re.findall(r"^  (\w+)", listed, re.M):
        if command == "help":
            continue
        status, out, _ = ork("help", command)
        ok(status == 0 and f"usage: ork {command}" in out.decode() and "--json" in out.decode(), f"{command} has --json", out)


def check_json():
    result = one_object("info prints JSON", "info")
    ok(result["backend"] == "model" and len(result["cores"]) == 3, "with the backend and the cores", result)
    result = one_object("matmul prints JSON", "matmul", "-m", "2", "-k", "64", "-n", "32", "--verify", "--explain")
    ok(result["wrong"] == 0 and result["times_are_of"] == "model" and "tiles:" in result["plan"],
       "with the verdict, what the time is of, and the plan", result)
    result = one_object("matmul without --verify too", "matmul", "-m", "2", "-k", "64", "-n", "32", "-o", "w.npy",
                        "--type", "f16f16")
    ok(result["wrong"] is None, "without a verdict", result)
    result = one_object("pack prints JSON", "pack", "-o", "w.orkpack", "--type", "f16", "w.npy")
    ok(result["tensors"][0]["name"] == "w" and result["bytes"] == result["tensors"][0]["bytes"], "with the tensors", result)
    result = one_object("inspect prints JSON", "inspect", "--verify", "w.orkpack")
    ok(result["tensors"][0]["verified"] == "ok", "with the verdict", result)
    result = one_object("unpack prints JSON", "unpack", "-o", b"b\xff\xe2\x82\xac\".npy", "w.orkpack", "w")
    ok(result["file"] == "b\ufffd\u20ac\".npy" and result["elements"] == "float16", "also for bytes that are no text", result)

    with open("w.orkpack", "r+b") as f:
        f.seek(4096)  # weights begin with the second page
        first = f.read(1)[0]
        f.seek(4096)
        f.write(bytes([first ^ 1]))
    result = one_object("the object comes with status 1 too", "inspect", "--verify", "w.orkpack", status=1)
    ok(result["tensors"][0]["verified"] != "ok", "and says what is wrong", result)
    one_object("bench prints JSON", "bench", "--shape", "1x32x32", "--repeat", "1")
    for args in (["inspect", "none.orkpack"], ["info", "--device", "/dev/null"], ["matmul", "-m", "0"]):
        status, out, err = ork(*args, "--json")
        ok(status >= 2 and not out and err.count(b"\n") == 1, f"an error of {args[0]} is a line on stderr", f"{out} {err}")
    result = one_object("selftest prints JSON", "selftest")
    ok(result["failed"] == 0 and result["passed"] == len(result["tests"]), "with the tests", result)
    result = one_object("doctor prints JSON", "doctor", "--root", "nowhere", status=1)
    ok(result["faults"] == 2 and result["checks"][1]["check"] == "module", "with the checks", result)


def check_documentation():
    with open(PAGE, encoding="utf-8") as f:
        sections = re.findall(r"^(ork \w+)(?: and (ork \w+))?\n=+\n\n=+  =+\n(.*?)\n=+  =+$", f.read(), re.S | re.M)
    for *titles, table in sections:
        commands = [title.split()[1] for title in titles if title and title.split()[1] in printed]
        # A first column has names only.
        documented = {name for cells in re.findall(r"^(``[^ ]*``(?:, ``[^ ]*``)*)", table, re.M)
                      for name in re.findall(r"``(.*?)``", cells)}
        if titles[0] == "ork top":  # has nothing to look at here
            documented = {part.strip("[]") for name in documented for part in name.split(".")}
            with open(TOP, encoding="utf-8") as f:
                seen = set(re.findall(r'json_(?!begin)\w+\(&?json, "(\w+)"', f.read()))
        elif not commands:
            continue
        else:
            seen = set().union(*(printed.pop(command) for command in commands))
        ok(seen == documented, f"members of {titles[0]} are documented", f"{seen ^ documented}")
    ok(not printed, "each command is", printed)


def check_terminal():
    product = ["matmul", "-m", "2", "-k", "64", "-n", "32", "--verify"]
    ok(b"\033[32mok\033[0m" in on_terminal("stdout", *product), "a terminal gets colours")
    ok(b"\033" not in on_terminal("stdout", *product, env={**ENV, "NO_COLOR": "1"}), "not with NO_COLOR")
    ok(b"\033" not in ork(*product)[1], "a pipe gets none")
    pack = ["pack", "-o", "p.orkpack", "w.npy", "--type", "f16"]
    text = on_terminal("stderr", *pack)
    ok(re.search(rb"\[[#.]{30}\] +\d+ % w", text) and text.endswith(b"\r\033[K"), "work shows a bar and removes it", text)
    ok(not ork(*pack)[2], "a pipe gets no bar")
    ok(b"] " in on_terminal("stderr", "inspect", "--verify", "p.orkpack"), "inspect --verify shows one")
    ok(b"" == on_terminal("stderr", "inspect", "p.orkpack"), "inspect alone does not")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    check_help()
    check_json()
    check_documentation()
    check_terminal()
    os.chdir("/")

finish()
