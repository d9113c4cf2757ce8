# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""What a user of the documentation has: files of a model, and a board with the checkout's results on it."""

import os
import re
import shlex
import struct
import subprocess
import tempfile

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
ORK_BOARD = os.path.join(ROOT, "tools/emulator/ork-board")
BOARD_SECONDS = 600

# By the name of the board: kernel, and options of ork-board. The driver is there and not loaded.
BOARDS = {
    "mainline": ("6.12", ["--no-module"]),
    "vendor": ("6.1", ["--no-module", "--dt", "vendor"]),
    "rocket": ("mainline", ["--no-module", "--load", "rocket"]),
}

# The only user of the board is root.
SUDO = "#!/bin/sh\nexec \"$@\"\n"


def write_gguf(path, tensors):
    """TENSORS: float32 arrays by name, [batch][N][K]."""
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), 0)
    data = b""
    for name, array in tensors.items():
        data += b"\0" * (-len(data) % 32)
        head += struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", array.ndim)
        head += struct.pack(f"<{array.ndim}Q", *reversed(array.shape)) + struct.pack("<IQ", 0, len(data))
        data += array.astype("<f4").tobytes()
    with open(path, "wb") as file:
        file.write(head + b"\0" * (-len(head) % 32) + data)


def make_files(folder):
    """The files that the examples of the man pages read."""
    random = numpy.random.default_rng(1)
    numpy.save(os.path.join(folder, "a.npy"), random.normal(size=(8, 64)).astype("<f2"))
    numpy.save(os.path.join(folder, "b.npy"), random.normal(size=(64, 48)).astype("<f2"))
    write_gguf(os.path.join(folder, "model.gguf"), {
        "blk.0.ffn_up_exps.weight": random.normal(size=(4, 32, 64)),
        "token_embd.weight": random.normal(size=(96, 64)),
    })


def is_there(place):
    """Whether the board's kernel is; the newest one is built only when somebody asks for it."""
    paths = subprocess.run([os.path.join(ROOT, "tools/setup/paths.sh"), "ORK_KERNELS_DIR"], stdout=subprocess.PIPE,
                           check=True, text=True).stdout.strip()
    return os.path.exists(os.path.join(paths, BOARDS[place][0], "recipe"))


def board_script(texts):
    """Each command in a shell of its own, its output between two lines that name it."""
    lines = ["export LC_ALL=C USER=root"]
    for number, text in enumerate(texts):
        lines += ["echo", f"echo '@begin {number}'", f"sh -c {shlex.quote(text)} 2>&1", "status=$?", "echo",
                  f"echo \"@end {number} $status\""]
    return "\n".join(lines) + "\n"


def run_on_board(place, build, texts):
    """Runs the commands one after another on a board that is booted for them. Returns (status, output) for each."""
    kernel, options = BOARDS[place]
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("sudo", SUDO), ("commands", board_script(texts))):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)
            os.chmod(os.path.join(folder, name), 0o755)
        puts = [f"{folder}/sudo:/usr/bin/sudo", f"{folder}/commands:/root/commands",
                f"{build}/module-{kernel}/rknpu_ork.ko:/root/build/module/rknpu_ork.ko"]
        result = subprocess.run([ORK_BOARD, "run", "--kernel", kernel, "--build", build, "--timeout", str(BOARD_SECONDS),
                                 *options, *[word for put in puts for word in ("--put", put)], "--", "sh", "/root/commands"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    output = result.stdout.decode(errors="replace")
    found = {int(match[1]): (int(match[3]), match[2])
             for match in re.finditer(r"^@begin (\d+)\n(.*?)\n?^@end \1 (\d+)$", output, re.DOTALL | re.MULTILINE)}
    lost = (125, "the board did not get to this command")
    return [found.get(number, lost) for number in range(len(texts))]
