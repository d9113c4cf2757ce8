// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* A core that hangs costs its own job and nobody else anything. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define WEDGE_TIMEOUT_MS 500

/* Enough that they still run when another core has faulted. */
#define BUSY_JOBS 100

/* Jobs that take about as long as they may. */
#define LATE_JOBS 60
#define LATE_MAX_MS 8

FIXTURE(wedge)
{
	int fd;
	struct ork_test_product good, hang, fault;
};

FIXTURE_SETUP(wedge)
{
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);

	ASSERT_EQ(ork_test_product_init(self->fd, &self->good, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->good, 0), 0);

	/* A kernel group of 64 KiB in one bank of 32 KiB never finishes. */
	ASSERT_EQ(ork_test_hang_init(self->fd, &self->hang), 0);

	/* Features beyond the end of their buffer. */
	ASSERT_EQ(ork_test_product_init(self->fd, &self->fault, 64, 64, 32, 1), 0);
	self->fault.k_program = 256;
	ASSERT_EQ(ork_test_product_program(self->fd, &self->fault, DRM_ORK_PROG_UNCHECKED_LIMITS), 0);
}

FIXTURE_TEARDOWN(wedge)
{
	ork_test_product_fini(self->fd, &self->good);
	ork_test_product_fini(self->fd, &self->hang);
	ork_test_product_fini(self->fd, &self->fault);
	close(self->fd);
}

TEST_F(wedge, hang_is_etimedout_and_the_core_works_again)
{
	struct drm_ork_device_info before, after;
	unsigned int core, other;

	for (core = 0; core < DRM_ORK_MAX_CORES; core++) {
		ASSERT_EQ(ork_test_device(self->fd, &before), 0);
		EXPECT_EQ(ork_test_product_run(self->fd, &self->hang, DRM_ORK_PLACE_AUTO, 1u << core,
					       WEDGE_TIMEOUT_MS), -ETIMEDOUT);
		ASSERT_EQ(ork_test_device(self->fd, &after), 0);
		for (other = 0; other < DRM_ORK_MAX_CORES; other++)
			EXPECT_EQ(after.resets[other] - before.resets[other], other == core);

		EXPECT_EQ(ork_test_product_run(self->fd, &self->good, DRM_ORK_PLACE_AUTO, 1u << core,
					       0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &self->good), 0);
	}
}

TEST_F(wedge, wedged_core_does_not_stop_other_cores)
{
	uint32_t syncobj;
	int i, runs = 0;

	ASSERT_EQ(ork_test_product_start(self->fd, &self->hang, DRM_ORK_PLACE_AUTO, 2, 3000,
					 &syncobj), 0);

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(ork_test_product_run(self->fd, &self->good, DRM_ORK_PLACE_AUTO, 1, 0), 0);
		ASSERT_EQ(ork_test_product_check(self->fd, &self->good), 0);
		ASSERT_EQ(ork_test_product_run(self->fd, &self->good, DRM_ORK_PLACE_SPLIT, 5, 0), 0);
		ASSERT_EQ(ork_test_product_check(self->fd, &self->good), 0);
		runs += ork_test_wait(self->fd, syncobj, 0) == -ETIME;
	}
	/* At least the first of them ended while core 1 was still wedged. */
	EXPECT_GT(runs, 0);

	EXPECT_EQ(ork_test_wait(self->fd, syncobj, 20000), -ETIMEDOUT);
	EXPECT_EQ(ork_test_product_run(self->fd, &self->good, DRM_ORK_PLACE_AUTO, 2, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->good), 0);
}

TEST_F(wedge, jobs_behind_a_wedged_one_still_run)
{
	uint32_t hang, good;

	ASSERT_EQ(ork_test_product_start(self->fd, &self->hang, DRM_ORK_PLACE_AUTO, 4,
					 WEDGE_TIMEOUT_MS, &hang), 0);
	ASSERT_EQ(ork_test_product_start(self->fd, &self->good, DRM_ORK_PLACE_AUTO, 4, 0, &good), 0);
	EXPECT_EQ(ork_test_wait(self->fd, good, 20000), 0);
	EXPECT_EQ(ork_test_wait(self->fd, hang, 0), -ETIMEDOUT);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->good), 0);
}

TEST_F(wedge, unmapped_address_fails_at_once)
{
	struct timespec start, end;
	unsigned int core;

	for (core = 0; core < DRM_ORK_MAX_CORES; core++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		EXPECT_EQ(ork_test_product_run(self->fd, &self->fault, DRM_ORK_PLACE_AUTO, 1u << core,
					       50000), -EFAULT);
		clock_gettime(CLOCK_MONOTONIC, &end);
		/* Far below the timeout; no measure of speed. */
		EXPECT_LT(end.tv_sec - start.tv_sec, 25);

		EXPECT_EQ(ork_test_product_run(self->fd, &self->good, DRM_ORK_PLACE_AUTO, 1u << core,
					       0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &self->good), 0);
	}
}

TEST_F(wedge, fault_of_one_core_leaves_running_jobs_of_others_alone)
{
	struct drm_ork_device_info before, after;
	struct ork_test_product other[2];
	uint32_t syncobj[2][BUSY_JOBS];
	int i, job;

	ASSERT_EQ(ork_test_device(self->fd, &before), 0);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(ork_test_product_init(self->fd, &other[i], 64, 2048, 96, 3), 0);
		ASSERT_EQ(ork_test_product_program(self->fd, &other[i], 0), 0);
		for (job = 0; job < BUSY_JOBS; job++)
			ASSERT_EQ(ork_test_product_start(self->fd, &other[i], DRM_ORK_PLACE_AUTO, i ? 4 : 1,
							 0, &syncobj[i][job]), 0);
	}

	EXPECT_EQ(ork_test_product_run(self->fd, &self->fault, DRM_ORK_PLACE_AUTO, 2, 50000), -EFAULT);

	for (i = 0; i < 2; i++) {
		for (job = 0; job < BUSY_JOBS; job++)
			EXPECT_EQ(ork_test_wait(self->fd, syncobj[i][job], 60000), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &other[i]), 0);
		ork_test_product_fini(self->fd, &other[i]);
	}
	ASSERT_EQ(ork_test_device(self->fd, &after), 0);
	EXPECT_EQ(after.resets[0], before.resets[0]);
	EXPECT_EQ(after.resets[1], before.resets[1] + 1);
	EXPECT_EQ(after.resets[2], before.resets[2]);
}

TEST_F(wedge, one_wedged_part_of_a_split_job_fails_the_job)
{
	struct ork_test_product split;

	ASSERT_EQ(ork_test_product_init(self->fd, &split, 1, 2048, 192, 3), 0);
	split.weight_banks = 1;
	ASSERT_EQ(ork_test_product_program(self->fd, &split, DRM_ORK_PROG_UNCHECKED_LIMITS), 0);
	EXPECT_EQ(ork_test_product_run(self->fd, &split, DRM_ORK_PLACE_SPLIT, 7, WEDGE_TIMEOUT_MS),
		  -ETIMEDOUT);
	EXPECT_EQ(ork_test_product_run(self->fd, &self->good, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->good), 0);
	ork_test_product_fini(self->fd, &split);
}

/* Whether the watchdog or the interrupt is first, the next job, which starts at that moment, has nothing to do with it. */
TEST_F_TIMEOUT(wedge, a_job_that_ends_when_its_time_is_up_costs_the_next_one_nothing, 120)
{
	struct ork_test_product slow;
	uint32_t syncobj;
	int i, ret, ended = 0;

	ASSERT_EQ(ork_test_product_init(self->fd, &slow, 256, 1024, 1536, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &slow, 0), 0);
	for (i = 0; i < LATE_JOBS; i++) {
		/* A queue would be lost with four in a row. */
		ASSERT_EQ(ork_test_queue_create(self->fd, 0, 0, &slow.queue), 0);
		ASSERT_EQ(ork_test_product_start(self->fd, &slow, DRM_ORK_PLACE_AUTO, 1, 1 + i % LATE_MAX_MS, &syncobj), 0);
		EXPECT_EQ(ork_test_product_run(self->fd, &self->good, DRM_ORK_PLACE_AUTO, 1, 0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &self->good), 0);
		ret = ork_test_wait(self->fd, syncobj, 60000);
		EXPECT_TRUE(!ret || ret == -ETIMEDOUT);
		ended += !ret;
		drmSyncobjDestroy(self->fd, syncobj);
		ASSERT_EQ(ork_test_queue_destroy(self->fd, slow.queue), 0);
	}
	printf("# %d of %d ended in time\n", ended, LATE_JOBS);
	ork_test_product_fini(self->fd, &slow);
}

TEST_HARNESS_MAIN
