// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>
#include "kselftest_harness.h"
#include "ork_test.h"

TEST(bus_error_fails_the_job_at_once)
{
	struct drm_ork_vm_map map = { .flags = DRM_ORK_MAP_FIXED, .va = 0x60000000 };
	struct ork_test_product bad, good;
	struct drm_ork_job_wait result;
	struct drm_ork_job job;
	uint64_t addresses[3], id;
	int core, fd = ork_test_open();

	ASSERT_EQ(ork_test_product_init(fd, &bad, 8, 256, 96, 3), 0);
	map.handle = bad.a.handle;
	map.size_bytes = bad.a.bytes;
	ASSERT_EQ(ork_test_vm_map(fd, &map), 0);
	bad.a.va = map.va;
	ASSERT_EQ(ork_test_product_program(fd, &bad, 0), 0);
	ASSERT_EQ(ork_test_product_init(fd, &good, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(fd, &good, 0), 0);
	for (core = 0; core < 3; core++) {
		job = ork_test_product_job(&bad, addresses);
		job.core_mask = 1u << core;
		job.timeout_ms = 50000;
		ASSERT_EQ(ork_test_submit_one(fd, &job, &id), 0);
		ASSERT_EQ(ork_test_job_wait(fd, id, 60000, &result), 0);
		EXPECT_EQ(result.error, -EIO);
		EXPECT_LT(result.ended_ns - result.started_ns, 10000000000ull);
		EXPECT_EQ(ork_test_product_run(fd, &good, DRM_ORK_PLACE_AUTO, 1u << core, 0), 0);
		EXPECT_EQ(ork_test_product_check(fd, &good), 0);
	}
}
TEST_HARNESS_MAIN
