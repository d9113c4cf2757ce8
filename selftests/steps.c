// SPDX-License-Identifier: MIT
/* Copyright 2026 The rknpu-ork authors */
#include "steps.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int port = -1;

/* The port's device node has the name of its folder in sysfs. */
static void open_port(void)
{
	char name[32], path[64];
	glob_t found;

	if (glob("/sys/class/virtio-ports/*", 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/name", found.gl_pathv[i]);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fscanf(file, "%31s", name) == 1 && !strcmp(name, "ork.steps")) {
			snprintf(path, sizeof(path), "/dev/%s", strrchr(found.gl_pathv[i], '/') + 1);
			port = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
		}
		fclose(file);
	}
	globfree(&found);
}

/*
 * The answer comes when the log is on or off. To look for it all the time keeps the CPU busy: with --icount the guest's clock
 * runs ahead while it is idle, and the NPU would lose its power.
 */
static void tell(const char *line)
{
	char answer;

	if (write(port, line, strlen(line)) < 0)
		perror("ork.steps");
	while (read(port, &answer, 1) < 0 && errno == EAGAIN)
		;
}

void steps_on(const char *name)
{
	char line[64];

	if (port < 0)
		open_port();
	if (port < 0)
		return;
	snprintf(line, sizeof(line), "on %s\n", name);
	tell(line);
}

void steps_off(void)
{
	if (port >= 0)
		tell("off\n");
}
