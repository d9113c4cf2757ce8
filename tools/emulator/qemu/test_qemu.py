#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright 2026 The rknpu-ork authors
"""Tests of the machine rk3588-npu without a guest: registers and RAM are driven through QEMU's qtest protocol.

    test_qemu.py QEMU_BINARY

Prints TAP. What is under test is the board around the NPU model (MMUs, resets, power, interrupts, threads); one small matrix product
serves as traffic.
"""

import json
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

CORE_BASE = (0xFDAB0000, 0xFDAC0000, 0xFDAD0000)
BANKS = ((0xFDAB9000, 0xFDABA000), (0xFDACA000,), (0xFDADA000,))
SPI = (110, 111, 112)
RESET = 0xFD7D0000
PMU = 0xFD8D8000
LINES = 0xFD7C0000
SUPPLY = 0x42
ACLK_GATE, HCLK_GATE, VSEL, REFUSE_RATE, REFUSE_GATE, DEAF_MMU, DEAF_SUPPLY, SCL, SDA, STRAY = 0, 3, 7, 8, 9, 10, 13, 14, 15, 16

DTE_ADDR, STATUS, COMMAND, FAULT_ADDR, ZAP, RAWSTAT, INT_CLEAR, INT_MASK = range(0, 0x20, 4)
PAGING_ON, PAGING_OFF, STALL, UNSTALL, ZAP_ALL, FAULT_DONE, FORCE_RESET = range(7)
ST_PAGING, ST_FAULT, ST_STALL, ST_IDLE, ST_WRITE = 1, 2, 4, 8, 32

VERSION, PC_ENABLE, PC_BASE, PC_AMOUNTS, PC_MASK, PC_CLEAR, PC_RAW = 0x00, 0x08, 0x10, 0x14, 0x20, 0x24, 0x2C
PC_TASK_CON, PC_DMA_BASE, PC_TASK_STATUS = 0x30, 0x34, 0x3C
DDMA_STATUS, DDMA_IDLE = 0x8030, 0x100
ALL_TASKS_DONE = 0xF000
VERSION_VALUE = 0x46495245
DPU_DONE, READ_ERROR = 0x300, 0x1000

SCMI_BASE, SCMI_CLOCK, CLOCK_NPU = 0x10, 0x14, 6
RATE_SET, RATE_GET, CONFIG_SET = 5, 6, 7
NOT_SUPPORTED, INVALID_PARAMETERS, NOT_FOUND, HARDWARE_ERROR = -1, -2, -4, -9

READ, WRITE = 2, 4
WAIT_SECONDS = 20
TEST_SECONDS = 60

M, N, K = 4, 64, 64
# The program lies across a page boundary.
IOVA_CMD, IOVA_A, IOVA_B, IOVA_C = 0x10000F00, 0x20001000, 0x20403000, 0xFFFFE000
READ_ONLY = (IOVA_CMD, IOVA_CMD + 0x1000, IOVA_A, IOVA_B)

# Register values of the int8 product 4x64x64 (reference/npu.md 3.12). Registers that are not here are written as 0.
PRODUCT = {
    0x4004: 0xE, 0x100C: 0, 0x1010: 0x50, 0x1014: 9, 0x1020: 0x10004, 0x1024: 0x3F0040, 0x1028: 1, 0x102C: 4, 0x1030: 0x1000,
    0x1034: 0x40, 0x1038: 0x1010040, 0x1040: 0xB1, 0x1044: 1, 0x104C: 0xB, 0x1050: 0x10000, 0x1054: 0x10000, 0x1058: 0x10000,
    0x105C: 0x10000, 0x1078: 0xF000F, 0x107C: 4, 0x1084: 0x10004, 0x1088: 0x40, 0x3014: 0x30000, 0x3018: 0x3F,
    0x400C: 0x1E4, 0x4010: 0x80000000, 0x4024: 0x40, 0x4034: 3, 0x403C: 0x3F003F, 0x4040: 0x53, 0x4050: 0x7FE, 0x4058: 0x3F,
    0x405C: 0x30000, 0x4060: 0x53, 0x4070: 0x383, 0x4078: 1, 0x4084: 1, 0x40C0: 0x200,
    0x1070: IOVA_A, 0x1110: IOVA_B,
}
WRITTEN = [
    0x4004, *range(0x100C, 0x1018, 4), *range(0x1020, 0x1048, 4), *range(0x104C, 0x108C, 4), 0x1100, 0x1104, 0x1110,
    *range(0x1140, 0x1188, 4), *range(0x3010, 0x3020, 4), 0x3030, *range(0x400C, 0x4018, 4), 0x4020, 0x4024,
    *range(0x4030, 0x4040, 4), *range(0x4040, 0x4070, 4), *range(0x4070, 0x408C, 4), *range(0x4090, 0x40B0, 4), 0x40C0, 0x40C4,
    *range(0x4100, 0x4130, 4),
]
UNDEFINED = {0x103C, 0x106C, 0x1164, 0x1168}
TARGET = {1: 0x0201, 3: 0x0801, 4: 0x1001}


def entry(address, flags):
    """v2 table entry: the address bits above 31 sit below bit 12, nibbles swapped."""
    return (address & 0xFFFFF000) | ((address >> 32 & 0xF) << 8) | ((address >> 36 & 0xF) << 4) | flags


def command(target, value, register):
    return target << 48 | value << 16 | register


def product_program(link=None, destination=IOVA_C):
    """Words of one product; link continues at that IOVA with a program of the same length."""
    values = {**PRODUCT, 0x4020: destination}
    words = [command(TARGET[r >> 12], values.get(r, 0), r) for r in WRITTEN if r not in UNDEFINED]
    if len(words) % 2:
        words.append(0)
    beats = (len(words) + 4) // 2
    words.append(0 if link is None else command(0x0101, link, 0x10))
    words.append(command(0x0101, 0 if link is None else beats - 1, 0x14))
    words += [0x0041 << 48, command(0x0081, 0x0D, 0x08)]
    return struct.pack(f"<{len(words)}Q", *words), beats


def pack_a(a):
    out = bytearray(M * K)
    for m in range(M):
        for k in range(K):
            out[k // 16 * M * 16 + m * 16 + k % 16] = a[m][k] & 0xFF
    return bytes(out)


def pack_b(b):
    out = bytearray(N * K)
    for k in range(K):
        for n in range(N):
            out[n // 32 * 32 * K + k // 32 * 1024 + n % 32 * 32 + k % 32] = b[k][n] & 0xFF
    return bytes(out)


def pack_c(c):
    out = [0] * (M * N)
    for m in range(M):
        for n in range(N):
            out[n // 4 * M * 4 + m * 4 + n % 4] = c[m][n]
    return struct.pack(f"<{M * N}i", *out)


def random_matrix(rng, rows, columns):
    return [[rng.randint(-128, 127) for _ in range(columns)] for _ in range(rows)]


def product(a, b):
    return [[sum(a[m][k] * b[k][n] for k in range(K)) for n in range(N)] for m in range(M)]


class Board:
    """A QEMU under qtest. Interrupt levels are those at the GIC's inputs."""

    def __init__(self, qemu, *options, accel="qtest"):
        self.log = tempfile.TemporaryFile()
        self.levels = set()
        self.qemu = subprocess.Popen(
            [qemu, "-machine", "rk3588-npu", "-accel", accel, "-qtest", "stdio", "-qtest-log", "none", "-nodefaults",
             "-display", "none", "-d", "guest_errors", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.command("irq_intercept_in /machine/gic")
        # What is written; the data line of the bus may read otherwise.
        self.lines = self.read(LINES)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.qemu.stdin.close()
        self.qemu.kill()
        self.qemu.wait()
        self.qemu.stdout.close()
        self.log.close()

    def command(self, line):
        self.qemu.stdin.write(line + "\n")
        self.qemu.stdin.flush()
        while True:
            answer = self.qemu.stdout.readline().split()
            if not answer:
                raise RuntimeError("QEMU is gone: " + self.messages())
            if answer[0] == "OK":
                return answer[1] if len(answer) > 1 else None
            if answer[0] != "IRQ":
                raise RuntimeError(" ".join(answer))
            (self.levels.add if answer[1] == "raise" else self.levels.discard)(int(answer[2]))

    def messages(self):
        self.log.seek(0)
        return self.log.read().decode()

    def read(self, address):
        return int(self.command(f"readl 0x{address:x}"), 16)

    def write(self, address, value):
        self.command(f"writel 0x{address:x} 0x{value:x}")

    def store(self, address, data):
        self.command(f"write 0x{address:x} 0x{len(data):x} 0x{data.hex()}")

    def load(self, address, size):
        return bytes.fromhex(self.command(f"read 0x{address:x} 0x{size:x}")[2:])

    def wait(self, condition):
        end = time.monotonic() + WAIT_SECONDS
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.002)
        return True

    def irq(self, core):
        """Level of the core's interrupt; a read first, so that levels on their way have arrived."""
        self.read(RESET)
        return SPI[core] in self.levels

    def clock_step(self, ns):
        self.command(f"clock_step {ns}")

    def reset_lines(self, value):
        self.write(RESET, value)

    def set_line(self, line, on):
        """A line that gates a clock, chooses the voltage, breaks something or is a bus."""
        self.lines = self.lines & ~(1 << line) | on << line
        self.write(LINES, self.lines)

    def i2c_start(self):
        for line, on in ((SDA, True), (SCL, True), (SDA, False), (SCL, False)):
            self.set_line(line, on)

    def i2c_stop(self):
        for line, on in ((SDA, False), (SCL, True), (SDA, True)):
            self.set_line(line, on)

    def i2c_bit(self, bit):
        """Sends a bit and returns what was on the bus: a device can pull a 1 down."""
        self.set_line(SDA, bit)
        self.set_line(SCL, True)
        seen = self.read(LINES) >> SDA & 1
        self.set_line(SCL, False)
        return seen

    def i2c_send(self, *values):
        """Returns whether all were acknowledged."""
        acknowledged = True
        for value in values:
            for i in range(7, -1, -1):
                self.i2c_bit(value >> i & 1)
            acknowledged &= not self.i2c_bit(1)
        return acknowledged

    def supply_write(self, register, value):
        self.i2c_start()
        done = self.i2c_send(SUPPLY << 1, register, value)
        self.i2c_stop()
        return done

    def supply_read(self, register):
        """None if the supply does not answer."""
        self.i2c_start()
        if not self.i2c_send(SUPPLY << 1, register):
            self.i2c_stop()
            return None
        self.i2c_start()
        assert self.i2c_send(SUPPLY << 1 | 1)
        value = sum(self.i2c_bit(1) << i for i in range(7, -1, -1))
        self.i2c_bit(1)
        self.i2c_stop()
        return value

    def gate_compute_clock(self, core, on):
        """Forces the core's input; the firmware, whose line it is, serves CPUs only."""
        self.command(f"set_irq_in /machine/npu-core[{core}] clk 0 {int(on)}")

    def pulse_reset(self, core):
        self.reset_lines(3 << 2 * core)
        self.reset_lines(0)


class FirmwareBoard(Board):
    """A board whose CPU runs: it makes one SCMI call each time that it is told to."""

    CALL, CHANNEL = 0x1000, 0x10F000
    # x1 = CALL; wait until *x1; smc 0x82000010; x1[1] = w0; *x1 = 0; again.
    STUB = (0xD2820001, 0xB9400022, 0x34FFFFE2, 0x52800200, 0x72B04000, 0xD4000003, 0xB9000420, 0xB900003F, 0x17FFFFF9)

    def __init__(self, qemu, *options):
        super().__init__(qemu, *options, accel="tcg")
        self.store(0x400, struct.pack(f"<{len(self.STUB)}I", *self.STUB))
        # RAM is zero and no instruction, so the CPU goes round at its vector 0x200: b 0x400.
        self.write(0x200, 0x14000080)

    def start_call(self, protocol, message, *words):
        self.store(self.CHANNEL + 0x14, struct.pack(f"<{2 + len(words)}I", 4 + 4 * len(words), message | protocol << 10, *words))
        self.write(self.CHANNEL + 4, 0)
        self.write(self.CALL, 1)

    def call(self, protocol, message, *words):
        """Returns the answer's words, the first of them signed: the status."""
        self.start_call(protocol, message, *words)
        assert self.wait(lambda: not self.read(self.CALL))
        assert self.read(self.CALL + 4) == 0 and self.read(self.CHANNEL + 4) == 1
        size = self.read(self.CHANNEL + 0x14) - 4
        return struct.unpack(f"<i{size // 4 - 1}I", self.load(self.CHANNEL + 0x1C, size))

    def set_rate(self, mhz):
        return self.call(SCMI_CLOCK, RATE_SET, 0, CLOCK_NPU, mhz * 1000000, 0)[0]

    def rate(self):
        return self.call(SCMI_CLOCK, RATE_GET, CLOCK_NPU)[1] / 1000000

    def power(self, on):
        """Domain NPUTOP and with it NPU1 and NPU2."""
        self.write(PMU + 0x14C, 0x00080000 if on else 0x00080008)


class AddressSpace:
    """Page tables in RAM and the physical pages behind them, at scattered addresses above base."""

    def __init__(self, board, base, seed=0):
        self.board = board
        self.pages = [base + 0x1000 * i for i in range(64)]
        random.Random(seed).shuffle(self.pages)
        self.directory = self.new_page()
        self.tables = {}
        self.mapped = {}

    def new_page(self):
        page = self.pages.pop()
        self.board.store(page, bytes(4096))
        return page

    def map(self, iova, flags=READ | WRITE, page=None):
        index = iova >> 22
        if index not in self.tables:
            self.tables[index] = self.new_page()
            self.board.write(self.directory + 4 * index, entry(self.tables[index], 1))
        page = self.new_page() if page is None else page
        self.board.write(self.tables[index] + (iova >> 12 & 0x3FF) * 4, entry(page, flags | 1))
        self.mapped[iova & ~0xFFF] = page
        return page

    def unmap(self, iova):
        self.board.write(self.tables[iova >> 22] + (iova >> 12 & 0x3FF) * 4, 0)

    def store(self, iova, data):
        while data:
            chunk = data[:0x1000 - (iova & 0xFFF)]
            self.board.store(self.mapped[iova & ~0xFFF] + (iova & 0xFFF), chunk)
            data = data[len(chunk):]
            iova += len(chunk)

    def load(self, iova, size):
        return self.board.load(self.mapped[iova & ~0xFFF] + (iova & 0xFFF), size)


class Npu:
    """One core with an address space in which the product's operands are mapped."""

    def __init__(self, board, core, ram=0x40000000, seed=1):
        self.board, self.core = board, core
        self.space = AddressSpace(board, ram, seed)
        self.rng = random.Random(seed)
        self.banks = BANKS[core]
        for iova in READ_ONLY:
            self.space.map(iova, READ)
        self.space.map(IOVA_C)
        self.new_operands()

    def new_operands(self):
        self.a = random_matrix(self.rng, M, K)
        self.b = random_matrix(self.rng, K, N)
        self.space.store(IOVA_A, pack_a(self.a))
        self.space.store(IOVA_B, pack_b(self.b))
        self.space.store(IOVA_C, bytes(4 * M * N))

    def mmu_write(self, register, value):
        for bank in self.banks:
            self.board.write(bank + register, value)

    def mmu_read(self, register):
        return self.board.read(self.banks[0] + register)

    def mmu_command(self, number):
        self.mmu_write(COMMAND, number)

    def status(self):
        return self.mmu_read(STATUS)

    def attach(self):
        """The order of Linux's rk_iommu_enable()."""
        self.mmu_command(STALL)
        self.mmu_write(DTE_ADDR, 0xCAFEB000)
        self.mmu_command(FORCE_RESET)
        self.mmu_write(DTE_ADDR, entry(self.space.directory, 0))
        self.mmu_command(ZAP_ALL)
        self.mmu_write(INT_MASK, 3)
        self.mmu_command(PAGING_ON)
        self.mmu_command(UNSTALL)

    def register(self, offset):
        return self.board.read(CORE_BASE[self.core] + offset)

    def set_register(self, offset, value):
        self.board.write(CORE_BASE[self.core] + offset, value)

    def kick(self, tasks=1, destination=IOVA_C):
        program, beats = product_program(IOVA_CMD if tasks > 1 else None, destination)
        self.space.store(IOVA_CMD, program)
        pointer = 0xE | self.core << 28
        for register, value in ((PC_BASE, 1), (0x1004, pointer), (0x3004, pointer), (PC_BASE, IOVA_CMD), (PC_AMOUNTS, beats - 1),
                                (PC_MASK, DPU_DONE), (PC_CLEAR, 0x1FFFF), (PC_TASK_CON, 0x7000 | tasks), (PC_DMA_BASE, 0),
                                (PC_ENABLE, 1)):
            self.set_register(register, value)

    def done(self):
        return self.register(PC_TASK_STATUS) == ALL_TASKS_DONE

    def finish(self):
        """All tasks are done, and their interrupt came and went."""
        ok = self.board.wait(self.done) and self.board.wait(lambda: self.board.irq(self.core))
        self.set_register(PC_CLEAR, 0x1FFFF)
        return ok and not self.board.irq(self.core)

    def right(self, a=None, b=None):
        expected = pack_c(product(a or self.a, b or self.b))
        return self.space.load(IOVA_C, len(expected)) == expected

    def run(self):
        self.kick()
        return self.finish() and self.right()

    def fault(self):
        return self.board.wait(lambda: self.status() & ST_FAULT)

    def acknowledge_fault(self):
        self.mmu_command(ZAP_ALL)
        self.mmu_command(FAULT_DONE)
        self.mmu_write(INT_CLEAR, 3)

    def provoke_fault(self, iova):
        self.space.unmap(iova)
        self.mmu_command(ZAP_ALL)
        self.kick()
        return self.fault()


TESTS = []


def test(function):
    TESTS.append(function)
    return function


@test
def registers_follow_the_enable_handshake(qemu):
    with Board(qemu) as board:
        for bank in (b for banks in BANKS for b in banks):
            for written, expected in ((0xCAFEB000, 0xCAFEB000), (0xCAFEBABE, 0xCAFEBAB0)):
                board.write(bank + DTE_ADDR, written)
                assert board.read(bank + DTE_ADDR) == expected
            board.write(bank + COMMAND, STALL)
            assert not board.read(bank + STATUS) & ST_STALL, "a stall needs paging"
            board.write(bank + COMMAND, PAGING_ON)
            board.write(bank + COMMAND, STALL)
            assert board.read(bank + STATUS) & 0x3F == 0x1D
            board.write(bank + COMMAND, FORCE_RESET)
            assert board.read(bank + DTE_ADDR) == 0
            assert board.read(bank + STATUS) & 0x3F == 0x18


@test
def all_cores_compute_through_their_tables(qemu):
    with Board(qemu) as board:
        cores = [Npu(board, i, 0x40000000 + 0x10000000 * i, i) for i in range(3)]
        for npu in cores:
            assert npu.register(VERSION) == VERSION_VALUE
            npu.attach()
            npu.kick()
        for npu in cores:
            assert npu.finish() and npu.right()


@test
def without_paging_addresses_are_physical(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 1)
        for iova in READ_ONLY:
            npu.space.mapped[iova & ~0xFFF] = iova & ~0xFFF
        npu.new_operands()
        npu.kick(destination=0x30000000)
        assert npu.finish()
        assert board.load(0x30000000, 4 * M * N) == pack_c(product(npu.a, npu.b))


@test
def tables_and_pages_above_4_gib(qemu):
    with Board(qemu, "-m", "5G") as board:
        npu = Npu(board, 0, 0x123456000)
        npu.attach()
        assert npu.mmu_read(DTE_ADDR) & 0xFF0 == 0x100
        assert npu.run()


@test
def tables_and_pages_above_64_gib(qemu):
    backend = "memory-backend-ram,id=ram,size=70G,reserve=off"
    with Board(qemu, "-m", "70G", "-object", backend, "-machine", "memory-backend=ram") as board:
        npu = Npu(board, 2, 0x1100000000)
        npu.attach()
        assert npu.mmu_read(DTE_ADDR) & 0xFF0 == 0x110
        assert npu.run()


@test
def read_of_unmapped_page_faults(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 0)
        npu.attach()
        assert npu.provoke_fault(IOVA_B)
        assert npu.status() & (ST_WRITE | ST_IDLE) == 0
        assert npu.mmu_read(FAULT_ADDR) & ~0xFFF == IOVA_B & ~0xFFF
        assert npu.mmu_read(RAWSTAT) == 1
        assert board.wait(lambda: board.irq(0))
        npu.mmu_write(INT_CLEAR, 1)
        assert not board.irq(0)
        assert not npu.done()


@test
def write_to_read_only_page_faults(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 1)
        npu.space.map(IOVA_C, READ)
        npu.attach()
        npu.kick()
        assert npu.fault()
        assert npu.status() & ST_WRITE
        assert npu.mmu_read(FAULT_ADDR) & ~0xFFF == IOVA_C & ~0xFFF
        assert npu.space.load(IOVA_C, 4 * M * N) == bytes(4 * M * N)


@test
def read_of_write_only_page_faults(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 1)
        npu.space.map(IOVA_CMD, WRITE)
        npu.attach()
        npu.kick()
        assert npu.fault()
        assert npu.mmu_read(FAULT_ADDR) == IOVA_CMD


@test
def masked_fault_raises_no_interrupt(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 2)
        npu.attach()
        npu.mmu_write(INT_MASK, 0)
        assert npu.provoke_fault(IOVA_A)
        assert not board.irq(2)
        npu.mmu_write(INT_MASK, 3)
        assert board.irq(2)


@test
def stall_does_not_complete_until_the_faulted_core_is_reset(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 0)
        npu.attach()
        assert npu.provoke_fault(IOVA_A)
        npu.mmu_command(STALL)
        assert not npu.status() & ST_STALL, "during the fault"
        npu.acknowledge_fault()
        npu.mmu_command(STALL)
        assert not npu.status() & ST_STALL, "after the fault was acknowledged"
        board.pulse_reset(0)
        npu.mmu_command(STALL)
        assert npu.status() & ST_STALL, "after the reset"


@test
def core_works_again_after_fault_and_reset(qemu):
    for core in range(3):
        with Board(qemu) as board:
            npu = Npu(board, core)
            npu.attach()
            assert npu.provoke_fault(IOVA_A)
            npu.acknowledge_fault()
            board.pulse_reset(core)
            npu.space.map(IOVA_A, READ)
            npu.new_operands()
            npu.attach()
            assert npu.run()


@test
def unacknowledged_fault_holds_the_next_job_back(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 0)
        npu.attach()
        assert npu.provoke_fault(IOVA_A)
        board.pulse_reset(0)
        npu.space.map(IOVA_A, READ)
        npu.new_operands()
        npu.kick()
        time.sleep(0.05)
        assert not npu.done()
        npu.acknowledge_fault()
        assert npu.finish() and npu.right()


@test
def iotlb_serves_stale_entries_until_zapped(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 0)
        npu.attach()
        assert npu.run()
        old_b = npu.b
        npu.space.map(IOVA_B, READ)
        npu.b = random_matrix(npu.rng, K, N)
        npu.space.store(IOVA_B, pack_b(npu.b))
        npu.kick()
        assert npu.finish() and npu.right(b=old_b), "stale entry"
        npu.mmu_write(ZAP, IOVA_A)
        npu.kick()
        assert npu.finish() and npu.right(b=old_b), "another line was zapped"
        npu.mmu_write(ZAP, IOVA_B)
        assert npu.run()
        old_a = npu.a
        npu.space.map(IOVA_A, READ)
        npu.a = random_matrix(npu.rng, M, K)
        npu.space.store(IOVA_A, pack_a(npu.a))
        npu.kick()
        assert npu.finish() and npu.right(a=old_a)
        npu.mmu_command(ZAP_ALL)
        assert npu.run()


@test
def stalled_mmu_holds_a_job_until_unstalled(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 1)
        npu.attach()
        npu.mmu_command(STALL)
        npu.kick()
        time.sleep(0.05)
        assert not npu.done()
        npu.mmu_command(UNSTALL)
        assert npu.finish() and npu.right()


@test
def stall_halts_a_running_chain(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 1)
        npu.attach()
        npu.kick(tasks=4095)
        for _ in range(50):
            npu.mmu_command(STALL)
            assert npu.status() & ST_STALL
            assert npu.register(VERSION) == VERSION_VALUE, "registers answer during a stall"
            npu.space.store(IOVA_C, bytes(4 * M * N))
            time.sleep(0.001)
            assert npu.space.load(IOVA_C, 4 * M * N) == bytes(4 * M * N)
            npu.mmu_command(UNSTALL)
        assert npu.finish()
        assert npu.run()


@test
def nothing_is_written_after_a_reset(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 2)
        npu.attach()
        for _ in range(50):
            npu.kick(tasks=4095)
            assert board.wait(lambda: any(npu.space.load(IOVA_C, 16)))
            board.reset_lines(3 << 4)
            npu.space.store(IOVA_C, bytes(4 * M * N))
            board.reset_lines(0)
            time.sleep(0.002)
            assert npu.space.load(IOVA_C, 4 * M * N) == bytes(4 * M * N)
        assert npu.run()


@test
def access_that_a_stall_holds_is_dropped_by_a_reset(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 0)
        npu.attach()
        for _ in range(100):
            npu.kick(tasks=4095)
            assert board.wait(lambda: any(npu.space.load(IOVA_C, 16)))
            npu.mmu_command(STALL)
            npu.space.store(IOVA_C, bytes(4 * M * N))
            board.pulse_reset(0)
            npu.mmu_command(UNSTALL)
            time.sleep(0.001)
            assert npu.space.load(IOVA_C, 4 * M * N) == bytes(4 * M * N)
        assert npu.run()


@test
def core_in_reset_reads_zero_and_ignores_writes(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 1)
        npu.set_register(PC_BASE, 0x1230)
        board.reset_lines(3 << 2)
        assert npu.register(VERSION) == 0
        npu.set_register(PC_BASE, 0x4560)
        assert board.read(RESET) == 3 << 2
        board.reset_lines(0)
        assert npu.register(VERSION) == VERSION_VALUE
        assert npu.register(PC_BASE) == 0


@test
def one_reset_line_alone_does_not_reset(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 0)
        npu.set_register(PC_BASE, 0x1230)
        board.reset_lines(1)
        board.reset_lines(0)
        assert npu.register(PC_BASE) == 0x1230
        assert "only one of srst_a and srst_h" in board.messages()


@test
def lines_asserted_one_after_the_other_reset_without_complaint(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 0)
        npu.set_register(PC_BASE, 0x1230)
        for lines in (1, 3, 2, 0):
            board.reset_lines(lines)
        assert npu.register(PC_BASE) == 0
        assert "srst_a" not in board.messages()


@test
def reset_leaves_the_mmu_alone(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 0)
        npu.attach()
        board.pulse_reset(0)
        assert npu.mmu_read(DTE_ADDR) == entry(npu.space.directory, 0)
        assert npu.run()


@test
def forgotten_second_bank_is_reported(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 0)
        npu.attach()
        assert npu.run()
        assert "banks differ" not in board.messages()
        board.write(npu.banks[1] + DTE_ADDR, 0x7000)
        assert npu.run()
        assert "banks differ" in board.messages()


@test
def page_that_is_not_ram_is_a_bus_error(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 0)
        npu.space.map(IOVA_A, READ, page=PMU & ~0xFFF)
        npu.attach()
        npu.kick()
        assert board.wait(lambda: npu.register(PC_RAW) & READ_ERROR)
        assert not npu.status() & ST_FAULT


@test
def table_that_is_not_ram_is_an_mmu_bus_error(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 1)
        npu.attach()
        npu.mmu_write(DTE_ADDR, entry(0xF0000000, 0))
        npu.kick()
        assert board.wait(lambda: npu.mmu_read(RAWSTAT) == 2)
        assert board.wait(lambda: board.irq(1))


@test
def domain_that_is_off_cannot_be_reached_and_forgets(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 1)
        npu.attach()
        board.write(PMU + 0x14C, 0x00100010)
        assert board.read(PMU + 0x290) & 0x1C == 0x14
        npu.register(VERSION)
        npu.status()
        assert "core 1: read of 0x0000 with the power domain off" in board.messages()
        assert "core 1: MMU bank 0: access to 0x04 with the power domain off" in board.messages()
        board.write(PMU + 0x14C, 0x00100000)
        assert board.read(PMU + 0x290) & 0x1C == 0x1C
        assert npu.mmu_read(DTE_ADDR) == 0
        npu.attach()
        assert npu.run()


@test
def parent_domain_takes_all_cores_down(qemu):
    with Board(qemu) as board:
        for off, left in ((0x00020002, 0), (0x00080008, 0), (0x00200020, 0x0C)):
            board.write(PMU + 0x14C, 0x003A0000)
            board.write(PMU + 0x14C, off)
            assert board.read(PMU + 0x290) & 0x1C == left


@test
def registers_without_hclk_cannot_be_reached_and_remember(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 2)
        npu.attach()
        board.set_line(HCLK_GATE + 2, False)
        npu.register(VERSION)
        npu.status()
        npu.set_register(PC_BASE, 0)
        assert "core 2: read of 0x0000 with hclk gated" in board.messages()
        assert "core 2: MMU bank 0: access to 0x04 with hclk gated" in board.messages()
        assert "core 2: write to 0x0010 with hclk gated" in board.messages()
        assert Npu(board, 1).register(VERSION) == VERSION_VALUE
        board.set_line(HCLK_GATE + 2, True)
        assert npu.run()


@test
def job_waits_for_its_clocks(qemu):
    for gate in (lambda board, on: board.set_line(ACLK_GATE + 1, on), lambda board, on: board.gate_compute_clock(1, on)):
        with Board(qemu) as board:
            npu = Npu(board, 1)
            npu.attach()
            gate(board, False)
            npu.kick()
            time.sleep(0.05)
            assert not npu.done()
            gate(board, True)
            assert npu.finish() and npu.right()


@test
def firmware_describes_its_one_clock(qemu):
    with FirmwareBoard(qemu) as board:
        assert board.call(SCMI_BASE, 6) == (0, 1, SCMI_CLOCK)
        assert board.call(SCMI_CLOCK, 1) == (0, 8)
        assert board.call(SCMI_CLOCK, 3, CLOCK_NPU)[:2] == (0, 1)
        assert board.call(SCMI_CLOCK, 4, CLOCK_NPU, 0) == (0, 0x1003, 200000000, 0, 1000000000, 0, 1000000, 0)
        assert board.call(SCMI_CLOCK, 3, 5) == (NOT_FOUND,)
        assert board.call(SCMI_CLOCK, 8) == (NOT_SUPPORTED,)
        assert board.call(0x16, 0) == (NOT_SUPPORTED,)


@test
def rate_is_set_within_its_limits(qemu):
    with FirmwareBoard(qemu) as board:
        assert board.rate() == 200
        assert board.set_rate(650) == 0 and board.rate() == 650
        for mhz in (199, 1001):
            assert board.set_rate(mhz) == INVALID_PARAMETERS and board.rate() == 650
        assert board.messages() == ""


@test
def firmware_gates_the_compute_clock(qemu):
    with FirmwareBoard(qemu) as board:
        npu = Npu(board, 1)
        npu.attach()
        assert board.call(SCMI_CLOCK, CONFIG_SET, CLOCK_NPU, 0) == (0,)
        npu.kick()
        time.sleep(0.05)
        assert not npu.done()
        assert board.call(SCMI_CLOCK, CONFIG_SET, CLOCK_NPU, 1) == (0,)
        assert npu.finish() and npu.right()


@test
def firmware_refuses_what_it_is_told_to_refuse(qemu):
    with FirmwareBoard(qemu) as board:
        board.set_line(REFUSE_RATE, True)
        assert board.set_rate(600) == HARDWARE_ERROR and board.rate() == 200
        board.set_line(REFUSE_RATE, False)
        assert board.set_rate(600) == 0 and board.rate() == 600
        board.set_line(REFUSE_GATE, True)
        assert board.call(SCMI_CLOCK, CONFIG_SET, CLOCK_NPU, 0) == (0,)
        assert board.call(SCMI_CLOCK, CONFIG_SET, CLOCK_NPU, 1) == (HARDWARE_ERROR,)
        board.set_line(REFUSE_GATE, False)
        assert board.call(SCMI_CLOCK, CONFIG_SET, CLOCK_NPU, 1) == (0,)


@test
def deaf_mmu_ignores_commands(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 2)
        board.set_line(DEAF_MMU + 2, True)
        npu.mmu_command(PAGING_ON)
        assert not npu.status() & ST_PAGING
        board.set_line(DEAF_MMU + 2, False)
        npu.mmu_command(PAGING_ON)
        assert npu.status() & ST_PAGING


@test
def rate_that_the_firmware_sets_is_that_of_the_cores(qemu):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "jobs")
        with FirmwareBoard(qemu, "-machine", f"job-log={path}") as board:
            npu = Npu(board, 2)
            npu.attach()
            for mhz in (200, 800):
                board.set_rate(mhz)
                assert npu.run()
        with open(path, encoding="ascii") as lines:
            slow, fast = (json.loads(line) for line in lines)
        assert slow["cycles"] == fast["cycles"]
        assert slow["ns"] == slow["cycles"] * 5 and fast["ns"] == fast["cycles"] * 5 // 4


@test
def rate_above_the_parked_one_needs_power(qemu):
    with FirmwareBoard(qemu) as board:
        board.power(False)
        assert board.set_rate(200) == 0 and board.messages() == ""
        board.start_call(SCMI_CLOCK, RATE_SET, 0, CLOCK_NPU, 300000000, 0)
        board.qemu.wait(WAIT_SECONDS)
        assert "300000000 Hz set with the power domain off hangs the firmware" in board.messages()


@test
def power_that_goes_off_above_the_parked_rate_is_reported(qemu):
    with FirmwareBoard(qemu) as board:
        board.set_rate(300)
        board.set_rate(200)
        board.power(False)
        board.power(True)
        assert board.messages() == ""
        board.set_rate(300)
        board.power(False)
        assert "went off at 300000000 Hz" in board.messages()


@test
def rate_above_its_voltage_is_reported(qemu):
    for steps in (lambda board: (board.set_line(VSEL, False), board.set_rate(800)),
                  lambda board: (board.set_rate(800), board.set_line(VSEL, False))):
        with FirmwareBoard(qemu) as board:
            board.set_line(VSEL, False)
            board.set_rate(700)
            board.set_line(VSEL, True)
            board.set_rate(1000)
            board.set_rate(200)
            assert board.messages() == ""
            steps(board)
            assert "800000000 Hz at 700000 uV" in board.messages()


@test
def supply_has_the_voltage_that_its_bus_was_told(qemu):
    with FirmwareBoard(qemu) as board:
        assert [board.supply_read(register) for register in (1, 3, 7)] == [0x80, 10, 56]
        # 0.75 V is enough for 800 MHz, one step less is not.
        assert board.supply_write(7, 40) and board.supply_read(7) == 40
        board.set_rate(800)
        assert board.messages() == ""
        assert board.supply_write(7, 39)
        assert "800000000 Hz at 743750 uV" in board.messages()


@test
def supply_can_be_off_at_the_parked_rate_only(qemu):
    with FirmwareBoard(qemu) as board:
        assert board.supply_write(1, 0)
        assert board.messages() == ""
        board.set_rate(300)
        assert "300000000 Hz at 0 uV" in board.messages()


@test
def supply_refuses_what_it_has_not(qemu):
    with Board(qemu) as board:
        for register, value in ((3, 1), (7, 160), (9, 0)):
            before = board.supply_read(register)
            board.supply_write(register, value)
            assert board.supply_read(register) == before
            assert f"write of 0x{value:02x} to register 0x{register:02x} is not modelled" in board.messages()


@test
def deaf_supply_acknowledges_nothing_and_keeps_its_voltage(qemu):
    with Board(qemu) as board:
        board.set_line(DEAF_SUPPLY, True)
        assert board.supply_read(7) is None and not board.supply_write(7, 40)
        board.set_line(DEAF_SUPPLY, False)
        assert board.supply_read(7) == 56


@test
def reading_the_undecoded_page_is_reported_and_stops_the_board(qemu):
    with Board(qemu) as board:
        Npu(board, 0).register(0x2000)
        assert "core 0: read of 0x2000 hangs the bus" in board.messages()
        board.qemu.wait(WAIT_SECONDS)


@test
def write_to_the_undecoded_page_is_ignored(qemu):
    with Board(qemu) as board:
        npu = Npu(board, 0)
        npu.attach()
        npu.set_register(0x2000, 1)
        assert npu.run()


def job_log_of(qemu, *options, tasks=1):
    """Runs a chain and returns what the log says about it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "jobs")
        with Board(qemu, "-machine", f"job-log={path}", *options) as board:
            npu = Npu(board, 1)
            npu.attach()
            npu.kick(tasks)
            board.clock_step(1000000000)
            assert npu.finish() and npu.right()
        with open(path, encoding="ascii") as lines:
            return [json.loads(line) for line in lines]


@test
def job_log_has_a_line_per_task(qemu):
    jobs = job_log_of(qemu, tasks=3)
    assert [job["task"] for job in jobs] == [0, 1, 2]
    for job in jobs:
        assert job["core"] == 1 and job["tasks"] == 3 and job["enable"] == 0xD and not job["hung"]
        assert (job["channels"], job["kernels"], job["macs"]) == (K, N, M * N * K)
        assert job["bytes_read"] == M * K + N * K and job["bytes_written"] == 4 * M * N
        assert (job["feature_address"], job["weight_address"], job["output_address"]) == (IOVA_A, IOVA_B, IOVA_C)


@test
def log_predicts_what_the_parameters_say(qemu):
    options = ("-machine", "npu-mhz=500,dma-bytes-per-cycle=1,task-cycles=100,kick-cycles=2000")
    first, second = job_log_of(qemu, *options, tasks=2)
    traffic = M * K + N * K + 4 * M * N
    assert first["cycles"] == traffic + 100 + 2000 and second["cycles"] == traffic + 100
    assert first["ns"] == first["cycles"] * 2


@test
def task_ends_at_its_predicted_time(qemu):
    predicted = job_log_of(qemu)[0]["ns"]
    with Board(qemu, "-machine", "timing=on,attach-ns=7000") as board:
        npu = Npu(board, 1)
        npu.attach()
        for extra in (7000, 0):
            npu.kick()
            board.clock_step(1)
            board.clock_step(predicted + extra - 2)
            assert not npu.done() and not board.irq(1)
            board.clock_step(2)
            assert npu.done() and board.irq(1) and npu.right()
            npu.set_register(PC_CLEAR, 0x1FFFF)


@test
def clock_rate_sets_the_speed_of_a_task(qemu):
    cycles = job_log_of(qemu)[0]["cycles"]
    for mhz in (100, 400, 1000):
        with Board(qemu, "-machine", f"timing=on,attach-ns=0,npu-mhz={mhz}") as board:
            npu = Npu(board, 2)
            npu.attach()
            npu.kick()
            board.clock_step(1)
            board.clock_step(cycles * 1000 // mhz - 2)
            assert not npu.done()
            board.clock_step(3)
            assert npu.done() and npu.right()


@test
def timed_chain_waits_for_stall_and_clock(qemu):
    with Board(qemu, "-machine", "timing=on") as board:
        npu = Npu(board, 0)
        npu.attach()
        npu.mmu_command(STALL)
        npu.kick()
        board.clock_step(10000000)
        assert not npu.done()
        npu.mmu_command(UNSTALL)
        board.gate_compute_clock(0, False)
        board.clock_step(10000000)
        assert not npu.done()
        board.gate_compute_clock(0, True)
        board.clock_step(10000000)
        assert npu.finish() and npu.right()


@test
def timed_core_that_faults_works_after_a_reset(qemu):
    with Board(qemu, "-machine", "timing=on") as board:
        npu = Npu(board, 0)
        npu.attach()
        npu.space.unmap(IOVA_B)
        npu.mmu_command(ZAP_ALL)
        npu.kick()
        board.clock_step(10000000)
        assert npu.status() & ST_FAULT and board.irq(0) and not npu.done()
        npu.acknowledge_fault()
        board.pulse_reset(0)
        npu.space.map(IOVA_B, READ)
        npu.new_operands()
        npu.attach()
        npu.kick()
        board.clock_step(10000000)
        assert npu.finish() and npu.right()


def chaotic(qemu, check):
    """Calls CHECK(board, npu) with several seeds, a job done and virtual time standing still; it is true for some of them."""
    hits = 0
    for seed in range(1, 9):
        with Board(qemu, "-machine", f"chaos={seed}") as board:
            npu = Npu(board, 2)
            npu.attach()
            npu.kick()
            assert board.wait(npu.done)
            hits += bool(check(board, npu))
    assert hits, "no seed showed it"


@test
def chaos_makes_interrupts_late(qemu):
    def check(board, npu):
        early = board.irq(2)
        board.clock_step(1000000)
        assert board.irq(2)
        npu.set_register(PC_CLEAR, 0x1FFFF)
        assert not board.irq(2)
        return not early

    chaotic(qemu, check)


@test
def chaos_lands_results_while_the_port_says_busy(qemu):
    def check(board, npu):
        busy = not npu.register(DDMA_STATUS) & DDMA_IDLE
        assert busy or npu.right()
        wrong = not npu.right()
        board.clock_step(1000000)
        assert npu.register(DDMA_STATUS) & DDMA_IDLE and npu.right()
        return wrong

    chaotic(qemu, check)


@test
def next_task_sees_results_that_were_late(qemu):
    def check(board, npu):
        busy = not npu.register(DDMA_STATUS) & DDMA_IDLE
        npu.set_register(PC_CLEAR, 0x1FFFF)
        # A program that has only its fetch in common with the first: what it reads must be there.
        npu.kick(destination=IOVA_C + 0x400)
        assert board.wait(npu.done) and npu.right()
        return busy

    chaotic(qemu, check)


@test
def stall_lets_late_results_arrive(qemu):
    def check(board, npu):
        busy = not npu.register(DDMA_STATUS) & DDMA_IDLE
        npu.mmu_command(STALL)
        assert npu.right()
        return busy

    chaotic(qemu, check)


@test
def reset_drops_late_results(qemu):
    def check(board, npu):
        wrong = not npu.right()
        board.pulse_reset(2)
        board.clock_step(1000000)
        assert wrong != npu.right()
        npu.kick()
        assert board.wait(npu.done)
        board.clock_step(1000000)
        assert npu.right()
        return wrong

    chaotic(qemu, check)


@test
def chaos_raises_interrupts_that_nobody_explains(qemu):
    def check(board, npu):
        npu.set_register(PC_CLEAR, 0x1FFFF)
        seen = False
        for _ in range(400):
            board.clock_step(1000)
            seen = seen or board.irq(2)
        assert not board.irq(2) and npu.mmu_read(RAWSTAT) == 0 and npu.register(PC_RAW) & 0x1FFFF == 0
        return seen

    chaotic(qemu, check)


@test
def stray_line_raises_interrupts_that_nobody_explains(qemu):
    with Board(qemu) as board:
        board.set_line(STRAY, True)
        board.clock_step(1)
        assert all(board.irq(core) for core in range(3))
        board.clock_step(1000000)
        assert not any(board.irq(core) for core in range(3)), "a pulse"
        board.set_line(STRAY, False)
        board.clock_step(1000000)
        assert not any(board.irq(core) for core in range(3)), "the way back is none"


@test
def strict_reports_a_short_reset(qemu):
    for hold, complaint in ((100, True), (10000, False)):
        with Board(qemu, "-machine", "strict=on") as board:
            board.reset_lines(3)
            board.clock_step(hold)
            board.reset_lines(0)
            assert ("less than 32 cycles" in board.messages()) == complaint


def give_up(*unused):
    raise RuntimeError("QEMU does not answer")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    signal.signal(signal.SIGALRM, give_up)
    print(f"TAP version 13\n1..{len(TESTS)}", flush=True)
    failures = 0
    for number, function in enumerate(TESTS, 1):
        signal.alarm(TEST_SECONDS)
        try:
            function(sys.argv[1])
            print(f"ok {number} {function.__name__}", flush=True)
        except (AssertionError, RuntimeError) as error:
            failures += 1
            line = error.__traceback__
            while line.tb_next:
                line = line.tb_next
            print(f"not ok {number} {function.__name__}\n# line {line.tb_lineno}: {error}", flush=True)
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
