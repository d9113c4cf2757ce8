// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* The system goes to sleep with jobs queued, and loses none of them. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define LONG_MS 60000
#define DEEP 60
/* All of them take longer than it takes to begin a sleep, or to go on after one. */
#define DEEP_TASKS 48
#define HANG_MS 4000
#define SLEEP_TIMEOUT_S 120

FIXTURE(sleep)
{
	int fd;
	struct ork_test_product deep, p;
};

/*
 * Suspends all devices, powers their domains off, and resumes them a second later: the kernel's own test of the drivers' part of
 * a sleep. Returns 0 or a negative errno.
 */
static int sleep_and_wake(void)
{
	return ork_test_write_text("/sys/power/state", "freeze");
}

FIXTURE_SETUP(sleep)
{
	if (ork_test_write_text("/sys/power/pm_test", "platform"))
		SKIP(return, "the kernel has no test of sleep, or not for us");
	ork_test_write_text("/sys/module/suspend/parameters/pm_test_delay", "1");

	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->deep, 64, 2048, 96, 3), 0);
	self->deep.copies = true;
	self->deep.tasks = DEEP_TASKS;
	ASSERT_EQ(ork_test_product_program(self->fd, &self->deep, 0), 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
}

FIXTURE_TEARDOWN(sleep)
{
	ork_test_write_text("/sys/power/pm_test", "none");
	ork_test_product_fini(self->fd, &self->deep);
	ork_test_product_fini(self->fd, &self->p);
	close(self->fd);
}

TEST_F_TIMEOUT(sleep, an_idle_device_sleeps_and_works_again, SLEEP_TIMEOUT_S)
{
	ASSERT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	ASSERT_EQ(sleep_and_wake(), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
	EXPECT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
}

/* They wait for a job that hangs on another core, and whose end the sleep waits for: some kernels are slow to submit. */
TEST_F_TIMEOUT(sleep, queued_jobs_run_after_it, SLEEP_TIMEOUT_S)
{
	uint64_t addresses[3], first, id;
	struct drm_ork_sync in = { 0 };
	struct ork_test_product hang;
	struct drm_ork_job_wait result;
	struct drm_ork_job job;
	int i, left = 0;

	ASSERT_EQ(ork_test_hang_init(self->fd, &hang), 0);
	ASSERT_EQ(ork_test_product_start(self->fd, &hang, DRM_ORK_PLACE_AUTO, 1, HANG_MS, &in.handle), 0);
	job = ork_test_product_job(&self->deep, addresses);
	job.placement = DRM_ORK_PLACE_SPLIT;
	job.core_mask = 6;
	job.in_syncs = (struct drm_ork_array){ sizeof(in), 1, (uintptr_t)&in };
	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &first), 0);
	for (i = 1; i < DEEP; i++)
		ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
	if (ork_test_wait(self->fd, in.handle, 0) != -ETIME)
		SKIP(return, "the jobs began before the sleep");
	ASSERT_EQ(sleep_and_wake(), 0);
	for (i = 0; i < DEEP; i++)
		left += ork_test_job_wait(self->fd, first + i, 0, &result) == -ETIMEDOUT;
	/* Nobody waited for all of them to run before the sleep. */
	EXPECT_GT(left, 0);
	for (i = 0; i < DEEP; i++) {
		ASSERT_EQ(ork_test_job_wait(self->fd, first + i, LONG_MS, &result), 0);
		EXPECT_EQ(result.error, 0);
		EXPECT_EQ(result.tasks_done, self->deep.tasks);
	}
	EXPECT_EQ(ork_test_product_check(self->fd, &self->deep), 0);
	ork_test_product_fini(self->fd, &hang);
}

TEST_F_TIMEOUT(sleep, a_wedged_job_ends_before_it, SLEEP_TIMEOUT_S)
{
	struct ork_test_product hang;
	uint32_t wedged, behind;

	ASSERT_EQ(ork_test_hang_init(self->fd, &hang), 0);
	ASSERT_EQ(ork_test_product_start(self->fd, &hang, DRM_ORK_PLACE_AUTO, 4, 1000, &wedged), 0);
	ASSERT_EQ(ork_test_product_start(self->fd, &self->p, DRM_ORK_PLACE_AUTO, 4, 0, &behind), 0);
	ASSERT_EQ(sleep_and_wake(), 0);
	EXPECT_EQ(ork_test_wait(self->fd, wedged, LONG_MS), -ETIMEDOUT);
	EXPECT_EQ(ork_test_wait(self->fd, behind, LONG_MS), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
	ork_test_product_fini(self->fd, &hang);
}

TEST_HARNESS_MAIN
