// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * A core that its reset does not bring back is taken out of service, and nothing else is. Needs a board whose core 1 is like that:
 * ork-board run --machine broken-resets=2.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define LONG_MS 60000
/* All is queued until then. */
#define HANG_TIMEOUT_MS 3000
#define QUEUED 10

/* Longer than the driver waits before it switches the power off. */
#define POWER_OFF_US 500000

TEST(a_core_that_does_not_come_back_costs_its_jobs_and_no_others)
{
	uint64_t addresses[3], wedged, queued, last, other;
	struct drm_ork_device_info info;
	struct drm_ork_job_wait result;
	struct ork_test_product hang, p;
	struct drm_ork_job job;
	int i, fd = ork_test_open();

	ASSERT_GE(fd, 0);
	ASSERT_EQ(ork_test_hang_init(fd, &hang), 0);
	ASSERT_EQ(ork_test_product_init(fd, &p, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(fd, &p, 0), 0);

	job = ork_test_product_job(&hang, addresses);
	job.core_mask = 2;
	job.timeout_ms = HANG_TIMEOUT_MS;
	ASSERT_EQ(ork_test_submit_one(fd, &job, &wedged), 0);
	job = ork_test_product_job(&p, addresses);
	job.core_mask = 2;
	ASSERT_EQ(ork_test_submit_one(fd, &job, &queued), 0);
	for (i = 1; i < QUEUED; i++)
		ASSERT_EQ(ork_test_submit_one(fd, &job, &last), 0);
	job.placement = DRM_ORK_PLACE_SPLIT;
	job.core_mask = 5;
	ASSERT_EQ(ork_test_submit_one(fd, &job, &other), 0);

	ASSERT_EQ(ork_test_job_wait(fd, wedged, LONG_MS, &result), 0);
	EXPECT_EQ(result.error, -ETIMEDOUT);
	for (i = 0; i < QUEUED; i++) {
		ASSERT_EQ(ork_test_job_wait(fd, queued + i, LONG_MS, &result), 0);
		EXPECT_EQ(result.error, -ENODEV);
	}
	ASSERT_EQ(ork_test_job_wait(fd, other, LONG_MS, &result), 0);
	EXPECT_EQ(result.error, 0);

	ASSERT_EQ(ork_test_device(fd, &info), 0);
	EXPECT_EQ(info.core_mask, 5);
	EXPECT_EQ(info.resets[1], 1);
	job.core_mask = 7;
	EXPECT_EQ(ork_test_submit_one(fd, &job, &last), -EINVAL);
	EXPECT_EQ(ork_test_product_run(fd, &p, DRM_ORK_PLACE_SPLIT, 5, 0), 0);
	EXPECT_EQ(ork_test_product_check(fd, &p), 0);
	ork_test_product_fini(fd, &hang);
	ork_test_product_fini(fd, &p);
	close(fd);
}

/* A lost core that shares its IOMMU keeps the others from other address spaces while it has power. */
TEST(other_clients_work_again_when_the_power_has_been_off)
{
	struct ork_test_product p;
	int ret, i = 0, fd = ork_test_open();

	ASSERT_GE(fd, 0);
	ASSERT_EQ(ork_test_product_init(fd, &p, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(fd, &p, 0), 0);
	do {
		ret = ork_test_product_run(fd, &p, DRM_ORK_PLACE_SPLIT, 5, 0);
		if (ret)
			usleep(POWER_OFF_US);
	} while (ret == -ENODEV && ++i < 20);
	EXPECT_EQ(ret, 0);
	EXPECT_EQ(ork_test_product_check(fd, &p), 0);
	ork_test_product_fini(fd, &p);
	close(fd);
}

TEST_HARNESS_MAIN
