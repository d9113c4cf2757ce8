# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Finds the commands that README.md, the pages and the man pages tell people to type.

In README.md and in the pages they stand in blocks of the kind "console", each after a prompt: "$ " on the machine with the
checkout, "board$ " on a board. A line that ends in a backslash goes on in the next one. Lines without a prompt are what
the command prints, as far as it matters; "..." stands for anything. In the pages ":class: NAME" says which board: "vendor"
for one with the vendor's device tree, "rocket" for one whose NPU the driver rocket has; without it, mainline's.

In man pages they are the lines of EXAMPLES, and the forms of a command in SYNOPSIS.
"""

import dataclasses
import re

HOST = "host"
BOARD = "mainline"

PROMPT = re.compile(r"(board)?\$ (.*)")
# What looks like a command to type, outside of a block of the right kind.
STRAY = re.compile(r"\s{4,}(board)?(\$ |sudo |make |ork |tools/emulator/ork-board run )")


@dataclasses.dataclass
class Command:
    """What is typed at PLACE, and the lines that are shown as its output."""

    source: str
    line: int
    place: str
    text: str
    shown: list = dataclasses.field(default_factory=list)

    def __str__(self):
        return f"{self.source}:{self.line}: {self.text}"


def console(source, first_line, lines, board):
    """The commands of a block."""
    commands = []
    goes_on = False
    for number, line in enumerate(lines, first_line):
        prompt = PROMPT.fullmatch(line)
        if goes_on:
            commands[-1].text += " " + line.strip()
        elif prompt:
            commands.append(Command(source, number, board if prompt[1] else HOST, prompt[2]))
        elif line.strip() and commands:
            commands[-1].shown.append(line)
        goes_on = bool(commands) and commands[-1].text.endswith("\\")
        if goes_on:
            commands[-1].text = commands[-1].text[:-1].rstrip()
    return commands


def of_markdown(source, text):
    """Commands and stray lines of README.md."""
    commands, stray, block = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if block == "console":
                commands += console(source, first, lines, BOARD)
            block = line[3:] or "text" if block is None else None
            first, lines = number + 1, []
        elif block is not None:
            lines.append(line)
        elif STRAY.match(line):
            stray.append(f"{source}:{number}: {line.strip()}")
    return commands, stray


def of_page(source, text):
    """Commands and stray lines of a page in reStructuredText."""
    commands, stray = [], []
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        directive = re.match(r"( *)\.\. code-block:: (\w+)", lines[number])
        number += 1
        if directive:
            end = number
            while end < len(lines) and (not lines[end].strip() or lines[end].startswith(directive[1] + "   ")):
                end += 1
            body = [line[len(directive[1]) + 3:] for line in lines[number:end]]
            if directive[2] == "console":
                kind = re.match(r":class: (\w+)", body[0])
                commands += console(source, number + 1, body, kind[1] if kind else BOARD)
            number = end
        elif STRAY.match(lines[number - 1]):
            stray.append(f"{source}:{number}: {lines[number - 1].strip()}")
    return commands, stray


def of_roff(text):
    """A line of a man page without its fonts and escapes."""
    text = re.sub(r"\\f[BIRP]", "", text)
    for escape, char in (("\\-", "-"), ("\\(aq", "'"), ("\\(dq", '"'), ("\\&", ""), ("\\e", "\\")):
        text = text.replace(escape, char)
    return text


def section(text, name):
    """(line number, line) of the lines of a section."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(".SH"):
            inside = line == f".SH {name}"
        elif inside:
            yield number, line


def examples(source, text):
    """Commands of EXAMPLES: its lines that are no requests of roff, in blocks without filling."""
    commands, filled = [], True
    for number, line in section(text, "EXAMPLES"):
        if line in (".nf", ".EX"):
            filled = False
        elif line in (".fi", ".EE"):
            filled = True
        elif not filled and line and not line.startswith("."):
            commands.append(Command(source, number, HOST, of_roff(line)))
    return commands


def synopsis(text):
    """The forms of a command in SYNOPSIS, as text."""
    words, forms = [], []
    for _, line in section(text, "SYNOPSIS"):
        if line in (".br", ".sp", ".PP"):
            forms.append(" ".join(words))
            words = []
        else:
            macro = re.match(r"\.(B|I|BR|IR|RB|RI|BI|IB) (.*)", line)
            parts = re.findall(r'"[^"]*"|\S+', macro[2]) if macro else [line]
            joint = " " if macro and len(macro[1]) == 1 else ""
            words.append(of_roff(joint.join(part.strip('"') for part in parts)))
    return [form for form in forms + [" ".join(words)] if form]


def prototypes(text):
    """The C declarations of SYNOPSIS: its first block without filling."""
    lines = []
    for _, line in section(text, "SYNOPSIS"):
        if line == ".fi" or (line == ".nf" and lines):
            break
        if line.startswith((".B ", ".BI ")):
            parts = re.findall(r'"[^"]*"|\S+', line.split(" ", 1)[1])
            joint = " " if line.startswith(".B ") else ""
            lines.append(of_roff(joint.join(part.strip('"') for part in parts)))
    return "\n".join(lines)
