/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor.h"

#define DEVICES  "/sys/bus/platform/devices"
#define DEVFREQ  "/sys/class/devfreq/fdab0000.npu"

/* What the driver's ceiling starts at. */
#define SAFE_HZ 600000000ul

static int read_text(const struct doctor *doctor, const char *path, char *text, size_t size)
{
	const int bytes = doctor_read(doctor, path, text, size);

	if (bytes < 0)
		return bytes;
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

/* Device nodes belong to the group render, whose members may use them. */
static void no_permission(struct doctor *doctor, const char *node, const struct stat *st)
{
	const struct group *group = getgrgid(st->st_gid);
	char remedy[DOCTOR_TEXT_CHARS];

	if (group && group->gr_gid && (st->st_mode & 0060) == 0060)
		snprintf(remedy, sizeof(remedy), "sudo usermod -aG %s $USER, then log in again", group->gr_name);
	else
		snprintf(remedy, sizeof(remedy), "sudo chgrp render %s && sudo chmod 660 %s", node, node);
	doctor_say(doctor, DOCTOR_FAULT, "render node", remedy, "this user may not open %s (group %s, mode %03o)", node,
		   group ? group->gr_name : "without name", st->st_mode & 0777);
}

void doctor_node(struct doctor *doctor)
{
	char path[PATH_MAX], node[64], full[PATH_MAX];
	struct stat st;

	if (!doctor->bound)
		return;
	if (doctor_find(doctor, "/sys/devices/platform/rknpu-ork/drm/renderD*", path, sizeof(path))) {
		doctor_say(doctor, DOCTOR_FAULT, "render node", "sudo dmesg | grep rknpu-ork",
			   "the driver has devices but made no render node");
		return;
	}
	snprintf(node, sizeof(node), "/dev/dri/%.40s", strrchr(path, '/') + 1);
	snprintf(full, sizeof(full), "%s%s", doctor->root, node);
	if (stat(full, &st))
		doctor_say(doctor, DOCTOR_FAULT, "render node", "sudo udevadm trigger --action=add --subsystem-match=drm",
			   "%s: %s", node, strerror(errno));
	else if (access(full, R_OK | W_OK))
		no_permission(doctor, node, &st);
	else
		doctor_say(doctor, DOCTOR_OK, "render node", NULL, "%s, this user may use it", node);
}

static void say_clock(struct doctor *doctor, const char *governor, unsigned long max_hz, unsigned long cur_hz)
{
	char remedy[DOCTOR_TEXT_CHARS];

	if (strcmp(governor, "powersave") == 0) {
		snprintf(remedy, sizeof(remedy), "echo simple_ondemand | sudo tee " DEVFREQ "/governor");
		doctor_say(doctor, DOCTOR_WARNING, "clock", remedy, "the governor %s keeps it at its lowest rate, %lu MHz",
			   governor, cur_hz / 1000000);
	} else if (max_hz < SAFE_HZ) {
		snprintf(remedy, sizeof(remedy), "echo %lu | sudo tee " DEVFREQ "/max_freq", SAFE_HZ);
		doctor_say(doctor, DOCTOR_WARNING, "clock", remedy, "it is limited to %lu MHz", max_hz / 1000000);
	} else if (strcmp(governor, "userspace") == 0 && cur_hz < SAFE_HZ) {
		snprintf(remedy, sizeof(remedy), "echo %lu | sudo tee " DEVFREQ "/userspace/set_freq", SAFE_HZ);
		doctor_say(doctor, DOCTOR_WARNING, "clock", remedy, "the governor userspace is in charge, now %lu MHz",
			   cur_hz / 1000000);
	} else {
		doctor_say(doctor, DOCTOR_OK, "clock", NULL, "governor %s, up to %lu MHz", governor, max_hz / 1000000);
	}
}

void doctor_clock(struct doctor *doctor)
{
	char governor[64], max_hz[32], cur_hz[32];
	int err;

	if (!doctor->bound)
		return;
	err = read_text(doctor, DEVFREQ "/governor", governor, sizeof(governor));
	if (!err)
		err = read_text(doctor, DEVFREQ "/max_freq", max_hz, sizeof(max_hz));
	if (!err)
		err = read_text(doctor, DEVFREQ "/cur_freq", cur_hz, sizeof(cur_hz));
	if (err == -ENOENT)
		doctor_say(doctor, DOCTOR_WARNING, "clock",
			   "sudo modprobe governor_simpleondemand && sudo modprobe -r rknpu_ork && sudo modprobe rknpu_ork",
			   "no devfreq: the NPU runs at its ceiling whenever it is awake");
	else if (err)
		doctor_say(doctor, DOCTOR_UNKNOWN, "clock", "sudo ork doctor", "this user cannot read " DEVFREQ);
	else
		say_clock(doctor, governor, strtoul(max_hz, NULL, 10), strtoul(cur_hz, NULL, 10));
}

static bool power_is_well(struct doctor *doctor, const char *device)
{
	char path[128], text[32], remedy[DOCTOR_TEXT_CHARS];

	snprintf(path, sizeof(path), DEVICES "/%s/power/runtime_status", device);
	if (read_text(doctor, path, text, sizeof(text)) == 0 && strcmp(text, "error") == 0) {
		snprintf(remedy, sizeof(remedy), "echo %s | sudo tee " DEVICES "/%s/driver/unbind "
			 "/sys/bus/platform/drivers/rknpu-ork-core/bind", device, device);
		doctor_say(doctor, DOCTOR_FAULT, "power", remedy, "%s could not be switched on or off", device);
		return false;
	}
	snprintf(path, sizeof(path), DEVICES "/%s/power/control", device);
	if (read_text(doctor, path, text, sizeof(text)) == 0 && strcmp(text, "on") == 0) {
		snprintf(remedy, sizeof(remedy), "echo auto | sudo tee %s", path);
		doctor_say(doctor, DOCTOR_WARNING, "power", remedy, "%s is never switched off", device);
		return false;
	}
	return true;
}

void doctor_power(struct doctor *doctor)
{
	bool well = true;
	unsigned int i;

	if (!doctor->bound)
		return;
	for (i = 0; i < doctor->device_count; i++)
		well &= power_is_well(doctor, doctor->devices[i]);
	if (well)
		doctor_say(doctor, DOCTOR_OK, "power", NULL, "cores without work are switched off");
}

void doctor_cores(struct doctor *doctor)
{
	char pattern[PATH_MAX], path[PATH_MAX], text[32];
	unsigned int core, good = 0, lost = 0, resets = 0;

	if (!doctor->bound)
		return;
	for (core = 0; core < DOCTOR_CORES; core++) {
		snprintf(pattern, sizeof(pattern), DEVICES "/*.npu/npu%u/state", core);
		if (doctor_find(doctor, pattern, path, sizeof(path)) || read_text(doctor, path, text, sizeof(text)))
			continue;
		if (strcmp(text, "lost") == 0) {
			lost++;
			doctor_say(doctor, DOCTOR_FAULT, "cores", "sudo modprobe -r rknpu_ork && sudo modprobe rknpu_ork",
				   "core %u did not come back from a reset and gets no jobs", core);
			continue;
		}
		good++;
		snprintf(strrchr(path, '/'), sizeof("/resets"), "/resets");
		if (read_text(doctor, path, text, sizeof(text)) == 0)
			resets += (unsigned int)strtoul(text, NULL, 10);
	}
	if (!good && !lost)
		doctor_say(doctor, DOCTOR_UNKNOWN, "cores", "sudo ork doctor", "this user cannot read their state");
	else if (resets)
		doctor_say(doctor, DOCTOR_WARNING, "cores", "sudo sh -c 'ork regcmd /sys/class/devcoredump/devcd*/data'",
			   "%u in service, after %u reset%s", good, resets, resets > 1 ? "s" : "");
	else if (!lost)
		doctor_say(doctor, DOCTOR_OK, "cores", NULL, "%u in service, no resets", good);
}
