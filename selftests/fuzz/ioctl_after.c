// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* After the calls: whether the device computes right, and what was counted. */

#include <stdio.h>
#include <unistd.h>

#include "../ork_test.h"
#include "ioctl_fuzz.h"

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
	ork_test_left_look(&before->left);
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
