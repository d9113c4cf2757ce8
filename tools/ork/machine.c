/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define PATH_CHARS 512

static int read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t length;

	if (!file)
		return -1;
	length = fread(line, 1, size - 1, file);
	fclose(file);
	line[length] = 0;
	line[strcspn(line, "\n")] = 0;
	return length ? 0 : -1;
}

int machine_read(const char *root, const char *pattern, char *line, size_t size)
{
	char path[PATH_CHARS];
	glob_t found;
	int err;

	if ((size_t)snprintf(path, sizeof(path), "%s%s", root, pattern) >= sizeof(path))
		return -1;
	if (glob(path, 0, NULL, &found))
		return -1;
	err = read_line(found.gl_pathv[0], line, size);
	globfree(&found);
	return err;
}

int machine_number(const char *root, const char *pattern, unsigned long long *number)
{
	char line[64];

	if (machine_read(root, pattern, line, sizeof(line)) || !isdigit((unsigned char)*line))
		return -1;
	*number = strtoull(line, NULL, 10);
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
