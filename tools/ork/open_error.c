/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ork.h>

#include "machine.h"
#include "module_file.h"
#include "open_error.h"

#define PATH_CHARS 512
#define OUR_CORES "rknpu-ork-core"

struct cause {
	const char *root;
	char *text;
	size_t size;
};

#define say(cause, ...) snprintf((cause)->text, (cause)->size, __VA_ARGS__)

static bool exists(const char *root, const char *format, const char *name)
{
	char path[PATH_CHARS];
	const int length = snprintf(path, sizeof(path), "%s", root);

	snprintf(path + length, sizeof(path) - (size_t)length, format, name);
	return access(path, F_OK) == 0;
}

/* The group may use the node, but the user is not in it; or nobody but root may. */
static void explain_permission(const struct cause *cause, const char *node)
{
	const struct group *group;
	struct stat status;
	char path[PATH_CHARS];

	snprintf(path, sizeof(path), "%s%s", cause->root, node);
	group = stat(path, &status) ? NULL : getgrgid(status.st_gid);
	if (group && status.st_gid && (status.st_mode & 060) == 060)
		say(cause, "permission denied for %s, which is for the group %s: sudo usermod -aG %s $USER, then log in again",
		    node, group->gr_name, group->gr_name);
	else
		say(cause, "permission denied for %s, which is for root only: sudo chgrp render %s && sudo chmod g+rw %s", node,
		    node, node);
}

/* Counts NPUs that the device tree has, those of our driver, and names another driver of one, if any. */
static void look_for_npus(const char *root, size_t *npus, size_t *ours, char *other, size_t size)
{
	char path[PATH_CHARS], driver[64];
	glob_t found;
	size_t i;

	*npus = *ours = 0;
	*other = 0;
	snprintf(path, sizeof(path), "%s/sys/bus/platform/devices/*.npu", root);
	if (glob(path, 0, NULL, &found))
		return;
	*npus = found.gl_pathc;
	for (i = 0; i < found.gl_pathc; i++) {
		snprintf(path, sizeof(path), "%s/driver", found.gl_pathv[i]);
		if (machine_link(path, driver, sizeof(driver)))
			continue;
		if (strcmp(driver, OUR_CORES) == 0)
			++*ours;
		else
			snprintf(other, size, "%s", driver);
	}
	globfree(&found);
}

static void explain_other_driver(const struct cause *cause, const char *driver)
{
	char path[PATH_CHARS], module[64];

	snprintf(path, sizeof(path), "%s/sys/bus/platform/drivers/%s/module", cause->root, driver);
	if (machine_link(path, module, sizeof(module)) == 0 && exists(cause->root, "/sys/module/%s/initstate", module))
		say(cause, "the driver %s has the NPU: sudo modprobe -r %s rknpu_ork && sudo modprobe rknpu_ork; for good: "
		    "echo blacklist %s | sudo tee /etc/modprobe.d/rknpu-ork.conf", driver, module, module);
	else
		say(cause, "the driver %s of the kernel has the NPU: sudo sh -c 'cd /sys/bus/platform/drivers/%s; "
		    "for npu in *.npu; do echo $npu > unbind; done; modprobe -r rknpu_ork; modprobe rknpu_ork'", driver, driver);
}

static void explain_not_loaded(const struct cause *cause)
{
	static const char build[] = "make module KDIR=/lib/modules/$(uname -r)/build && sudo insmod build/module/rknpu_ork.ko";
	char release[128], path[PATH_CHARS], built_for[128];

	if (machine_read(cause->root, "/proc/sys/kernel/osrelease", release, sizeof(release)))
		snprintf(release, sizeof(release), "unknown");
	if (module_find(cause->root, release, path, sizeof(path)) == 0) {
		module_vermagic(cause->root, path, built_for, sizeof(built_for));
		if (*built_for && strcmp(built_for, release))
			say(cause, "%s was built for Linux %s, but this is %s: %s", path, built_for, release, build);
		else
			say(cause, "the module rknpu_ork is not loaded: sudo modprobe rknpu_ork");
	} else if (module_other_kernel(cause->root, built_for, sizeof(built_for)) == 0) {
		say(cause, "the module rknpu_ork is installed for Linux %s, but not for this %s: sudo dkms autoinstall, or %s",
		    built_for, release, build);
	} else {
		say(cause, "the module rknpu_ork is not installed: %s", build);
	}
}

static void explain_no_device(const struct cause *cause)
{
	char *node = machine_render_node(cause->root), other[64];
	size_t npus, ours;

	look_for_npus(cause->root, &npus, &ours, other, sizeof(other));
	if (node)
		say(cause, "%s is an NPU that this libork %s does not know: take driver and library from one version", node,
		    ork_version());
	else if (!npus)
		say(cause, "the device tree of this machine enables no NPU; ORK_DEVICE=model needs none");
	else if (*other)
		explain_other_driver(cause, other);
	else if (!exists(cause->root, "/sys/module/%s", "rknpu_ork"))
		explain_not_loaded(cause);
	else if (!ours)
		say(cause, "the module rknpu_ork is loaded, but did not take the NPU: sudo dmesg | grep -i npu tells why");
	else
		say(cause, "the module rknpu_ork has the NPU, but no render node: sudo dmesg | grep -i npu tells why");
	free(node);
}

void explain_open_error(const char *root, const char *device, int err, char *text, size_t size)
{
	const struct cause cause = { root, text, size };
	char *node = device || err != -EACCES ? NULL : machine_render_node(root);

	if (device && err == -EACCES)
		explain_permission(&cause, device);
	else if (device && err == -ENODEV)
		say(&cause, "it is no render node of the driver rknpu-ork; without --device and ORK_DEVICE ork looks for one");
	else if (node)
		explain_permission(&cause, node);
	/* A node that may not be opened can be that of a GPU. */
	else if (!device && (err == -ENODEV || err == -EACCES))
		explain_no_device(&cause);
	else
		say(&cause, "%s", ork_strerror(err));
	free(node);
}
