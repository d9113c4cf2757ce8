// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* After the calls: whether the device computes right and nothing is left of what they made, and what was counted. */

#include <glob.h>
#include <stdio.h>
#include <unistd.h>

#include "../ork_test.h"
#include "ioctl_fuzz.h"

#define END_SECONDS 60
/* Pages of shared memory that others on the board may use meanwhile. */
#define SLACK_KIB 2048

static uint64_t shared_kib(void)
{
	unsigned long long kib = 0;
	char line[128];
	FILE *file = fopen("/proc/meminfo", "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Shmem: %llu", &kib) == 1)
			break;
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

bool fuzz_nothing_is_left(const struct fuzz_before *before)
{
	uint64_t deadline = fuzz_now_seconds() + END_SECONDS, kib;
	uint32_t clients;

	/* The last jobs end, and what they hold goes, in the background. */
	do {
		clients = lines_of("/sys/kernel/debug/dri/[0-9]*/vms") + lines_of("/sys/kernel/debug/dri/[0-9]*/queues");
		kib = shared_kib();
		if (!clients && kib <= before->shared_kib + SLACK_KIB)
			return true;
		usleep(100000);
	} while (fuzz_now_seconds() < deadline);
	printf("# %u VMs and queues are left; shared memory: %llu KiB, before %llu KiB\n", clients, (unsigned long long)kib,
	       (unsigned long long)before->shared_kib);
	return false;
}

bool fuzz_products_are_right(void)
{
	struct drm_ork_device_info info;
	struct ork_test_product p;
	int core, fd = ork_test_open();
	bool right = fd >= 0 && !ork_test_device(fd, &info) && !ork_test_product_init(fd, &p, 8, 256, 96, 3) &&
		     !ork_test_product_program(fd, &p, 0);

	for (core = 0; right && core < DRM_ORK_MAX_CORES; core++)
		right = !(info.core_mask & 1u << core) ||
			(!ork_test_product_run(fd, &p, DRM_ORK_PLACE_AUTO, 1u << core, 0) && !ork_test_product_check(fd, &p));
	close(fd);
	return right;
}

static uint64_t resets(void)
{
	struct drm_ork_device_info info = { 0 };
	int fd = ork_test_open();

	if (fd < 0)
		return 0;
	ork_test_device(fd, &info);
	close(fd);
	return info.resets[0] + info.resets[1] + info.resets[2];
}

void fuzz_look_before(struct fuzz_before *before)
{
	before->resets = resets();
	before->seconds = fuzz_now_seconds();
	before->shared_kib = shared_kib();
}

static void figure(const char *what, uint64_t value, const char *unit)
{
	printf("# figure fuzz.%s %llu %s\n", what, (unsigned long long)value, unit);
}

void fuzz_print_counts(const struct fuzz_before *before)
{
	const struct fuzz_shared *s = fuzz_shared;
	uint64_t well = 0;
	uint32_t i;

	for (i = 0; i < fuzz_kind_count(); i++) {
		printf("# %-14s %9llu, %9llu well, %9llu ms\n", fuzz_kind_info(i)->name, (unsigned long long)s->by_kind[i],
		       (unsigned long long)s->well[i], (unsigned long long)s->ns[i] / 1000000);
		well += s->well[i];
	}
	figure("calls", s->calls, "calls");
	figure("well", well, "calls without an error");
	figure("jobs", s->jobs, "jobs");
	figure("wedges", resets() - before->resets, "resets");
	figure("kills", s->kills, "processes");
	figure("places", s->points, "places of the driver");
	figure("kept", s->corpus_count, "programs of calls");
	figure("time", fuzz_now_seconds() - before->seconds, "seconds of the guest");
}
