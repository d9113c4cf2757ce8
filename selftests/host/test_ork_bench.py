#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""ork bench on the in-process model: which products it measures, what it makes of the times, and the plot.

usage: test_ork_bench.py BUILD    the folder with bin/ork
"""

import json
import os
import subprocess
import tempfile
import xml.etree.ElementTree

from tap import ENV, ORK, finish, ok


def bench(*args):
    done = subprocess.run([ORK, "bench", *args], capture_output=True, text=True, env=ENV)
    return done.returncode, done.stdout, done.stderr


def results(*args):
    status, out, err = bench("--json", "--warmup", "0", *args)
    return json.loads(out) if status == 0 else {"results": [], "error": err}


def measured(result):
    return [(f"{r['m']}x{r['k']}x{r['n']}", r["type"], r["cores"]) for r in result["results"]]


def refuse(text, name, *args):
    """The command fails with one line that has the text and leaves no file."""
    status, out, err = bench(*args)
    ok(status == 2 and not out and err.count("\n") == 1 and text in err and not os.path.exists("bad.svg"), name,
       f"{status} {out} {err}")


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def check_choice():
    got = measured(results("--shape", "2x64x32", "--shape", "3x32x64", "--type", "i8", "--type", "f16", "--cores", "1",
                           "--cores", "auto", "--repeat", "1"))
    ok(got == [(shape, t, cores) for shape in ("2x64x32", "3x32x64") for t in ("i8", "f16") for cores in ("1", "auto")],
       "each shape is measured with each type on each number of cores", got)
    write("shapes", "# of a layer\n\n1x64x32 bf16\n 2x64x32\t# remark\n")
    got = measured(results("--file", "shapes", "--type", "i4", "--repeat", "1"))
    ok(got == [("1x64x32", "bf16", "auto"), ("2x64x32", "i4", "auto")], "a file has shapes, and types that go first", got)
    got = results("--model", "experts", "--repeat", "1")
    ok(measured(got) == [(s, "i8", "auto") for s in ("1x2048x512", "1x512x2048", "1x1792x2048")] and
       got["results"][0]["name"] == "Qwen gate, up", "a model table has shapes with names", got)


def check_figures():
    got = results("--shape", "4x640x96", "--repeat", "5", "--cores", "2", "--clock", "500", "--bandwidth", "10")
    r = got["results"][0]
    ok(0 < r["shortest_ms"] <= r["p10_ms"] <= r["median_ms"] <= r["p90_ms"], "the median lies within the spread", r)
    ops = 2 * 4 * 640 * 96
    ok(abs(r["gops"] * r["median_ms"] * 1e6 / ops - 1) < 1e-4, "GOP/s count two operations per multiplication", r)
    intensity = ops / (4 * 640 + 640 * 96 + 4 * 4 * 96)
    ok(abs(r["ops_per_byte"] / intensity - 1) < 1e-4 and abs(r["gbps"] * intensity / r["gops"] - 1) < 1e-4,
       "bytes are those of A, B and C", r)
    ok(abs(r["roof_gops"] / (intensity * 10) - 1) < 1e-4 and abs(r["share"] * r["roof_gops"] / r["gops"] - 1) < 1e-4,
       "few operations per byte are below the roof of the memory", r)
    ok(got["times_are_of"] == "model" and got["clock_from"] == "--clock" and got["bandwidth_from"] == "--bandwidth",
       "where times and the roof are from is told", got)
    r = results("--shape", "4x640x96", "--repeat", "1", "--cores", "2", "--clock", "500", "--bandwidth", "1e5")["results"][0]
    ok(r["roof_gops"] == 2 * 1024 * 2 * 0.5, "else below that of the array", r)
    status, out, _ = bench("--shape", "1x32x32", "--repeat", "1")
    ok(status == 0 and "times are of the model and say nothing about an RK3588" in out and
       "1000 MHz (top of the RK3588), 33.8 GB/s (64-bit DRAM" in out, "people are told the same", out)


def check_plot():
    status, _, err = bench("--shape", "1x64x32", "--shape", "64x64x32", "--repeat", "1", "--plot", "out.svg")
    text = ""
    if status == 0:
        root = xml.etree.ElementTree.parse("out.svg").getroot()
        points = [e for e in root.iter() if e.tag.endswith("circle")]
        text = "\n".join(e.text or "" for e in root.iter() if e.tag.endswith("text"))
        size = float(root.get("width")), float(root.get("height"))
        ok(len(points) == 2 and all(0 < float(p.get("cx")) < size[0] and 0 < float(p.get("cy")) < size[1] for p in points),
           "the plot has a point for each product", text)
        ok(not any("href" in e.attrib or e.tag.endswith("image") for e in root.iter()), "and needs no other file")
    for what in ("operations per byte", "GOP/s", "1: 1x64x32 i8, cores auto", "2: 64x64x32 i8", "6144 GOP/s",
                 "Times are of the model and say nothing about an RK3588."):
        ok(what in text, f"it says \"{what}\"", f"{text} {err}")


def check_refusals():
    refuse("are needed", "no shape")
    for shape in ("1x2", "1x2x3x4", "0x1x1", "1x1x1048577", "axbxc", "1x2x", ""):
        refuse("--shape takes", f"the shape \"{shape}\"", "--shape", shape, "--plot", "bad.svg")
    refuse("--model takes qwen3-1.7b, experts, published", "an unknown model", "--model", "gpt")
    refuse("--type takes", "an unknown type", "--shape", "1x1x1", "--type", "f64")
    refuse("--cores takes", "four cores", "--shape", "1x1x1", "--cores", "4")
    refuse("--repeat takes", "no repetition", "--shape", "1x1x1", "--repeat", "0")
    for number in ("0", "-1", "nan", "inf", "fast", "1e9", ""):
        refuse("--bandwidth takes", f"a bandwidth of \"{number}\"", "--shape", "1x1x1", "--bandwidth", number)
    refuse("cannot read none", "a missing file", "--file", "none")
    for line in ("1x2", "1x2x3 f64", "1x2x3 i8 i8"):
        write("shapes", f"1x1x1\n{line}\n")
        refuse("shapes, line 2: ", f"a file with \"{line}\"", "--file", "shapes")
    refuse("cannot write", "a plot in a folder that does not exist", "--shape", "1x1x1", "--plot", "none/out.svg")
    refuse("unexpected argument", "an argument", "1x1x1")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    check_choice()
    check_figures()
    check_plot()
    check_refusals()
    os.chdir("/")

finish()
