# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Logs every instruction and register access of the guest, in the sections that its command asks for.

The command writes "on NAME" to the virtio port ork.steps, waits for an empty
line, does what is to be looked at, and writes "off" in the same way. The
emulator then logs each instruction, exception and register access between the
two to DIR/NAME. It is told by its monitor, on the other side of what it runs,
so that the guest's instructions are the same as without the log.
"""

import os
import re

PORT = "ork.steps"
PROMPT = b"(qemu) "
NAME = re.compile(rb"on ([a-z0-9-]+)")
ITEMS = "exec,int,trace:memory_region_ops_read,trace:memory_region_ops_write"
RECEIVE_BYTES = 1 << 16


class Steps:
    """The port and the monitor; PORT_END and MONITOR_END are sockets."""

    def __init__(self, port_end, monitor_end, folder):
        self.port = port_end
        self._monitor = monitor_end
        self._folder = os.path.abspath(folder)
        self._line = bytearray()
        self._greeted = False

    def wants_read(self):
        return self.port is not None


    def read(self):
        try:
            data = self.port.recv(RECEIVE_BYTES)
        except ConnectionResetError:
            data = b""
        if not data:
            self.port = None
            return
        self._line += data
        while b"\n" in self._line:
            line, _, self._line = self._line.partition(b"\n")
            self._handle(bytes(line))

    def _handle(self, line):
        name = NAME.fullmatch(line)
        if name:
            self._tell("logfile " + os.path.join(self._folder, name[1].decode()))
            # Blocks of one instruction: a line each.
            self._tell("one-insn-per-tb on")
            self._tell("log " + ITEMS)
        else:
            self._tell("log guest_errors")
            self._tell("one-insn-per-tb off")
        self.port.send(b"\n")

    def _tell(self, command):
        if not self._greeted:
            self._wait_for_prompt()
            self._greeted = True
        self._monitor.send(command.encode() + b"\n")
        self._wait_for_prompt()

    def _wait_for_prompt(self):
        received = b""
        while not received.endswith(PROMPT):
            data = self._monitor.recv(RECEIVE_BYTES)
            if not data:
                raise OSError("the emulator's monitor is gone")
            received += data
