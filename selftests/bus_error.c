// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * An access that the bus answers with an error. Needs a board on which that happens:
 * ork-board run --machine failing-page=0x60000000.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define FAILING_PAGE 0x60000000u
#define TIMEOUT_MS 60000

TEST(a_dma_error_fails_the_job_at_once_and_the_core_works_again)
{
	struct drm_ork_vm_map map = { .flags = DRM_ORK_MAP_FIXED, .va = FAILING_PAGE };
	struct ork_test_product bad, good;
	struct drm_ork_job_wait result;
	uint64_t addresses[3], id, va;
	struct drm_ork_job job;
	int core, fd = ork_test_open();

	ASSERT_GE(fd, 0);
	ASSERT_EQ(ork_test_product_init(fd, &good, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(fd, &good, 0), 0);
	ASSERT_EQ(ork_test_product_init(fd, &bad, 8, 256, 96, 3), 0);
	map.handle = bad.a.handle;
	map.size_bytes = bad.a.bytes;
	ASSERT_EQ(ork_test_vm_map(fd, &map), 0);
	va = bad.a.va;
	bad.a.va = map.va;
	ASSERT_EQ(ork_test_product_program(fd, &bad, 0), 0);

	for (core = 0; core < DRM_ORK_MAX_CORES; core++) {
		job = ork_test_product_job(&bad, addresses);
		job.core_mask = 1u << core;
		job.timeout_ms = TIMEOUT_MS;
		ASSERT_EQ(ork_test_submit_one(fd, &job, &id), 0);
		ASSERT_EQ(ork_test_job_wait(fd, id, 2 * TIMEOUT_MS, &result), 0);
		EXPECT_EQ(result.error, -EIO);
		/* Far below the timeout; no measure of speed. */
		EXPECT_LT(result.ended_ns - result.started_ns, TIMEOUT_MS * 1000000ull / 2);

		EXPECT_EQ(ork_test_product_run(fd, &good, DRM_ORK_PLACE_AUTO, 1u << core, 0), 0);
		EXPECT_EQ(ork_test_product_check(fd, &good), 0);
	}

	bad.a.va = va;
	ork_test_product_fini(fd, &bad);
	ork_test_product_fini(fd, &good);
	close(fd);
}

TEST_HARNESS_MAIN
