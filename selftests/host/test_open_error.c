/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <machine.h>
#include <open_error.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

/* What people are told when the NPU cannot be opened, on machines that consist of a few files below a folder. */

#define NPU0 "/sys/bus/platform/devices/fdab0000.npu"
#define NPU1 "/sys/bus/platform/devices/fdac0000.npu"

static char root[] = "/tmp/ork-machine-XXXXXX";
static char text[512];

static void run(const char *format, const char *what)
{
	char command[256];

	snprintf(command, sizeof(command), format, root, what);
	if (system(command))
		exit(1);
}

static void in_root(char *full, size_t size, const char *path)
{
	snprintf(full, size, "%s%s", root, path);
	run("mkdir -p \"$(dirname %s%s)\"", path);
}

static void put(const char *path, const char *contents)
{
	char full[256];
	FILE *file;

	in_root(full, sizeof(full), path);
	file = fopen(full, "w");
	if (!file || fputs(contents, file) < 0 || fclose(file))
		exit(1);
}

static void put_link(const char *path, const char *target)
{
	char full[256];

	in_root(full, sizeof(full), path);
	if (symlink(target, full))
		exit(1);
}

/* A machine with two NPUs, no driver and Linux 6.12. */
static void start_machine(void)
{
	run("rm -rf %s/*%s", "");
	put(NPU0 "/uevent", "");
	put(NPU1 "/uevent", "");
	put("/proc/sys/kernel/osrelease", "6.12.1-arm64\n");
}

static bool told(const char *device, int err, const char *part)
{
	explain_open_error(root, device, err, text, sizeof(text));
	return strstr(text, part) && !strchr(text, '\n');
}

/* A case fails with what was said. */
static void expect(const char *device, int err, const char *part, const char *name)
{
	if (!ok(told(device, err, part), "%s", name))
		note("%s", text);
}

static void test_modules(void)
{
	start_machine();
	expect(NULL, -ENODEV, "is not installed: make module KDIR=", "without a module it is to be built");
	put("/lib/modules/6.1.9-arm64/modules.dep", "kernel/a.ko: kernel/b.ko\nupdates/dkms/rknpu_ork.ko.xz: kernel/a.ko\n");
	expect(NULL, -ENODEV, "is installed for Linux 6.1.9-arm64, but not for this 6.12.1-arm64: sudo dkms autoinstall",
	       "a module of another kernel is named");
	put("/lib/modules/6.12.1-arm64/modules.dep", "kernel/a.ko: extra/rknpu_ork.ko\n");
	expect(NULL, -ENODEV, "but not for this", "what depends on the module is not the module");
	put("/lib/modules/6.12.1-arm64/modules.dep", "extra/rknpu_ork.ko:\n");
	expect(NULL, -ENODEV, "is not loaded: sudo modprobe rknpu_ork", "an installed module is to be loaded");
	put("/lib/modules/6.12.1-arm64/extra/rknpu_ork.ko", "xvermagic=6.12.1-arm64 SMP mod_unload aarch64");
	expect(NULL, -ENODEV, "is not loaded: sudo modprobe rknpu_ork", "also one that tells its kernel");
	put("/lib/modules/6.12.1-arm64/extra/rknpu_ork.ko", "xvermagic=6.12.0-arm64 SMP mod_unload aarch64");
	expect(NULL, -ENODEV,
	       "/lib/modules/6.12.1-arm64/extra/rknpu_ork.ko was built for Linux 6.12.0-arm64, but this is 6.12.1-arm64",
	       "a module that was copied from another kernel is found out");
	put("/sys/module/rknpu_ork/initstate", "live\n");
	expect(NULL, -ENODEV, "did not take the NPU: sudo dmesg", "a loaded module that failed sends to the kernel's log");
	put_link(NPU0 "/driver", "../../../bus/platform/drivers/rknpu-ork-core");
	expect(NULL, -ENODEV, "no render node: sudo dmesg", "so does one without a render node");
	put_link("/sys/class/drm/renderD128/device/driver", "../../../bus/platform/drivers/rknpu-ork");
	expect(NULL, -ENODEV, "/dev/dri/renderD128 is an NPU that this libork",
	       "an NPU that the library does not know is told");
}

static void test_other_drivers(void)
{
	start_machine();
	put_link(NPU1 "/driver", "../../../bus/platform/drivers/rocket");
	put_link("/sys/bus/platform/drivers/rocket/module", "../../../../module/rocket");
	put("/sys/module/rocket/initstate", "live\n");
	expect(NULL, -ENODEV, "the driver rocket has the NPU: sudo modprobe -r rocket rknpu_ork && sudo modprobe rknpu_ork",
	       "a module that has an NPU is to be unloaded");
	expect(NULL, -ENODEV, "echo blacklist rocket | sudo tee /etc/modprobe.d/rknpu-ork.conf", "and to be blacklisted");

	start_machine();
	put_link(NPU0 "/driver", "../../../bus/platform/drivers/RKNPU");
	put_link("/sys/bus/platform/drivers/RKNPU/module", "../../../../module/rknpu");
	put("/sys/module/rknpu/version", "0.9.8\n");
	expect(NULL, -ENODEV, "cd /sys/bus/platform/drivers/RKNPU; for npu in *.npu; do echo $npu > unbind; done",
	       "a driver inside the kernel is to be unbound");

	run("rm -rf %s/sys%s", "");
	expect(NULL, -ENODEV, "enables no NPU", "a machine without NPU is told so");
}

static void test_permissions(void)
{
	char node[256];

	start_machine();
	put_link("/sys/class/drm/renderD128/device/driver", "../../../bus/platform/drivers/panthor");
	put("/dev/dri/renderD128", "");
	expect(NULL, -EACCES, "is not installed", "a GPU's node that may not be opened is not the reason");
	put_link("/sys/class/drm/renderD129/device/driver", "../../../bus/platform/drivers/rknpu-ork");
	put("/dev/dri/renderD129", "");
	in_root(node, sizeof(node), "/dev/dri/renderD129");
	if (!chmod(node, 0600))
		expect(NULL, -EACCES, "/dev/dri/renderD129, which is for root only: sudo chgrp render /dev/dri/renderD129",
		       "a node of root is to get a group");
	if (!chmod(node, 0660) && !chown(node, 0, 1))
		expect(NULL, -EACCES, "for the group daemon: sudo usermod -aG daemon $USER", "the user is to join the group");
	expect("/dev/dri/renderD129", -EACCES, "sudo usermod -aG daemon $USER", "also for a node that was named");
}

static void test_names(void)
{
	start_machine();
	expect("/dev/dri/renderD128", -ENODEV, "without --device and ORK_DEVICE ork looks for one",
	       "a node of another driver need not be named");
	expect("/dev/dri/renderD12", -ENOENT, "no such file", "a node that does not exist is told");
	ok(strcmp(machine_times(root, "kernel"), "silicon") == 0, "times are those of silicon");
	put("/proc/device-tree/compatible", "rknpu-ork,rk3588-npu");
	ok(strcmp(machine_times(root, "kernel"), "emulator") == 0, "but on the emulated board");
	ok(strcmp(machine_times(root, "model"), "model") == 0, "and on the model");
}

int main(void)
{
	if (!mkdtemp(root))
		return 1;
	test_modules();
	test_other_drivers();
	test_names();
	/* Owners of files can be set by root only. */
	if (geteuid() == 0)
		test_permissions();
	run("rm -rf %s%s", "");
	return done();
}
