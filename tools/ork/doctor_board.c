/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "doctor.h"

#define TREE        "/proc/device-tree"
#define DEVICES     "/sys/bus/platform/devices"
#define OUR_DRIVER  "rknpu-ork-core"

/* Addresses of the cores and of their IOMMUs. The vendor's tree has the first ones only. */
static const char *const cores[DOCTOR_CORES] = { "fdab0000", "fdac0000", "fdad0000" };
static const char *const iommus[DOCTOR_CORES] = { "fdab9000", "fdaca000", "fdada000" };

/* Appends, with a blank between. What does not fit is left out. */
static void append(char *list, size_t size, const char *name)
{
	const size_t used = strlen(list);

	snprintf(list + used, size - used, "%s%s", used ? " " : "", name);
}

/* The folder of a node, at the root of the tree or below a bus. */
static int find_node(const struct doctor *doctor, const char *name, char *path, size_t size)
{
	char pattern[64];

	snprintf(pattern, sizeof(pattern), TREE "/%s", name);
	if (doctor_find(doctor, pattern, path, size) == 0)
		return 0;
	snprintf(pattern, sizeof(pattern), TREE "/*/%s", name);
	return doctor_find(doctor, pattern, path, size);
}

/* Whether a property, a list of strings that end with 0 each, has the string. */
static bool property_has(const struct doctor *doctor, const char *node, const char *property, const char *wanted)
{
	char path[PATH_MAX], data[512];
	int bytes, at;

	snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX - 64, node, property);
	bytes = doctor_read(doctor, path, data, sizeof(data));
	for (at = 0; at < bytes; at += (int)strlen(data + at) + 1)
		if (strcmp(data + at, wanted) == 0)
			return true;
	return false;
}

/* A node without status is enabled. */
static bool enabled(const struct doctor *doctor, const char *node)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.*s/status", PATH_MAX - 64, node);
	return doctor_exists(doctor, path) || property_has(doctor, node, "status", "okay") ||
	       property_has(doctor, node, "status", "ok");
}

static enum doctor_binding find_binding(const struct doctor *doctor)
{
	char node[PATH_MAX];

	if (find_node(doctor, "npu@fdab0000", node, sizeof(node)))
		return DOCTOR_NO_NPU;
	if (property_has(doctor, node, "compatible", "rockchip,rk3588-rknn-core"))
		return DOCTOR_MAINLINE;
	return property_has(doctor, node, "compatible", "rockchip,rk3588-rknpu") ? DOCTOR_VENDOR : DOCTOR_NO_NPU;
}

static void no_npu(struct doctor *doctor)
{
	char compatible[128];

	if (doctor_exists(doctor, TREE))
		doctor_say(doctor, DOCTOR_FAULT, "device tree", NULL,
			   "this machine has no device tree; an RK3588 does, and ORK_DEVICE=model needs none");
	else if (property_has(doctor, TREE, "compatible", "rockchip,rk3588") ||
		 property_has(doctor, TREE, "compatible", "rockchip,rk3588s"))
		doctor_say(doctor, DOCTOR_FAULT, "device tree", NULL,
			   "it has no npu@fdab0000, as that of current mainline kernels and of the vendor's has");
	else if (doctor_read(doctor, TREE "/compatible", compatible, sizeof(compatible)) > 0)
		doctor_say(doctor, DOCTOR_FAULT, "device tree", NULL, "this is no RK3588, but \"%s\"", compatible);
	else
		doctor_say(doctor, DOCTOR_UNKNOWN, "device tree", "sudo ork doctor", "this user cannot read it");
}

/* Whether a node is there and enabled. If not, its name goes on the list. */
static bool usable(struct doctor *doctor, const char *kind, const char *address, char *list)
{
	char name[24], node[PATH_MAX];

	snprintf(name, sizeof(name), "%s@%s", kind, address);
	if (find_node(doctor, name, node, sizeof(node)) == 0 && enabled(doctor, node))
		return true;
	append(list, DOCTOR_TEXT_CHARS / 4, name);
	return false;
}

/* The driver takes the cores that are enabled; one without its IOMMU never gets that far. */
void doctor_device_tree(struct doctor *doctor)
{
	char list[DOCTOR_TEXT_CHARS / 4] = "", remedy[DOCTOR_TEXT_CHARS];
	unsigned int i, nodes, halves = 0;
	bool npu, iommu;

	doctor->binding = find_binding(doctor);
	if (doctor->binding == DOCTOR_NO_NPU) {
		no_npu(doctor);
		return;
	}
	nodes = doctor->binding == DOCTOR_MAINLINE ? DOCTOR_CORES : 1;
	for (i = 0; i < nodes; i++) {
		npu = usable(doctor, "npu", cores[i], list);
		iommu = usable(doctor, "iommu", iommus[i], list);
		halves += npu && !iommu;
		if (npu && iommu)
			snprintf(doctor->devices[doctor->device_count++], sizeof(doctor->devices[0]), "%s.npu", cores[i]);
	}
	snprintf(remedy, sizeof(remedy), "fdtoverlay -i BOARD.dtb -o BOARD-npu.dtb rk3588-npu-%s.dtbo, then boot with that",
		 doctor->binding == DOCTOR_MAINLINE ? "mainline" : "vendor");
	if (*list)
		doctor_say(doctor, halves || !doctor->device_count ? DOCTOR_FAULT : DOCTOR_WARNING, "device tree", remedy,
			   "not enabled: %s (overlays are in packaging/overlays)", list);
	else
		doctor_say(doctor, DOCTOR_OK, "device tree", NULL, "%s, all nodes are enabled",
			   doctor->binding == DOCTOR_MAINLINE ? "mainline's, a node per core" : "the vendor's, one node");
}

/* --- Drivers ---------------------------------------------------------------------------------------------------- */

/* Devices that another driver has. Modules go, drivers that are part of the kernel only let go. */
static void say_taken(struct doctor *doctor, const char *devices, const char *driver)
{
	const char *module = strcasecmp(driver, "rknpu") == 0 ? "rknpu" : driver;
	char path[PATH_MAX], remedy[DOCTOR_TEXT_CHARS];

	snprintf(path, sizeof(path), "/sys/module/%.64s/initstate", module);
	if (doctor_exists(doctor, path) == 0)
		snprintf(remedy, sizeof(remedy), "sudo modprobe -r %s%s && sudo modprobe rknpu_ork",
			 doctor->loaded ? "rknpu_ork " : "", module);
	else if (doctor->loaded)
		snprintf(remedy, sizeof(remedy), "for d in %s; do echo $d | sudo tee /sys/bus/platform/drivers/%s/unbind "
			 "/sys/bus/platform/drivers/" OUR_DRIVER "/bind; done", devices, driver);
	else
		snprintf(remedy, sizeof(remedy), "for d in %s; do echo $d | sudo tee /sys/bus/platform/drivers/%s/unbind; done; "
			 "sudo modprobe rknpu_ork", devices, driver);
	doctor_say(doctor, DOCTOR_FAULT, "driver", remedy, "the driver %s has %s", driver, devices);
}

/* Why a device waits, as the kernel tells root; "" if it does not. */
static void read_deferral(const struct doctor *doctor, const char *device, char *reason, size_t size)
{
	char data[4096], *at;

	*reason = '\0';
	if (doctor_read(doctor, "/sys/kernel/debug/devices_deferred", data, sizeof(data)) <= 0)
		return;
	at = strstr(data, device);
	if (at)
		snprintf(reason, size, ", it waits: %.*s", (int)strcspn(at + strlen(device), "\n"), at + strlen(device));
}

static void say_without_driver(struct doctor *doctor, const char *device)
{
	char remedy[DOCTOR_TEXT_CHARS], reason[128];

	read_deferral(doctor, device, reason, sizeof(reason));
	snprintf(remedy, sizeof(remedy), "echo %s | sudo tee /sys/bus/platform/drivers/" OUR_DRIVER "/bind", device);
	doctor_say(doctor, DOCTOR_FAULT, "driver", remedy, "%s has no driver%s", device, reason);
}

void doctor_drivers(struct doctor *doctor)
{
	char path[PATH_MAX], driver[64], other[64] = "", taken[DOCTOR_CORES * sizeof(doctor->devices[0])] = "";
	unsigned int i;

	for (i = 0; i < doctor->device_count; i++) {
		snprintf(path, sizeof(path), DEVICES "/%s/driver", doctor->devices[i]);
		if (doctor_link(doctor, path, driver, sizeof(driver))) {
			/* Without the module it is the module that is missing. */
			if (doctor->loaded)
				say_without_driver(doctor, doctor->devices[i]);
		} else if (strcmp(driver, OUR_DRIVER) == 0) {
			doctor->bound++;
		} else {
			snprintf(other, sizeof(other), "%s", driver);
			append(taken, sizeof(taken), doctor->devices[i]);
		}
	}
	if (*taken)
		say_taken(doctor, taken, other);
	if (doctor->bound && doctor->bound == doctor->device_count)
		doctor_say(doctor, DOCTOR_OK, "driver", NULL, "%s has all devices of the NPU", OUR_DRIVER);
}

void doctor_iommu(struct doctor *doctor)
{
	char path[PATH_MAX], name[64], lost[DOCTOR_TEXT_CHARS / 4] = "";
	unsigned int i;

	if (!doctor->device_count)
		return;
	for (i = 0; i < DOCTOR_CORES; i++) {
		snprintf(path, sizeof(path), DEVICES "/%s.iommu", iommus[i]);
		if (doctor_exists(doctor, path))
			continue;
		snprintf(path, sizeof(path), DEVICES "/%s.iommu/driver", iommus[i]);
		if (doctor_link(doctor, path, name, sizeof(name)))
			append(lost, sizeof(lost), iommus[i]);
	}
	if (*lost) {
		doctor_say(doctor, DOCTOR_FAULT, "iommu", "zgrep ROCKCHIP_IOMMU /proc/config.gz /boot/config-$(uname -r)",
			   "no driver for the IOMMUs at %s; the kernel needs CONFIG_ROCKCHIP_IOMMU", lost);
		return;
	}
	/* Linux puts a device behind its IOMMU when a driver probes it. */
	if (!doctor->bound)
		return;
	for (i = 0; i < doctor->device_count; i++) {
		snprintf(path, sizeof(path), DEVICES "/%s/iommu_group", doctor->devices[i]);
		if (doctor_link(doctor, path, name, sizeof(name)))
			append(lost, sizeof(lost), doctor->devices[i]);
	}
	if (*lost)
		doctor_say(doctor, DOCTOR_FAULT, "iommu", "sudo dmesg | grep -i iommu",
			   "not behind an IOMMU: %s; is \"iommus\" in the device tree?", lost);
	else
		doctor_say(doctor, DOCTOR_OK, "iommu", NULL, "all devices are behind one");
}
