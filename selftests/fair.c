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

#define LONG_MS 60000
#define DEEP 200

/* What the core has already, one that the scheduler was about to hand over, and one that it may prefer. */
#define LEAD 4

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

/* Queues many jobs for some cores, in turn. */
static int fill(int fd, const struct ork_test_product *deep, uint32_t core_mask, uint64_t *first, uint64_t *last)
{
	uint64_t addresses[3];
	int i, core, ret = 0;

	*first = 0;
	for (i = 0; !ret && i < DEEP; i++)
		for (core = 0; !ret && core < DRM_ORK_MAX_CORES; core++) {
			struct drm_ork_job job = ork_test_product_job(deep, addresses);

			job.core_mask = core_mask & 1u << core;
			if (!job.core_mask)
				continue;
			ret = ork_test_submit_one(fd, &job, last);
			*first = *first ?: *last;
		}
	return ret;
}

static int run(int fd, const struct ork_test_product *p, uint32_t core_mask, struct drm_ork_job_wait *result, uint64_t *queued_ns)
{
	uint64_t addresses[3];
	struct drm_ork_job job = ork_test_product_job(p, addresses);

	job.core_mask = core_mask;
	return ork_test_job_run(fd, &job, LONG_MS, result, queued_ns);
}

TEST_F(fair, one_job_does_not_wait_for_a_deep_queue)
{
	struct drm_ork_job_wait result, rest;
	uint64_t first, last, queued;

	ASSERT_EQ(fill(self->deep_fd, &self->deep, 2, &first, &last), 0);
	ASSERT_EQ(run(self->fd, &self->p, 2, &result, &queued), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
	EXPECT_LE(ork_test_jobs_between(self->deep_fd, first, DEEP, queued, result.started_ns), LEAD);

	EXPECT_EQ(ork_test_job_wait(self->deep_fd, last, LONG_MS, &rest), 0);
	if (rest.ended_ns < result.started_ns)
		SKIP(return, "the deep queue ran out before our job was queued");
	EXPECT_EQ(ork_test_product_check(self->deep_fd, &self->deep), 0);
}

/* With one IOMMU for all cores, the two busy ones have to stop for the third one's address space. */
TEST_F(fair, a_job_on_an_idle_core_does_not_wait_for_deep_queues_on_the_others)
{
	struct drm_ork_job_wait result, rest;
	uint64_t first, last, queued;
	uint32_t jobs = 0;
	int i;

	ASSERT_EQ(fill(self->deep_fd, &self->deep, 6, &first, &last), 0);
	for (i = 0; i < RUNS; i++) {
		ASSERT_EQ(run(self->fd, &self->p, 1, &result, &queued), 0);
		jobs += ork_test_jobs_between(self->deep_fd, first, 2 * DEEP, queued, result.started_ns);
	}
	/* One or two of each other core per run, and what they do while we are woken; far below what is queued. */
	EXPECT_LT(jobs, DEEP / 2);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
	EXPECT_EQ(ork_test_job_wait(self->deep_fd, last, LONG_MS, &rest), 0);
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
