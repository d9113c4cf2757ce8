// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* What clients leave behind when they have gone: objects of the driver, pages, and memory that nothing points to. */

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ork_test.h"

#define END_SECONDS 300
#define LOOK_US 100000
/* Pages of shared memory that others on the board may use meanwhile. */
#define SLACK_KIB 2048
#define KMEMLEAK "/sys/kernel/debug/kmemleak"
/* Kmemleak tells nothing that is younger than five seconds. */
#define KMEMLEAK_SECONDS 6

uint64_t ork_test_meminfo_kib(const char *name)
{
	FILE *file = fopen("/proc/meminfo", "r");
	size_t length = strlen(name);
	uint64_t kib = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, length) && line[length] == ':') {
			kib = strtoull(line + length + 1, NULL, 10);
			break;
		}
	if (file)
		fclose(file);
	return kib;
}

static uint32_t lines_of(const char *pattern)
{
	uint32_t lines = 0;
	char line[256];
	FILE *file;
	glob_t found;
	size_t i;

	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (i = 0; i < found.gl_pathc; i++) {
		file = fopen(found.gl_pathv[i], "r");
		while (file && fgets(line, sizeof(line), file))
			lines++;
		if (file)
			fclose(file);
	}
	globfree(&found);
	return lines;
}

void ork_test_left_look(struct ork_test_left *left)
{
	left->objects = lines_of("/sys/kernel/debug/dri/[0-9]*/vms") + lines_of("/sys/kernel/debug/dri/[0-9]*/queues");
	left->shared_kib = ork_test_meminfo_kib("Shmem");
}

bool ork_test_left_nothing(const struct ork_test_left *before)
{
	struct ork_test_left now;
	uint32_t looks;

	/* The last jobs end, and what they hold goes, in the background; on a busy machine that takes its time. */
	for (looks = END_SECONDS * (1000000 / LOOK_US); looks; looks--) {
		ork_test_left_look(&now);
		if (now.objects <= before->objects && now.shared_kib <= before->shared_kib + SLACK_KIB)
			return true;
		usleep(LOOK_US);
	}
	printf("# %u VMs and queues, before %u; shared memory: %llu KiB, before %llu KiB\n", now.objects, before->objects,
	       (unsigned long long)now.shared_kib, (unsigned long long)before->shared_kib);
	return false;
}

int ork_test_left_leaks(void)
{
	char line[256];
	int ret, leaks = 0;
	FILE *file;

	/* It turns itself off when too much was allocated; then it cannot tell. */
	ret = ork_test_write_text(KMEMLEAK, "scan");
	if (ret)
		return ret;
	sleep(KMEMLEAK_SECONDS);
	ret = ork_test_write_text(KMEMLEAK, "scan");
	if (ret)
		return ret;
	file = fopen(KMEMLEAK, "r");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file))
		if (strstr(line, "ork_")) {
			printf("# kmemleak: %s", line);
			leaks++;
		}
	fclose(file);
	return leaks;
}
