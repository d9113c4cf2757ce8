# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Documented commands that the test does not run as they are written, and why.

An entry is for commands all of which match PATTERN, a regular expression, and whose first shown line has the text SHOWN.
INSTEAD is what is run in their place; None is nothing. PLACE is where, if not where the command stands. The first entry
that fits counts, and each has to fit a command of the documentation.

"sudo" is there on the board and does nothing: its only user is root.
"""

import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class Entry:
    pattern: str
    instead: typing.Optional[str]
    reason: str
    shown: str = ""
    place: str = ""


# Runs ork info without the driver, after the first part, and undoes that with the second.
WITHOUT_DRIVER = "rmmod rknpu_ork; {}; ork info; status=$?; {}; modprobe rknpu_ork; exit $status"
NODE_OF_GROUP = "grep -q ^render: /etc/group || echo render:x:105: >>/etc/group; " \
    "echo nobody:x:65534:65534::/:/bin/sh >>/etc/passwd; chgrp render /dev/dri/renderD128; chmod 660 /dev/dri/renderD128; "
AS_NOBODY = "start-stop-daemon -S -c nobody:{} -x /usr/bin/ork -- info"
HANG = "modprobe rknpu_ork; ork matmul -m 512 -k 4096 -n 2048 --cores 1 --timeout 1 2>/dev/null; "

NO_COMPILER = "there is no compiler on the emulated board; "
NO_PACKAGES = "there is no package manager on the emulated board; make check-packages "

EXCEPTIONS = [
    # What takes too long or is tested by others.
    Entry(r"make check", None, "this test is a part of it"),
    Entry(r"make demo", "tools/demo.sh build/host/bin/ork", "the rest of it runs the same script on a board"),
    Entry(r"make deb", None, "make check-packages builds them twice"),

    # What a board has and the emulated one has not.
    Entry(r"make module KDIR=.*", "test -e build/module/rknpu_ork.ko",
          NO_COMPILER + "make module makes the same file for its kernel"),
    Entry(r"make lib tools && sudo make install.*", "ork --version", NO_COMPILER + "selftests/host/test_install.sh installs"),
    Entry(r"sudo make install-module KDIR=.* && sudo modprobe rknpu_ork", "modprobe rknpu_ork",
          NO_COMPILER + "selftests/packages/test_install_module.sh does it"),
    Entry(r"sudo make install-module KDIR=.*", None, NO_COMPILER + "selftests/packages/test_install_module.sh does it"),
    Entry(r"sudo rm /lib/modules/.*", "test -d /lib/modules/$(uname -r)", "nothing was installed there"),
    Entry(r"sudo depmod", None, "the list of modules on the emulated board is written by ork-board"),
    Entry(r"sudo make uninstall", None, "selftests/host/test_install.sh does it"),
    Entry(r"sudo apt install (gcc|linux-headers).*", None, NO_PACKAGES + "does not need these, the machine has them"),
    Entry(r"sudo apt (install|remove) .*", None, NO_PACKAGES + "installs and removes these"),
    Entry(r"(sudo )?dkms .*", None, NO_PACKAGES + "lets DKMS build the module"),
    Entry(r"sudo update-initramfs -u", None, "its initramfs is made anew for each boot"),
    Entry(r".*scaling_governor", None, "the emulated board has no clock of its CPUs"),

    # The vendor's driver is not on the board, so ours has to let go and take hold.
    Entry(r"echo fdab0000.npu \| sudo tee /sys/bus/platform/drivers/RKNPU/unbind",
          "echo fdab0000.npu > /sys/bus/platform/drivers/rknpu-ork-core/unbind && rmmod rknpu_ork",
          "the vendor's driver is not on the emulated board: ours lets go in its place"),
    Entry(r"echo fdab0000.npu \| sudo tee /sys/bus/platform/drivers/RKNPU/bind",
          "modprobe rknpu_ork && cd /sys/bus/platform/drivers/rknpu-ork-core && echo fdab0000.npu > unbind && "
          "echo fdab0000.npu > bind", "the vendor's driver is not on the emulated board: ours takes hold in its place"),

    # Symptoms that have to be made first.
    Entry(r"ork info", WITHOUT_DRIVER.format("cd /lib/modules/*; cp modules.dep /tmp; sed -i /rknpu_ork/d modules.dep",
                                             "cp /tmp/modules.dep ."),
          "the module is hidden from modprobe before", shown="is not installed"),
    Entry(r"ork info", WITHOUT_DRIVER.format("mount -t tmpfs tmpfs /sys/bus/platform/devices",
                                             "umount /sys/bus/platform/devices"),
          "the devices of the device tree are hidden before", shown="enables no NPU"),
    Entry(r"sudo insmod build/module/rknpu_ork.ko", "rmmod rknpu_ork; insmod /root/other-kernel/rknpu_ork.ko",
          "that file is for the board's kernel, so one for another is taken", shown="nvalid module format"),
    Entry(r"sudo insmod build/module/rknpu_ork.ko", "rmmod gpu_sched; insmod build/module/rknpu_ork.ko",
          "what the module needs is unloaded before", shown="nknown symbol"),
    Entry(r"ork info", NODE_OF_GROUP + AS_NOBODY.format(65534),
          "the board's only user is root: another one is made, and the node is given the group that udev gives it",
          shown="permission denied"),
    Entry(r"sudo usermod -aG render \$USER", NODE_OF_GROUP + AS_NOBODY.format("render"),
          "the board's only user is root: one with this group uses the node"),
    Entry(r"ork regcmd /sys/class/devcoredump/devcd1/data", HANG + "ork regcmd /sys/class/devcoredump/devcd*/data",
          "a core is made to hang before, and the number is that of the hang", place="mainline"),
]
