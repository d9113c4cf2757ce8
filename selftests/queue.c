// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Queues: whose jobs run where and when, and what a queue of bad jobs comes to. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define LONG_MS 60000
#define HANG_TIMEOUT_MS 100
#define MAX_QUEUES 64
#define MAX_WEDGES 4
/* More than a core gets at once. */
#define LONG_TASKS 600
/* Good tasks end within, on a busy emulator, too. */
#define LATE_HANG_TIMEOUT_MS 2000

#define DEEP_QUEUES 4
#define DEEP_JOBS 40
/* What the core has already, and one that the scheduler was about to hand over. */
#define HIGH_LEAD 3
/* The same, and two of each other queue that were with the scheduler before us, and two that a scheduler which counts time prefers. */
#define FAIR_LEAD (HIGH_LEAD + 4 * DEEP_QUEUES)

FIXTURE(queue)
{
	int fd;
	struct ork_test_product p, deep, hang;
};

FIXTURE_SETUP(queue)
{
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->deep, 64, 2048, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->deep, 0), 0);
	ASSERT_EQ(ork_test_hang_init(self->fd, &self->hang), 0);
}

FIXTURE_TEARDOWN(queue)
{
	ork_test_product_fini(self->fd, &self->p);
	ork_test_product_fini(self->fd, &self->deep);
	ork_test_product_fini(self->fd, &self->hang);
	close(self->fd);
}

static struct drm_ork_job job_of(const struct ork_test_product *p, uint32_t core_mask)
{
	return (struct drm_ork_job){
		.prog = p->prog, .queue = p->queue, .core_mask = core_mask,
		.task_count = p->tasks,
	};
}

TEST_F(queue, refuses_bad_arguments)
{
	struct drm_ork_queue_create flags = { .flags = 1 };
	struct drm_ork_queue_destroy pad = { .queue = 1, .pad = 1 };
	uint32_t id;

	EXPECT_EQ(ork_test_queue_create(self->fd, 3, 0, &id), -EINVAL);
	EXPECT_EQ(ork_test_queue_create(self->fd, UINT32_MAX, 0, &id), -EINVAL);
	EXPECT_EQ(ork_test_queue_create(self->fd, 0, 8, &id), -EINVAL);
	EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_QUEUE_CREATE, &flags), 0);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_QUEUE_DESTROY, &pad), 0);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(ork_test_queue_destroy(self->fd, 0), -EINVAL);
	EXPECT_EQ(ork_test_queue_destroy(self->fd, 1), -ENOENT);
	EXPECT_EQ(ork_test_queue_destroy(self->fd, UINT32_MAX), -ENOENT);
}

TEST_F(queue, a_file_has_a_bounded_number_of_queues)
{
	uint32_t id, i;

	for (i = 1; i < MAX_QUEUES; i++)
		ASSERT_EQ(ork_test_queue_create(self->fd, 0, 0, &id), 0);
	EXPECT_EQ(ork_test_queue_create(self->fd, 0, 0, &i), -ENOSPC);
	EXPECT_EQ(ork_test_queue_destroy(self->fd, id), 0);
	EXPECT_EQ(ork_test_queue_create(self->fd, 0, 0, &i), 0);
	EXPECT_EQ(i, id);
}

TEST_F(queue, high_priority_is_for_the_privileged)
{
	uint32_t id;
	int status;
	pid_t pid;

	EXPECT_EQ(ork_test_queue_create(self->fd, DRM_ORK_PRIORITY_HIGH, 0, &id), 0);
	pid = fork();
	if (!pid) {
		if (setuid(65534))
			_exit(1);
		if (ork_test_queue_create(self->fd, DRM_ORK_PRIORITY_LOW, 0, &id))
			_exit(2);
		_exit(ork_test_queue_create(self->fd, DRM_ORK_PRIORITY_HIGH, 0, &id) != -EACCES);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

TEST_F(queue, jobs_run_on_the_cores_of_their_queue_only)
{
	struct drm_ork_range range = { .core = 0, .task_count = 1 };
	struct drm_ork_job_wait result;
	struct drm_ork_job job;
	uint64_t id;

	ASSERT_EQ(ork_test_queue_create(self->fd, 0, 6, &self->p.queue), 0);
	job = job_of(&self->p, 7);
	EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
	job.placement = DRM_ORK_PLACE_SPLIT;
	EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
	job = (struct drm_ork_job){
		.prog = self->p.prog, .queue = self->p.queue, .placement = DRM_ORK_PLACE_RANGES,
		.ranges = { sizeof(range), 1, (uintptr_t)&range },
	};
	EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);

	job = job_of(&self->p, 6);
	job.placement = DRM_ORK_PLACE_SPLIT;
	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
	ASSERT_EQ(ork_test_job_wait(self->fd, id, LONG_MS, &result), 0);
	EXPECT_EQ(result.cores, 6);
	EXPECT_EQ(result.error, 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
}

/* Fills several queues for core 1. *last gets the last job's number. */
static int fill(int fd, struct ork_test_product *deep, uint64_t *last)
{
	uint32_t queues[DEEP_QUEUES], i;
	struct drm_ork_job job;
	int ret = 0;

	for (i = 0; !ret && i < DEEP_QUEUES; i++)
		ret = ork_test_queue_create(fd, DRM_ORK_PRIORITY_NORMAL, 0, &queues[i]);
	for (i = 0; !ret && i < DEEP_QUEUES * DEEP_JOBS; i++) {
		deep->queue = queues[i % DEEP_QUEUES];
		job = job_of(deep, 2);
		ret = ork_test_submit_one(fd, &job, last);
	}
	return ret;
}

/* Runs a job. Returns how many of those before it, which end with number @last, it had to wait for, or -1. */
static int jobs_before(int fd, struct drm_ork_job *job, uint64_t last)
{
	struct drm_ork_job_wait result;
	uint64_t queued;

	if (ork_test_job_run(fd, job, LONG_MS, &result, &queued))
		return -1;
	return ork_test_jobs_between(fd, last + 1 - DEEP_QUEUES * DEEP_JOBS, DEEP_QUEUES * DEEP_JOBS, queued, result.started_ns);
}

TEST_F(queue, a_job_waits_for_few_of_each_other_queue)
{
	struct drm_ork_job_wait result;
	struct drm_ork_job job;
	uint64_t last;
	int jobs;

	ASSERT_EQ(fill(self->fd, &self->deep, &last), 0);
	job = job_of(&self->p, 2);
	jobs = jobs_before(self->fd, &job, last);
	EXPECT_GE(jobs, 0);
	EXPECT_LE(jobs, FAIR_LEAD);
	ASSERT_EQ(ork_test_job_wait(self->fd, last, LONG_MS, &result), 0);
}

TEST_F(queue, high_priority_goes_first)
{
	struct drm_ork_job_wait result;
	struct drm_ork_job job;
	uint64_t last;
	int jobs;

	ASSERT_EQ(ork_test_queue_create(self->fd, DRM_ORK_PRIORITY_HIGH, 0, &self->p.queue), 0);
	ASSERT_EQ(fill(self->fd, &self->deep, &last), 0);
	job = job_of(&self->p, 2);
	jobs = jobs_before(self->fd, &job, last);
	EXPECT_GE(jobs, 0);
	EXPECT_LE(jobs, HIGH_LEAD);
	ASSERT_EQ(ork_test_job_wait(self->fd, last, LONG_MS, &result), 0);
}

TEST_F(queue, a_destroyed_queue_ends_its_jobs)
{
	struct drm_ork_job_wait result;
	uint64_t first, id;
	struct drm_ork_job job;
	int i, run = 0, canceled = 0;

	ASSERT_EQ(ork_test_queue_create(self->fd, 0, 0, &self->deep.queue), 0);
	job = job_of(&self->deep, 2);
	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &first), 0);
	for (i = 1; i < DEEP_JOBS; i++)
		ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
	ASSERT_EQ(ork_test_queue_destroy(self->fd, self->deep.queue), 0);
	EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -ENOENT);

	for (i = 0; i < DEEP_JOBS; i++) {
		ASSERT_EQ(ork_test_job_wait(self->fd, first + i, LONG_MS, &result), 0);
		run += !result.error;
		canceled += result.error == -ECANCELED;
	}
	EXPECT_GT(run, 0);
	EXPECT_EQ(run + canceled, DEEP_JOBS);
	EXPECT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
}

TEST_F(queue, a_queue_that_wedges_again_and_again_is_lost)
{
	struct drm_ork_job_wait result;
	int i, ret = 0, queued, wedged = 0, canceled = 0;
	struct drm_ork_job job;
	uint64_t ids[20], id;

	ASSERT_EQ(ork_test_queue_create(self->fd, 0, 0, &self->hang.queue), 0);
	job = job_of(&self->hang, 2);
	job.timeout_ms = HANG_TIMEOUT_MS;
	/* It can be lost before all are queued. */
	for (queued = 0; queued < 20; queued++) {
		ret = ork_test_submit_one(self->fd, &job, &ids[queued]);
		if (ret)
			break;
	}
	EXPECT_TRUE(!ret || ret == -ECANCELED);
	for (i = 0; i < queued; i++) {
		ASSERT_EQ(ork_test_job_wait(self->fd, ids[i], LONG_MS, &result), 0);
		wedged += result.error == -ETIMEDOUT;
		canceled += result.error == -ECANCELED;
	}
	EXPECT_EQ(wedged, MAX_WEDGES);
	EXPECT_EQ(canceled, queued - MAX_WEDGES);
	EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -ECANCELED);

	/* Another queue of the same file is none the worse for it. */
	EXPECT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
}

static struct drm_ork_job hang_of(struct ork_test_product *p, uint32_t queue)
{
	struct drm_ork_job job;

	p->queue = queue;
	job = job_of(p, 2);
	job.timeout_ms = HANG_TIMEOUT_MS;
	return job;
}

TEST_F(queue, a_long_job_that_hangs_is_one_wedge)
{
	struct drm_ork_device_info before, after;
	struct drm_ork_job_wait result;
	struct ork_test_product hang;
	struct drm_ork_job job;
	uint32_t queue, i;
	uint64_t id;

	ASSERT_EQ(ork_test_hang_chain_init(self->fd, &hang, LONG_TASKS, 0), 0);
	ASSERT_EQ(ork_test_queue_create(self->fd, 0, 0, &queue), 0);
	job = hang_of(&hang, queue);
	for (i = 1; i <= MAX_WEDGES; i++) {
		ASSERT_EQ(ork_test_device(self->fd, &before), 0);
		ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
		ASSERT_EQ(ork_test_job_wait(self->fd, id, LONG_MS, &result), 0);
		EXPECT_EQ(result.error, -ETIMEDOUT);
		EXPECT_EQ(result.tasks_done, 0);
		ASSERT_EQ(ork_test_device(self->fd, &after), 0);
		EXPECT_EQ(after.resets[1] - before.resets[1], 1);
	}
	EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -ECANCELED);
	ork_test_product_fini(self->fd, &hang);
}

TEST_F_TIMEOUT(queue, a_job_that_hangs_late_is_a_wedge_too, 60)
{
	struct drm_ork_job_wait result;
	struct ork_test_product hang;
	struct drm_ork_job job;
	uint32_t queue, i;
	uint64_t id;

	ASSERT_EQ(ork_test_hang_chain_init(self->fd, &hang, LONG_TASKS, LONG_TASKS - 1), 0);
	ASSERT_EQ(ork_test_queue_create(self->fd, 0, 0, &queue), 0);
	job = hang_of(&hang, queue);
	job.timeout_ms = LATE_HANG_TIMEOUT_MS;
	for (i = 1; i <= MAX_WEDGES; i++) {
		ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
		ASSERT_EQ(ork_test_job_wait(self->fd, id, LONG_MS, &result), 0);
		EXPECT_EQ(result.error, -ETIMEDOUT);
		EXPECT_EQ(result.tasks_done, LONG_TASKS - 1);
	}
	EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -ECANCELED);
	ork_test_product_fini(self->fd, &hang);
}

TEST_F(queue, a_good_job_in_between_keeps_the_queue)
{
	int i;

	ASSERT_EQ(ork_test_queue_create(self->fd, 0, 0, &self->hang.queue), 0);
	self->p.queue = self->hang.queue;
	for (i = 1; i <= 2 * MAX_WEDGES; i++) {
		EXPECT_EQ(ork_test_product_run(self->fd, &self->hang, DRM_ORK_PLACE_AUTO, 4,
					       HANG_TIMEOUT_MS), -ETIMEDOUT);
		if (i % (MAX_WEDGES - 1))
			continue;
		EXPECT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_AUTO, 4, 0), 0);
	}
}

TEST_HARNESS_MAIN
