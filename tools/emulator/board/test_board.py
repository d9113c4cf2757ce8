#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Tests of ork-board (TAP). Needs the emulator and the kernels of setup, no driver.

Each test boots a board, so all of them together take about two minutes.
Arguments are names of tests to run; without any, all run.
"""

import concurrent.futures
import glob
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

ORK_BOARD = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "ork-board")
BOUND_SECONDS = 120
BOARDS_AT_ONCE = 2
MIB = 1 << 20

tests = []


def test(function):
    tests.append(function)
    return function


class Result:
    def __init__(self, done, seconds):
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr.decode("utf-8", "replace")
        self.seconds = seconds


def command_line(command, options):
    if "--build" not in options:
        options = ["--no-module", *options]
    return [sys.executable, ORK_BOARD, "run", *options, "--", *command]


def board(*command, options=()):
    started_at = time.monotonic()
    done = subprocess.run(command_line(command, options), capture_output=True, timeout=BOUND_SECONDS, check=False)
    return Result(done, time.monotonic() - started_at)


def usage_status(*arguments):
    return subprocess.run([sys.executable, ORK_BOARD, *arguments], capture_output=True, check=False).returncode


def expect(actual, wanted, what):
    if actual != wanted:
        raise AssertionError(f"{what}: {actual!r}, expected {wanted!r}")


def expect_in(part, whole, what):
    if part not in whole:
        raise AssertionError(f"{what}: no {part!r} in {whole[-2000:]!r}")


def start(command, options=(), temp_dir=None):
    environment = dict(os.environ, TMPDIR=temp_dir or tempfile.gettempdir())
    return subprocess.Popen(command_line(command, options), env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def running_with(text):
    """Processes whose command line holds TEXT."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as stream:
                if text.encode() in stream.read():
                    found.append(path)
        except OSError:
            continue
    return found


def wait_until(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"after {seconds} s: {what}")
        time.sleep(0.1)


@test
def wrong_usage_returns_2():
    expect(usage_status(), 2, "nothing")
    expect(usage_status("run"), 2, "no command")
    expect(usage_status("run", "--"), 2, "empty command")
    expect(usage_status("walk", "--", "true"), 2, "unknown action")
    expect(usage_status("run", "--kernel", "5.10", "--", "true"), 2, "unknown kernel")
    expect(usage_status("run", "--dt", "acpi", "--", "true"), 2, "unknown device tree")
    expect(usage_status("run", "--cpus", "0", "--", "true"), 2, "no CPU")
    expect(usage_status("run", "--mem", "much", "--", "true"), 2, "bad size")
    expect(usage_status("run", "--put", "/no/such/file:/x", "--", "true"), 2, "missing host file")
    expect(usage_status("run", "--put", ORK_BOARD + ":x", "--", "true"), 2, "relative guest file")
    expect(usage_status("run", "--get", "/x", "--", "true"), 2, "no host file named")
    expect(usage_status("run", "--icount", "--cpus", "2", "--", "true"), 2, "icount on two CPUs")
    expect(usage_status("run", "--timing", "--cpus", "2", "--", "true"), 2, "timing on two CPUs")
    expect(usage_status("run", "--chaos", "0", "--", "true"), 2, "no seed")


@test
def both_kernels_boot():
    for kernel in ("6.1", "6.12"):
        result = board("uname", "-r", options=["--kernel", kernel])
        expect(result.status, 0, f"status on {kernel}: {result.err}")
        expect(result.out.decode().split(".")[:2], kernel.split("."), "release")
        expect(result.err, "", "stderr")
        print(f"# kernel {kernel}: {result.seconds:.1f} s from start to end")


@test
def board_without_driver_says_so_and_runs():
    with tempfile.TemporaryDirectory() as build:
        result = board("true", options=["--build", build])
        expect(result.status, 0, "status")
        expect_in("runs without it", result.err, "stderr")


@test
def driver_that_does_not_load_is_125():
    with tempfile.TemporaryDirectory() as build:
        os.mkdir(os.path.join(build, "module-6.12"))
        with open(os.path.join(build, "module-6.12", "rknpu_ork.ko"), "wb") as module:
            module.write(b"no module")
        result = board("echo", "ran", options=["--build", build])
        expect(result.status, 125, "status")
        expect(result.out, b"", "stdout")
        expect_in("driver does not load", result.err, "stderr")


@test
def programs_of_the_build_are_in_the_path():
    with tempfile.TemporaryDirectory() as build:
        os.makedirs(os.path.join(build, "guest", "bin"))
        program = os.path.join(build, "guest", "bin", "ork-test")
        with open(program, "w", encoding="ascii") as script:
            script.write("#!/bin/sh\nexit 11\n")
        os.chmod(program, 0o755)
        expect(board("ork-test", options=["--no-module", "--build", build]).status, 11, "status")


@test
def exit_status_is_the_commands():
    expect(board("sh", "-c", "exit 37").status, 37, "exit 37")


@test
def missing_command_is_127():
    result = board("no-such-command")
    expect(result.status, 127, "status")
    expect_in("no-such-command", result.err, "stderr")


@test
def killed_command_is_128_plus_signal():
    expect(board("sh", "-c", "kill -9 $$").status, 128 + signal.SIGKILL, "status")


@test
def arguments_arrive_unchanged():
    words = ["a b", "'", '"', "$HOME", "", "*", "new\nline", "-n", "\u00e9"]
    result = board("sh", "-c", 'for word; do printf "%s|" "$word"; done', "sh", *words)
    expect(result.out.decode(), "".join(word + "|" for word in words), "words")


@test
def output_is_exact_and_separate():
    with tempfile.TemporaryDirectory() as folder:
        out, err = (random.Random(seed).randbytes(MIB) for seed in (1, 2))
        options = []
        for name, content in (("out", out), ("err", err)):
            with open(os.path.join(folder, name), "wb") as stream:
                stream.write(content)
            options += ["--put", f"{folder}/{name}:/root/{name}"]
        done = subprocess.run(command_line(["sh", "-c", "cat out & cat err >&2; wait"], options),
                              capture_output=True, timeout=BOUND_SECONDS, check=False)
        expect(done.returncode, 0, "status")
        expect(done.stdout == out, True, f"stdout ({len(done.stdout)} bytes) is exact")
        expect(done.stderr == err, True, f"stderr ({len(done.stderr)} bytes) is exact")


@test
def output_streams_while_the_command_runs():
    process = start(["sh", "-c", "echo first; sleep 1000"])
    expect(process.stdout.readline(), b"first\n", "first line")
    process.terminate()
    expect(process.wait(BOUND_SECONDS), 128 + signal.SIGTERM, "status")


@test
def files_survive_the_round_trip():
    with tempfile.TemporaryDirectory() as folder:
        source, result_file, empty = (os.path.join(folder, name) for name in ("in put", "out", "empty"))
        content = random.Random(3).randbytes(32 * MIB)
        with open(source, "wb") as stream:
            stream.write(content)
        result = board("sh", "-c", "mv /data/in /root/out; : >empty", options=[
            "--put", f"{source}:/data/in", "--get", f"/root/out:{result_file}", "--get", f"/root/empty:{empty}",
        ])
        expect(result.status, 0, f"status: {result.err}")
        with open(result_file, "rb") as stream:
            expect(stream.read() == content, True, "content survived")
        expect(os.path.getsize(empty), 0, "size of the empty file")
        expect(sorted(os.listdir(folder)), ["empty", "in put", "out"], "nothing else is left")
        print(f"# 32 MiB in and out: {result.seconds:.1f} s")


@test
def executable_bit_is_carried_in():
    with tempfile.NamedTemporaryFile() as script:
        script.write(b"#!/bin/sh\nexit 9\n")
        script.flush()
        os.chmod(script.name, 0o755)
        expect(board("/root/run", options=["--put", f"{script.name}:/root/run"]).status, 9, "status")


@test
def missing_file_to_get_is_an_error():
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "x")
        result = board("true", options=["--get", f"/root/none:{target}"])
        expect(result.status, 125, "status")
        expect_in("/root/none", result.err, "stderr")
        expect(os.path.exists(target), False, "the host file exists")


@test
def timeout_stops_the_board():
    result = board("sleep", "1000", options=["--timeout", "12"])
    expect(result.status, 124, "status")
    expect_in("lines of the console", result.err, "stderr")


@test
def panic_is_125_with_the_console():
    result = board("sh", "-c", "echo c >/proc/sysrq-trigger; sleep 60", options=["--timeout", "100"])
    expect(result.status, 125, "status")
    expect_in("Kernel panic", result.err, "stderr")


@test
def log_is_kept_where_asked():
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "a,b.log")
        expect(board("true", options=["--log", log]).status, 0, "status")
        with open(log, "rb") as stream:
            expect_in(b"Linux version", stream.read(), "log")


@test
def kernel_warning_is_reported():
    command = ("sh", "-c", "echo '<4>WARNING: made up by a test' >/dev/kmsg")
    result = board(*command)
    expect(result.status, 0, "status")
    expect_in("made up by a test", result.err, "stderr")
    expect(board(*command, options=["--no-complaints"]).status, 125, "status with --no-complaints")


@test
def data_race_is_a_complaint_if_the_driver_is_in_it():
    for frame, status in (("ork_run_irq+0x10/0x20 [rknpu_ork]", 125), ("tick_nohz_idle+0x10/0x20", 0)):
        lines = ("BUG: KCSAN: data-race in one / other", frame, "Reported by Kernel Concurrency Sanitizer on:")
        script = "".join(f"echo '{line}' > /dev/kmsg\n" for line in lines)
        expect(board("sh", "-c", script, options=["--no-complaints"]).status, status, f"status with {frame}")


@test
def access_without_power_is_a_complaint():
    result = board("devmem", "0xfdab0000", options=["--no-complaints"])
    expect(result.status, 125, "status")
    expect_in("core 0: read of 0x0000 with the power domain off", result.err, "stderr")


@test
def leftover_processes_do_not_hold_the_board():
    result = board("sh", "-c", "sleep 1000 & echo done")
    expect(result.status, 0, "status")
    expect(result.out, b"done\n", "stdout")


@test
def options_shape_the_board():
    script = "nproc; grep -q ork_test=1 /proc/cmdline && echo seen; free -m | awk '/^Mem/ {print $2 < 1100}'"
    result = board("sh", "-c", script, options=["--cpus", "4", "--mem", "1G", "--append", "ork_test=1"])
    expect(result.out, b"4\nseen\n1\n", f"output: {result.err}")


@test
def device_trees_differ_in_the_npu_only():
    found = {}
    for name in ("mainline", "vendor"):
        result = board("sh", "-c", "cd /proc/device-tree; ls; cat npu@*/compatible", options=["--dt", name])
        expect(result.status, 0, f"status with {name}: {result.err}")
        found[name] = result.out.decode().replace("\0", "\n").split()
    shared = set(found["mainline"]) & set(found["vendor"])
    expect(sorted(set(found["vendor"]) - shared), ["rockchip,rk3588-rknpu"], "of the vendor's only")
    expect(sorted(set(found["mainline"]) - shared),
           ["iommu@fdaca000", "iommu@fdada000", "npu@fdac0000", "npu@fdad0000", "rockchip,rk3588-rknn-core"],
           "of mainline's only")


@test
def linux_finds_the_supply_on_its_bus():
    result = board("sh", "-c", "cd /sys/bus/i2c/devices/*-0042/regulator/regulator.*; cat name microvolts",
                   options=["--dt", "rk8602", "--load", "i2c_gpio", "--load", "fan53555"])
    expect(result.out, b"vdd_npu_s0\n850000\n", f"output: {result.err}")


@test
def icount_board_runs():
    result = board("nproc", options=["--icount"])
    expect(result.out, b"1\n", f"output: {result.err}")


@test
def modes_reach_the_machine():
    with tempfile.TemporaryDirectory() as folder:
        # The comma must not end the option.
        log = os.path.join(folder, "jobs,and,more")
        result = board("true", options=["--strict", "--chaos", "3", "--job-log", log, "--machine", "npu-mhz=600"])
        expect(result.status, 0, f"status: {result.err}")
        expect(os.path.getsize(log), 0, "size of the log without a job")
    result = board("true", options=["--machine", "npu-mhz=0"])
    expect(result.status, 125, "status with a clock that stands still")


# Opens the port by its name; each answer is an empty line.
SECTION_OF_STEPS = """
for folder in /sys/class/virtio-ports/*; do
    [ "$(cat $folder/name)" = ork.steps ] && port=/dev/${folder##*/}
done
exec 4<>$port
echo on a-section >&4 && read -r answer <&4
echo off >&4 && read -r answer <&4
"""


@test
def steps_of_a_section_are_logged():
    with tempfile.TemporaryDirectory() as folder:
        result = board("sh", "-c", SECTION_OF_STEPS, options=["--icount", "--steps", folder])
        expect(result.status, 0, f"status: {result.err}")
        expect(os.listdir(folder), ["a-section"], "sections")
        with open(os.path.join(folder, "a-section"), encoding="ascii") as log:
            text = log.read()
        for what in ("Trace 0: ", "Taking exception 2 [SVC]", "memory_region_ops_write"):
            expect(what in text, True, f"'{what}' in the log")


# The MMU's power management switches core 0 on; its register clock runs since the firmware, unless Linux stops it.
READ_OF_CORE_0 = """
echo on >/sys/bus/platform/devices/fdab9000.iommu/power/control
busybox devmem 0xfdab0000
busybox devmem $1
"""


@test
def reading_page_2_of_a_core_is_the_end_of_the_board():
    def read(address):
        return board("sh", "-c", READ_OF_CORE_0, "sh", address, options=["--append", "clk_ignore_unused"])

    result = read("0xfdab1000")
    expect((result.status, result.out), (0, b"0x46495245\n0x00000000\n"), f"reads of other pages: {result.err}")
    result = read("0xfdab2210")
    expect(result.status, 125, "status")
    expect_in("npu: core 0: read of 0x2210 hangs the bus: the SoC stops", result.err, "stderr")
    expect_in("the board died", result.err, "stderr")


@test
def signal_ends_the_board_and_cleans_up():
    for signum in (signal.SIGTERM, signal.SIGINT):
        with tempfile.TemporaryDirectory() as folder:
            process = start(["sh", "-c", "echo up; sleep 1000"], ["--append", f"ork_test={folder}"], folder)
            process.stdout.readline()
            process.send_signal(signum)
            expect(process.wait(10), 128 + signum, "status")
            expect(running_with(folder), [], "processes left")
            expect(os.listdir(folder), [], "files left")


@test
def emulator_dies_with_ork_board():
    with tempfile.TemporaryDirectory() as folder:
        process = start(["sh", "-c", "echo up; sleep 1000"], ["--append", f"ork_test={folder}"], folder)
        process.stdout.readline()
        process.kill()
        process.wait()
        wait_until(lambda: not running_with(folder), 5, "the emulator still runs")


@test
def reader_that_goes_away_ends_the_board():
    with tempfile.TemporaryDirectory() as folder:
        process = start(["yes"], temp_dir=folder)
        process.stdout.readline()
        process.stdout.close()
        expect(process.wait(20), 128 + signal.SIGPIPE, "status")
        expect(running_with(folder), [], "processes left")


@test
def runs_at_the_same_time_do_not_mix():
    processes = [start(["echo", str(i)]) for i in range(3)]
    for i, process in enumerate(processes):
        expect(process.communicate(timeout=BOUND_SECONDS)[0], b"%d\n" % i, f"output of run {i}")
        expect(process.returncode, 0, f"status of run {i}")


def main(names):
    with tempfile.TemporaryDirectory() as state:
        # Boards that fail on purpose leave their logs there.
        os.environ["XDG_STATE_HOME"] = state
        return run_tests(names)


def outcome(function):
    """None, or why the test failed."""
    try:
        function()
    except (AssertionError, OSError, subprocess.SubprocessError) as error:
        return str(error)
    return None


def run_tests(names):
    chosen = [function for function in tests if not names or function.__name__ in names]
    print("TAP version 13")
    print(f"1..{len(chosen)}", flush=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(BOARDS_AT_ONCE) as executor:
        for number, (function, error) in enumerate(zip(chosen, executor.map(outcome, chosen)), 1):
            if error is None:
                print(f"ok {number} {function.__name__}", flush=True)
                continue
            failed += 1
            print(f"# {error}".replace("\n", "\n# "))
            print(f"not ok {number} {function.__name__}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
