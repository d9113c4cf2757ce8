// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* A client with many queued jobs does not make another one wait for them. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define DEEP 200

/* Two of the deep client with the scheduler, one more that ran out meanwhile, and our own. */
#define LEAD 8

#define RUNS 10

FIXTURE(fair)
{
	int deep_fd, fd;
	struct ork_test_product deep, p;
};

FIXTURE_SETUP(fair)
{
	self->deep_fd = ork_test_open();
	self->fd = ork_test_open();
	ASSERT_GE(self->deep_fd, 0);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->deep_fd, &self->deep, 64, 2048, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->deep_fd, &self->deep, 0), 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
}

FIXTURE_TEARDOWN(fair)
{
	close(self->deep_fd);
	close(self->fd);
}

TEST_F(fair, one_job_does_not_wait_for_a_deep_queue)
{
	struct drm_ork_device_info before, after;
	uint32_t syncobj, last = 0;
	int i;

	for (i = 0; i < DEEP; i++) {
		ASSERT_EQ(ork_test_product_start(self->deep_fd, &self->deep, DRM_ORK_PLACE_AUTO, 2, 0,
						 &syncobj), 0);
		last = syncobj;
	}

	ASSERT_EQ(ork_test_device(self->fd, &before), 0);
	if (ork_test_wait(self->deep_fd, last, 0) != -ETIME)
		SKIP(return, "the deep queue ran out before our job was queued");
	ASSERT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_AUTO, 2, 0), 0);
	ASSERT_EQ(ork_test_device(self->fd, &after), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
	EXPECT_LE(after.jobs_done[1] - before.jobs_done[1], LEAD);

	EXPECT_EQ(ork_test_wait(self->deep_fd, last, 60000), 0);
	EXPECT_EQ(ork_test_product_check(self->deep_fd, &self->deep), 0);
}

/* With one IOMMU for all cores, the two busy ones have to stop for the third one's address space. */
TEST_F(fair, a_job_on_an_idle_core_does_not_wait_for_deep_queues_on_the_others)
{
	struct drm_ork_device_info before, after;
	uint32_t syncobj, last[3];
	int i, core;

	for (i = 0; i < DEEP; i++) {
		for (core = 1; core <= 2; core++) {
			ASSERT_EQ(ork_test_product_start(self->deep_fd, &self->deep, DRM_ORK_PLACE_AUTO,
							 1u << core, 0, &syncobj), 0);
			last[core] = syncobj;
		}
	}

	ASSERT_EQ(ork_test_device(self->fd, &before), 0);
	for (i = 0; i < RUNS; i++)
		ASSERT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_AUTO, 1, 0), 0);
	ASSERT_EQ(ork_test_device(self->fd, &after), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
	/* One or two per run, and what ends until we notice; far below what is queued. */
	for (core = 1; core <= 2; core++)
		EXPECT_LT(after.jobs_done[core] - before.jobs_done[core], DEEP / 2);

	for (core = 1; core <= 2; core++)
		EXPECT_EQ(ork_test_wait(self->deep_fd, last[core], 60000), 0);
	EXPECT_EQ(ork_test_product_check(self->deep_fd, &self->deep), 0);
}

TEST_F(fair, a_closed_file_ends_all_its_jobs)
{
	struct drm_ork_sync out = { 0 };
	uint32_t far;
	int i, fence;

	for (i = 0; i < DEEP; i++)
		ASSERT_EQ(ork_test_product_start(self->deep_fd, &self->deep, DRM_ORK_PLACE_SPLIT, 7, 0,
						 &out.handle), 0);
	ASSERT_EQ(drmSyncobjHandleToFD(self->deep_fd, out.handle, &fence), 0);
	ASSERT_EQ(drmSyncobjFDToHandle(self->fd, fence, &far), 0);
	close(fence);
	close(self->deep_fd);
	self->deep_fd = -1;

	/* Done or dropped, but ended. */
	EXPECT_NE(ork_test_wait(self->fd, far, 60000), -ETIME);
	EXPECT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
}

TEST_HARNESS_MAIN
