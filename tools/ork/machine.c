/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"

#define PATH_CHARS 512

FILE *machine_open(const char *root, const char *pattern)
{
	char path[PATH_CHARS];
	FILE *file;
	glob_t found;

	if ((size_t)snprintf(path, sizeof(path), "%s%s", root, pattern) >= sizeof(path))
		return NULL;
	if (glob(path, 0, NULL, &found))
		return NULL;
	file = fopen(found.gl_pathv[0], "re");
	globfree(&found);
	return file;
}

int machine_read(const char *root, const char *pattern, char *line, size_t size)
{
	FILE *file = machine_open(root, pattern);
	size_t length;

	if (!file)
		return -1;
	length = fread(line, 1, size - 1, file);
	fclose(file);
	line[length] = 0;
	line[strcspn(line, "\n")] = 0;
	return length ? 0 : -1;
}

int machine_number(const char *root, const char *pattern, unsigned long long *number)
{
	char line[64];

	if (machine_read(root, pattern, line, sizeof(line)) || !isdigit((unsigned char)*line))
		return -1;
	*number = strtoull(line, NULL, 10);
	return 0;
}

int machine_link(const char *path, char *name, size_t size)
{
	char target[PATH_CHARS];
	const ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length < 0)
		return -1;
	target[length] = 0;
	snprintf(name, size, "%s", basename(target));
	return 0;
}

char *machine_render_node(const char *root)
{
	char path[PATH_CHARS], driver[64], *node = NULL;
	glob_t found;
	size_t i;

	snprintf(path, sizeof(path), "%s/sys/class/drm/renderD*", root);
	if (glob(path, 0, NULL, &found))
		return NULL;
	for (i = 0; i < found.gl_pathc && !node; i++) {
		snprintf(path, sizeof(path), "%s/device/driver", found.gl_pathv[i]);
		if (machine_link(path, driver, sizeof(driver)) == 0 && strcmp(driver, "rknpu-ork") == 0 &&
		    asprintf(&node, "/dev/dri/%s", basename(found.gl_pathv[i])) < 0)
			node = NULL;
	}
	globfree(&found);
	return node;
}

#define DEVFREQ "/sys/class/devfreq/*.npu/"

int machine_read_clock(const char *root, struct machine_clock *clock)
{
	if (machine_number(root, DEVFREQ "cur_freq", &clock->hz) ||
	    machine_number(root, DEVFREQ "min_freq", &clock->min_hz) ||
	    machine_number(root, DEVFREQ "max_freq", &clock->max_hz))
		return -1;
	return machine_read(root, DEVFREQ "governor", clock->governor, sizeof(clock->governor));
}

#define CORE "/sys/bus/platform/drivers/rknpu-ork-core/*/npu"

int machine_read_core(const char *root, unsigned int index, struct machine_core *core)
{
	char pattern[PATH_CHARS], power[16];

	snprintf(pattern, sizeof(pattern), CORE "%u/state", index);
	if (machine_read(root, pattern, core->state, sizeof(core->state)))
		return -1;
	snprintf(pattern, sizeof(pattern), CORE "%u/busy_ns", index);
	if (machine_number(root, pattern, &core->busy_ns))
		return -1;
	snprintf(pattern, sizeof(pattern), CORE "%u/jobs", index);
	if (machine_number(root, pattern, &core->jobs))
		return -1;
	snprintf(pattern, sizeof(pattern), CORE "%u/resets", index);
	if (machine_number(root, pattern, &core->resets))
		return -1;
	/* The folder of a core is in that of its device. */
	snprintf(pattern, sizeof(pattern), CORE "%u/../power/runtime_status", index);
	if (machine_read(root, pattern, power, sizeof(power)))
		return -1;
	core->powered = strcmp(power, "suspended") != 0;
	return 0;
}

const char *machine_times(const char *root, const char *backend)
{
	static const char emulated[] = "rknpu-ork,";
	char compatible[128];

	if (strcmp(backend, "model") == 0)
		return "model";
	/* The emulated board's own name is the first one of its device tree. */
	if (machine_read(root, "/proc/device-tree/compatible", compatible, sizeof(compatible)) == 0 &&
	    strncmp(compatible, emulated, strlen(emulated)) == 0)
		return "emulator";
	return "silicon";
}
