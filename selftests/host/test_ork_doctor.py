#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""ork doctor: a machine of files in good order, and what is said when one thing is wrong.

usage: test_ork_doctor.py BUILD    the folder with bin/ork
"""

import json
import os
import shutil
import subprocess
import tempfile

from tap import ORK, finish, ok

RELEASE = "6.12.1-arm64"
CORES = ["fdab0000", "fdac0000", "fdad0000"]
IOMMUS = ["fdab9000", "fdaca000", "fdada000"]
DEVICES = "sys/bus/platform/devices"
DEVFREQ = "sys/class/devfreq/fdab0000.npu"
RENDER = "sys/devices/platform/rknpu-ork/drm/renderD128"


def write(path, text):
    path = os.path.join("m", path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())


def link(path, target):
    path = os.path.join("m", path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.lexists(path):
        os.remove(path)
    os.symlink(target, path)


def remove(path):
    path = os.path.join("m", path)
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.remove(path)


def driver(device, name):
    link(f"{DEVICES}/{device}/driver", f"../../../bus/platform/drivers/{name}")


def healthy(vendor=False):
    """A board on which all is well. With the vendor's device tree all cores are in one device."""
    shutil.rmtree("m", ignore_errors=True)
    write("proc/sys/kernel/osrelease", RELEASE + "\n")
    write("proc/device-tree/compatible", b"radxa,rock-5b\0rockchip,rk3588\0")
    write("sys/module/rknpu_ork/version", "0.1.0\n")
    write("sys/module/rknpu_ork/initstate", "live\n")
    write(f"lib/modules/{RELEASE}/build/Makefile", "")
    binding = b"rockchip,rk3588-rknpu\0" if vendor else b"rockchip,rk3588-rknn-core\0"
    for i in range(1 if vendor else 3):
        write(f"proc/device-tree/npu@{CORES[i]}/compatible", binding)
        write(f"proc/device-tree/npu@{CORES[i]}/status", b"okay\0")
        write(f"proc/device-tree/iommu@{IOMMUS[i]}/compatible", b"rockchip,rk3588-iommu\0")
        driver(f"{CORES[i]}.npu", "rknpu-ork-core")
        driver(f"{IOMMUS[i]}.iommu", "rk_iommu")
        link(f"{DEVICES}/{CORES[i]}.npu/iommu_group", f"../../../kernel/iommu_groups/{i}")
        write(f"{DEVICES}/{CORES[i]}.npu/power/control", "auto\n")
        write(f"{DEVICES}/{CORES[i]}.npu/power/runtime_status", "suspended\n")
    for i in range(3):
        core = f"{DEVICES}/{CORES[0 if vendor else i]}.npu/npu{i}"
        write(f"{core}/state", "ok\n")
        write(f"{core}/resets", "0\n")
    write(f"{RENDER}/dev", "226:128\n")
    write("dev/dri/renderD128", "")
    write("dev/kmsg", "6,1,10,-;[drm] Initialized rknpu-ork 1.1.0\n3,2,11,-;usb 1-1: error\n")
    write(f"{DEVFREQ}/governor", "simple_ondemand\n")
    write(f"{DEVFREQ}/max_freq", "600000000\n")
    write(f"{DEVFREQ}/cur_freq", "200000000\n")


def doctor(*args, prefix=()):
    done = subprocess.run([*prefix, ORK, "doctor", "--root", "m", *args], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def findings(prefix=()):
    status, out, err = doctor("--json", prefix=prefix)
    result = json.loads(out)
    return status, result, [c for c in result["checks"] if c["status"] != "ok"]


def sick(name, change, check, level, text, remedy):
    """After the change, the check says text at that level and offers the remedy, and nothing else is wrong."""
    healthy()
    change()
    status, result, bad = findings()
    good = (len(bad) == 1 and bad[0]["check"] == check and bad[0]["status"] == level and text in bad[0]["text"] and
            (remedy in bad[0]["remedy"] if remedy else bad[0]["remedy"] is None))
    ok(good and status == (1 if level == "fault" else 0) and result[level if level == "unknown" else level + "s"] == 1,
       name, f"{status} {bad}")


def check_healthy():
    healthy()
    status, out, err = doctor()
    ok(status == 0 and not err and all(line.startswith("ok ") for line in out.splitlines()) and
       len(out.splitlines()) == 10, "a healthy board has ten checks that are ok", out + err)
    ok("rknpu_ork 0.1.0 is loaded" in out, "the module's version is told", out)
    healthy(vendor=True)
    status, out, err = doctor()
    ok(status == 0 and "the vendor's, one node" in out and "3 in service" in out, "so is one with the vendor's device tree",
       out + err)


def check_kernel():
    def old():
        write("proc/sys/kernel/osrelease", "5.10.160\n")
        write("lib/modules/5.10.160/build/Makefile", "")
    sick("a kernel that is too old", old, "kernel", "fault", "Linux 5.10.160 is older than 6.1", "linux-image-arm64")

    def errors():
        write("dev/kmsg", "3,1,5,-;rknpu-ork-core fdab0000.npu: core 0: ork[7]: no progress in tasks 0 to 0, core reset\n"
              " SUBSYSTEM=platform\n3,9,9,-;rk_iommu fdab9000.iommu: Page fault at 0x0 of type read\n")
    sick("errors in the kernel log", errors, "kernel log", "warning", "2 errors about the NPU, the last: rk_iommu", "dmesg")
    sick("a kernel log that cannot be read", lambda: remove("dev/kmsg"), "kernel log", "unknown", "cannot read", "sudo ork doctor")


def without_module():
    """Installed, not loaded."""
    remove("sys/module/rknpu_ork")
    remove("sys/devices")
    for core in CORES:
        remove(f"{DEVICES}/{core}.npu/driver")
        remove(f"{DEVICES}/{core}.npu/iommu_group")
    write(f"lib/modules/{RELEASE}/modules.dep", "kernel/a.ko: kernel/b.ko\nupdates/rknpu_ork.ko: kernel/drm.ko\n")
    write(f"lib/modules/{RELEASE}/updates/rknpu_ork.ko", f"\x7fELF\0license=GPL\0vermagic={RELEASE} SMP aarch64\0")


def check_module():
    sick("a module that is not loaded", without_module, "module", "fault", "installed but not loaded", "sudo modprobe rknpu_ork")

    def other_vermagic():
        without_module()
        write(f"lib/modules/{RELEASE}/updates/rknpu_ork.ko", "\x7fELF\0vermagic=6.1.0-28-arm64 SMP\0")
    sick("a module of another kernel in its place", other_vermagic, "module", "fault",
         f"is built for Linux 6.1.0-28-arm64, not for {RELEASE}", f"make module KDIR=/lib/modules/{RELEASE}/build")

    def other_kernel():
        without_module()
        os.rename(f"m/lib/modules/{RELEASE}/updates", "m/updates")
        os.makedirs("m/lib/modules/6.1.0")
        os.rename("m/updates", "m/lib/modules/6.1.0/updates")
        write("lib/modules/6.1.0/modules.dep", "updates/dkms/rknpu_ork.ko.xz:\n")
        write(f"lib/modules/{RELEASE}/modules.dep", "kernel/a.ko: kernel/b.ko\n")
    sick("a module for another kernel only", other_kernel, "module", "fault",
         f"installed for Linux 6.1.0, but not for this, {RELEASE}", "make module")

    def dkms():
        other_kernel()
        write("usr/src/rknpu-ork-0.1.0/dkms.conf", "")
        remove(f"lib/modules/{RELEASE}/build")
    sick("DKMS and no headers", dkms, "module", "fault", "but not for this",
         f"sudo apt install linux-headers-{RELEASE} && sudo dkms autoinstall -k {RELEASE}")

    def nothing():
        other_kernel()
        remove("lib/modules/6.1.0")
    sick("no module at all", nothing, "module", "fault", "not installed for this kernel", "insmod build/module/rknpu_ork.ko")


def check_device_tree():
    def core_off():
        write("proc/device-tree/npu@fdac0000/status", b"disabled\0")
        write("proc/device-tree/iommu@fdaca000/status", b"disabled\0")
        remove(f"{DEVICES}/fdac0000.npu")
        remove(f"{DEVICES}/fdaca000.iommu")
    sick("a core that is not enabled", core_off, "device tree", "warning", "not enabled: npu@fdac0000 iommu@fdaca000",
         "fdtoverlay -i BOARD.dtb -o BOARD-npu.dtb rk3588-npu-mainline.dtbo")

    def half_a_core():
        core_off()
        write("proc/device-tree/npu@fdac0000/status", b"okay\0")
    sick("a core whose IOMMU is not enabled", half_a_core, "device tree", "fault", "not enabled: iommu@fdaca000", "fdtoverlay")

    def all_off():
        without_module()
        for i in range(3):
            write(f"proc/device-tree/npu@{CORES[i]}/status", b"disabled\0")
            remove(f"{DEVICES}/{CORES[i]}.npu")
    healthy()
    all_off()
    status, result, bad = findings()
    ok(status == 1 and [c["check"] for c in bad] == ["module", "device tree"] and bad[1]["status"] == "fault" and
       "npu@fdab0000 npu@fdac0000 npu@fdad0000" in bad[1]["text"], "no core that is enabled", bad)

    def away():
        for i in range(3):
            remove(f"proc/device-tree/npu@{CORES[i]}")
    sick("a device tree without the NPU", away, "device tree", "fault", "has no npu@fdab0000", None)

    def other():
        away()
        write("proc/device-tree/compatible", b"raspberrypi,5\0brcm,bcm2712\0")
    sick("another SoC", other, "device tree", "fault", "this is no RK3588, but \"raspberrypi,5\"", None)

    def deeper():
        os.makedirs("m/proc/device-tree/soc")
        for i in range(3):
            os.rename(f"m/proc/device-tree/npu@{CORES[i]}", f"m/proc/device-tree/soc/npu@{CORES[i]}")
    healthy()
    deeper()
    status, out, err = doctor()
    ok(status == 0, "nodes below a bus are found", out + err)


def check_drivers():
    def taken(name, module=None):
        without_module()
        for core in CORES:
            driver(f"{core}.npu", name)
        if module:
            write(f"sys/module/{module}/initstate", "live\n")

    def rocket():
        taken("rocket", "rocket")
    healthy()
    rocket()
    status, result, bad = findings()
    ok(status == 1 and [c["check"] for c in bad] == ["module", "driver"] and
       bad[1]["text"] == "the driver rocket has fdab0000.npu fdac0000.npu fdad0000.npu" and
       bad[1]["remedy"] == "sudo modprobe -r rocket && sudo modprobe rknpu_ork", "rocket in possession", bad)
    healthy()
    taken("RKNPU")
    status, result, bad = findings()
    ok(bad[1]["remedy"].startswith("for d in fdab0000.npu fdac0000.npu fdad0000.npu; do echo $d | sudo tee "
                                   "/sys/bus/platform/drivers/RKNPU/unbind; done; sudo modprobe"), "a driver in the kernel", bad)
    sick("the vendor's driver in the kernel, and ours loaded", lambda: driver("fdab0000.npu", "RKNPU"), "driver", "fault",
         "the driver RKNPU has fdab0000.npu", "for d in fdab0000.npu; do echo $d | sudo tee "
         "/sys/bus/platform/drivers/RKNPU/unbind /sys/bus/platform/drivers/rknpu-ork-core/bind; done")

    def loaded_rknpu():
        driver("fdab0000.npu", "RKNPU")
        write("sys/module/rknpu/initstate", "live\n")
    sick("the vendor's driver as a module", loaded_rknpu, "driver", "fault", "RKNPU",
         "sudo modprobe -r rknpu_ork rknpu && sudo modprobe rknpu_ork")

    def waits():
        remove(f"{DEVICES}/fdac0000.npu/driver")
        write("sys/kernel/debug/devices_deferred", "fdac0000.npu\tplatform: wait for supplier regulator\n")
    sick("a device that waits", waits, "driver", "fault", "wait for supplier regulator", "rknpu-ork-core/bind")
    sick("no driver for an IOMMU", lambda: remove(f"{DEVICES}/fdada000.iommu/driver"), "iommu", "fault",
         "the IOMMUs at fdada000", "ROCKCHIP_IOMMU")
    sick("a device that is not behind an IOMMU", lambda: remove(f"{DEVICES}/fdad0000.npu/iommu_group"), "iommu", "fault",
         "not behind an IOMMU: fdad0000.npu", "dmesg")


def check_device():
    sick("no render node", lambda: remove(RENDER), "render node", "fault", "made no render node", "dmesg")
    sick("no file for it", lambda: remove("dev/dri/renderD128"), "render node", "fault", "No such file", "udevadm trigger")

    def clock(name, text):
        return lambda: write(f"{DEVFREQ}/{name}", text + "\n")
    sick("a governor that saves power", clock("governor", "powersave"), "clock", "warning", "lowest rate, 200 MHz",
         "echo simple_ondemand | sudo tee")
    sick("a low ceiling", clock("max_freq", "400000000"), "clock", "warning", "limited to 400 MHz", "echo 600000000")
    sick("a slow rate set by hand", clock("governor", "userspace"), "clock", "warning", "userspace", "set_freq")
    sick("no devfreq", lambda: remove("sys/class/devfreq"), "clock", "warning", "no devfreq", "governor_simpleondemand")
    sick("a core that is never switched off", lambda: write(f"{DEVICES}/fdab0000.npu/power/control", "on\n"), "power",
         "warning", "fdab0000.npu is never switched off", "echo auto | sudo tee")
    sick("a core that cannot be switched", lambda: write(f"{DEVICES}/fdab0000.npu/power/runtime_status", "error\n"),
         "power", "fault", "could not be switched", "driver/unbind")
    sick("a lost core", lambda: write(f"{DEVICES}/fdac0000.npu/npu1/state", "lost\n"), "cores", "fault",
         "core 1 did not come back", "sudo modprobe -r rknpu_ork")
    sick("resets", lambda: write(f"{DEVICES}/fdac0000.npu/npu1/resets", "2\n"), "cores", "warning",
         "3 in service, after 2 resets", "ork regcmd")


def check_permission():
    """As another user, if this one may become one and that one can start the command."""
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    healthy()
    os.chmod("m/dev/dri/renderD128", 0o600)
    os.chmod("m/dev/kmsg", 0o600)
    os.chmod(".", 0o755)
    try:
        able = subprocess.run([*nobody, ORK, "--version"], capture_output=True).returncode == 0
    except OSError:
        able = False
    if not able:
        ok(True, "a user without permission # SKIP cannot become nobody")
        return
    status, result, bad = findings(prefix=nobody)
    ok(status == 1 and [(c["check"], c["status"]) for c in bad] == [("render node", "fault"), ("kernel log", "unknown")] and
       "mode 600" in bad[0]["text"] and "chmod 660 /dev/dri/renderD128" in bad[0]["remedy"], "a node for root only", bad)
    os.chown("m/dev/dri/renderD128", 0, 1)
    os.chmod("m/dev/dri/renderD128", 0o660)
    status, result, bad = findings(prefix=nobody)
    ok(status == 1 and "sudo usermod -aG" in bad[0]["remedy"], "a node for a group that the user is not in", bad)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    check_healthy()
    check_kernel()
    check_module()
    check_device_tree()
    check_drivers()
    check_device()
    check_permission()
    os.chdir("/")

finish()
