#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""ork regcmd: programs and dumps of hangs, taken apart and checked.

usage: test_ork_regcmd.py BUILD    the folder with bin/ork
"""

import json
import os
import struct
import subprocess
import tempfile

from tap import ENV, ORK, finish, ok

# int8, C[4][64] = A[4][64] * B[64][64], hardware reference 3.12
GOOD = {
    0x4004: 0xe, 0x100c: 0, 0x1010: 0x50, 0x1014: 0x9, 0x1020: 0x00010004, 0x1024: 0x003f0040, 0x1028: 1, 0x102c: 4,
    0x1030: 0x1000, 0x1034: 0x40, 0x1038: 0x01010040, 0x1040: 0xb1, 0x1044: 1, 0x104c: 0xb, 0x1050: 0x10000,
    0x1054: 0x10000, 0x1058: 0x10000, 0x105c: 0x10000, 0x1070: 0x10000, 0x1078: 0x000f000f, 0x107c: 4, 0x1080: 0x0ffffffd,
    0x1084: 0x00010004, 0x1088: 0x40, 0x1110: 0x20000, 0x3010: 0, 0x3014: 0x00030000, 0x3018: 0x3f, 0x400c: 0x1e4,
    0x4010: 0x80000000, 0x4020: 0x30000, 0x4024: 0x40, 0x4030: 0, 0x4034: 3, 0x4038: 0, 0x403c: 0x003f003f, 0x4040: 0x53,
    0x4050: 0x7fe, 0x4058: 0x3f, 0x405c: 0x00030000, 0x4060: 0x53, 0x4070: 0x383, 0x4078: 1, 0x4080: 0, 0x4084: 1,
    0x4088: 0, 0x40c0: 0x200,
}


def task(**changes):
    """The words of the task with other values for some registers: r1040=0x11."""
    regs = {**GOOD, **{int(name[1:], 16): value for name, value in changes.items()}}
    target = {1: 0x0201, 3: 0x0801, 4: 0x1001}
    return [target[reg >> 12] << 48 | value << 16 | reg for reg, value in regs.items()]


def trailer(next_va=0, amount=0, enable=0x0d):
    return [0x0101 << 48 | next_va << 16 | 0x10 if next_va else 0, 0x0101 << 48 | amount << 16 | 0x14, 0x0041 << 48,
            0x0081 << 48 | enable << 16 | 0x08]


def regcmd(*args, words=None, text=None):
    """Runs it on a file of the words, or of the text; returns status, stdout, stderr."""
    data = struct.pack(f"<{len(words)}Q", *words) if words is not None else text
    if data is not None:
        with open("in", "wb") as f:
            f.write(data)
    done = subprocess.run([ORK, "regcmd", *args, "in"], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def line_of(out, register):
    return next((line.split() for line in out.splitlines() if f" {register} " in line), [])


def check_program():
    status, out, err = regcmd(words=task())
    ok(status == 0 and not err and "checker: accepted" in out, "a good task is accepted", out + err)
    ok(line_of(out, "CONV_CON3")[1:] == ["CNA", "CONV_CON3", "0x00000009", "CONV_Y_STRIDE=1", "CONV_X_STRIDE=1"],
       "fields have names", out)
    ok("SURF_STRIDE=-3" in out, "a negative stride is shown as one", out)
    ok("FEATURE_BASE_ADDR=0x00010000" in out, "an address is hexadecimal", out)

    bad = task(r1040=0xb0)
    status, out, _ = regcmd(words=bad)
    where = list(GOOD).index(0x1040)
    ok(status == 1 and f"refused at word {where}: BANKS" in out and "<- refused" in " ".join(line_of(out, "CBUF_CON0")),
       "banks that are too small are refused, with the word", out)

    status, out, _ = regcmd(words=task() + [0x2001 << 48 | 1 << 16 | 0x5034])
    ok(status == 1 and "DPU_RDMA  ERDMA_CFG" in out and "TARGET" in out, "other blocks have names but are refused", out)
    status, out, _ = regcmd(words=[0x0201 << 48 | 0x1018, 0x1234 << 48])
    ok(status == 1 and "(0x1018)" in out and "(target 0x1234, 0x0000)" in out, "what is unknown is shown as it is", out)
    status, out, _ = regcmd(words=[0x1001 << 48 | 0x100c])
    ok(status == 1 and "CONV_CON1" not in out, "a register of another block has no name", out)


def check_tasks():
    words = task() + trailer(0x1000, 25) + [0] + task(r1040=0x20b1, r1070=0x10040) + trailer()
    status, out, err = regcmd(words=words)
    ok(status == 0 and "2 tasks, 0 refused" in out, "tasks are told apart by their trailers, padding is left out", out)
    ok("PC_SOURCE_ADDR=0x00001000" in out and out.count("CNA CORE DPU") == 2, "trailers are shown", out)
    status, out, _ = regcmd(words=task(r1040=0x20b1) + trailer())
    ok(status == 1 and "REUSE" in out and "not in the file" in out, "reuse without the task before it is said to be that", out)
    status, out, _ = regcmd(words=task() + trailer(enable=0x1d))
    ok(status == 1 and "TASK" in out and "DPU_RDMA" in out, "blocks that the driver does not start are refused", out)
    one = len(GOOD)
    status, out, _ = regcmd("--task-words", str(one), words=task() * 3)
    ok(status == 0 and "3 tasks, 0 refused" in out, "--task-words cuts words without trailers", out)


def check_matmul():
    for kind in ("i8", "i8q", "i4", "f16", "f16f16", "bf16"):
        done = subprocess.run([ORK, "matmul", "-m", "200", "-k", "700", "-n", "300", "--type", kind, "--dump-regcmd", "in"],
                              capture_output=True, text=True, env=ENV)
        status, out, err = regcmd("--task-words", "104")
        ok(done.returncode == 0 and status == 0 and "accepted" in out and "DATAIN_HEIGHT" in out,
           f"what ork matmul --type {kind} runs is written and accepted", done.stderr + out[-300:] + err)
    done = subprocess.run([ORK, "matmul", "-m", "1", "-k", "32", "-n", "32", "--dump-regcmd", "none/in"],
                          capture_output=True, text=True, env=ENV)
    ok(done.returncode == 2 and "cannot write none/in: No such file" in done.stderr and not done.stdout,
       "a file that cannot be written is an error", done)


def check_json():
    status, out, err = regcmd("--json", words=task(r1040=0xb0) + trailer())
    result = json.loads(out)
    first = result["tasks"][0]
    word = next(w for w in first["words"] if w["register"] == "CBUF_CON0")
    ok(status == 1 and result["command"] == "regcmd" and not first["accepted"] and first["reject"] == "BANKS" and
       first["reject_word"] == word["word"] and first["trailer_words"] == 4, "JSON has the verdict", out)
    ok(word["block"] == "CNA" and word["fields"] == {"WEIGHT_REUSE": 0, "DATA_REUSE": 0, "FC_DATA_BANK": 0,
                                                     "WEIGHT_BANK": 11, "DATA_BANK": 0}, "and all fields", word)


def check_dump():
    words = task(r1040=0x1f) + trailer()
    text = ("rknpu-ork coredump 1\nkernel: 6.12\ncore: 1\nprocess: a: b\ncause: no progress\ntasks: 0 to 0\ntask: 0\n"
            "registers:\nPC OPERATION_ENABLE: 0x00000001\nDPU WHATEVER: 0x00000001\nCNA S_STATUS: 0x00020001\n"
            f"commands: {len(words)} words at 0x00001000\n" + "".join(f"{w:016x}\n" for w in words)).encode()
    status, out, err = regcmd(text=text)
    ok(status == 1 and "cause    no progress" in out and "process  a: b" in out and "refused at word" in out,
       "a dump of a hang is read", out + err)
    ok("STATUS_1=2 STATUS_0=1" in out and "DPU WHATEVER" in out, "with its registers", out)
    result = json.loads(regcmd("--json", text=text)[1])
    ok(result["dump"]["core"] == "1" and result["dump"]["registers"]["CNA S_STATUS"] == 0x20001 and
       result["dump"]["address"] == 4096, "also as JSON", result)
    for name, cut in (("in the commands", text[:-30]), ("before the commands", text[:100]),
                      ("in another format", text.replace(b"dump 1", b"dump 2")),
                      ("with a bad word", text.replace(b"0041000000000000", b"004100000000000g"))):
        status, out, err = regcmd(text=cut)
        ok(status == 2 and not out and err.count("\n") == 1, f"a dump that ends or goes wrong {name} is refused", out + err)


def check_refusals():
    for name, data, reason in (("an empty file", b"", "empty"), ("an odd size", b"123", "3 bytes")):
        status, out, err = regcmd(text=data)
        ok(status == 2 and not out and reason in err, f"{name} is refused", err)
    os.remove("in")
    status, out, err = regcmd()
    ok(status == 2 and "No such file" in err, "so is a missing one", err)
    done = subprocess.run([ORK, "regcmd", "-"], input=struct.pack(f"<{len(GOOD)}Q", *task()), capture_output=True)
    ok(done.returncode == 0 and b"accepted" in done.stdout, "stdin is read for \"-\"", done)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    check_program()
    check_tasks()
    check_matmul()
    check_json()
    check_dump()
    check_refusals()
    os.chdir("/")

finish()
