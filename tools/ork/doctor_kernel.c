/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"
#include "module_file.h"

#define MODULE "rknpu_ork"

/* Messages of this level and below are errors (syslog(2)). */
#define LEVEL_ERROR 3

void doctor_kernel(struct doctor *doctor)
{
	unsigned int major, minor;

	if (doctor_read(doctor, "/proc/sys/kernel/osrelease", doctor->release, sizeof(doctor->release)) <= 0) {
		doctor_say(doctor, DOCTOR_UNKNOWN, "kernel", NULL, "cannot read its version");
		return;
	}
	doctor->release[strcspn(doctor->release, "\n")] = '\0';
	if (sscanf(doctor->release, "%u.%u", &major, &minor) != 2)
		doctor_say(doctor, DOCTOR_UNKNOWN, "kernel", NULL, "\"%s\" is no version", doctor->release);
	else if (major < 6 || (major == 6 && minor < 1))
		doctor_say(doctor, DOCTOR_FAULT, "kernel", "sudo apt install linux-image-arm64 && sudo reboot",
			   "Linux %s is older than 6.1, the first that the driver is made for", doctor->release);
	else
		doctor_say(doctor, DOCTOR_OK, "kernel", NULL, "Linux %s", doctor->release);
}

/* How to get the module for this kernel. */
static void build_command(const struct doctor *doctor, char *command, size_t size)
{
	char path[PATH_MAX], headers[128] = "";

	snprintf(path, sizeof(path), "/lib/modules/%s/build", doctor->release);
	if (doctor_exists(doctor, path))
		snprintf(headers, sizeof(headers), "sudo apt install linux-headers-%.80s && ", doctor->release);
	if (doctor_find(doctor, "/usr/src/rknpu-ork-*", path, sizeof(path)) == 0)
		snprintf(command, size, "%ssudo dkms autoinstall -k %s && sudo modprobe " MODULE, headers, doctor->release);
	else
		snprintf(command, size, "%smake module KDIR=/lib/modules/%s/build && sudo insmod build/module/" MODULE ".ko",
			 headers, doctor->release);
}

static void module_of_this_kernel(struct doctor *doctor, const char *path)
{
	char command[DOCTOR_TEXT_CHARS], release[96];

	module_vermagic(doctor->root, path, release, sizeof(release));
	if (*release && strcmp(release, doctor->release) != 0) {
		build_command(doctor, command, sizeof(command));
		doctor_say(doctor, DOCTOR_FAULT, "module", command, "%s is built for Linux %s, not for %s", path, release,
			   doctor->release);
	} else {
		doctor_say(doctor, DOCTOR_FAULT, "module", "sudo modprobe " MODULE, MODULE " is installed but not loaded");
	}
}

static void no_module_of_this_kernel(struct doctor *doctor)
{
	char command[DOCTOR_TEXT_CHARS], release[96];

	build_command(doctor, command, sizeof(command));
	if (module_other_kernel(doctor->root, release, sizeof(release)) == 0)
		doctor_say(doctor, DOCTOR_FAULT, "module", command, MODULE " is installed for Linux %s, but not for this, %s",
			   release, doctor->release);
	else
		doctor_say(doctor, DOCTOR_FAULT, "module", command, MODULE " is not installed for this kernel, %s",
			   doctor->release);
}

void doctor_module(struct doctor *doctor)
{
	char path[PATH_MAX], version[64];

	doctor->loaded = doctor_exists(doctor, "/sys/module/" MODULE) == 0;
	if (doctor->loaded) {
		if (doctor_read(doctor, "/sys/module/" MODULE "/version", version, sizeof(version)) <= 0)
			*version = '\0';
		version[strcspn(version, "\n")] = '\0';
		doctor_say(doctor, DOCTOR_OK, "module", NULL, MODULE "%s%s is loaded", *version ? " " : "", version);
		return;
	}
	if (!*doctor->release)
		doctor_say(doctor, DOCTOR_FAULT, "module", "sudo modprobe " MODULE, MODULE " is not loaded");
	else if (module_find(doctor->root, doctor->release, path, sizeof(path)) == 0)
		module_of_this_kernel(doctor, path);
	else
		no_module_of_this_kernel(doctor);
}

/* --- Kernel log ------------------------------------------------------------------------------------------------- */

/* Keeps the last error about the NPU and counts them. A record is "priority,number,time,flags;text". */
static void read_record(const char *record, char *last, size_t size, unsigned int *errors)
{
	const char *text = strchr(record, ';');

	if (!text || (strtoul(record, NULL, 10) & 7) > LEVEL_ERROR)
		return;
	text++;
	if (!strstr(text, "rknpu-ork") && !(strstr(text, "rk_iommu") && strstr(text, "fda")))
		return;
	snprintf(last, size, "%.*s", (int)strcspn(text, "\n"), text);
	++*errors;
}

/* /dev/kmsg gives one record per read. A file, in tests, has one per line. */
static int read_log(const char *path, char *last, size_t size, unsigned int *errors)
{
	char record[8192], *line, *end;
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -errno;
	/* EPIPE: records were overwritten before they were read. */
	while ((got = read(fd, record, sizeof(record) - 1)) > 0 || (got < 0 && errno == EPIPE)) {
		record[got > 0 ? got : 0] = '\0';
		for (line = record; *line; line = *end ? end + 1 : end) {
			end = strchrnul(line, '\n');
			/* Lines that begin with a blank say more about the record before them. */
			if (*line != ' ')
				read_record(line, last, size, errors);
		}
	}
	close(fd);
	return 0;
}

void doctor_log(struct doctor *doctor)
{
	char path[PATH_MAX], last[DOCTOR_TEXT_CHARS / 2];
	unsigned int errors = 0;

	snprintf(path, sizeof(path), "%s/dev/kmsg", doctor->root);
	if (read_log(path, last, sizeof(last), &errors))
		doctor_say(doctor, DOCTOR_UNKNOWN, "kernel log", "sudo ork doctor", "this user cannot read it");
	else if (errors)
		doctor_say(doctor, DOCTOR_WARNING, "kernel log", "sudo dmesg | grep -e rknpu-ork -e rk_iommu",
			   "%u error%s about the NPU, the last: %s", errors, errors > 1 ? "s" : "", last);
	else
		doctor_say(doctor, DOCTOR_OK, "kernel log", NULL, "no errors about the NPU");
}
