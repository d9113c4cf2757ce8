// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* What a file learns of each of its jobs. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define LONG_MS 60000

FIXTURE(result)
{
	int fd;
	struct ork_test_product p;
};

FIXTURE_SETUP(result)
{
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 256, 192, 6), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
}

FIXTURE_TEARDOWN(result)
{
	ork_test_product_fini(self->fd, &self->p);
	close(self->fd);
}

static struct drm_ork_job split_job(const struct ork_test_product *p, uint32_t core_mask)
{
	return (struct drm_ork_job){
		.prog = p->prog, .placement = DRM_ORK_PLACE_SPLIT, .core_mask = core_mask,
		.task_count = p->tasks,
	};
}

TEST_F(result, good_job_tells_cores_times_and_tasks)
{
	struct drm_ork_job job = split_job(&self->p, 5);
	struct drm_ork_job_wait result;
	uint64_t id, before = ork_test_now_ns();

	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
	ASSERT_EQ(ork_test_job_wait(self->fd, id, LONG_MS, &result), 0);
	EXPECT_EQ(result.state, DRM_ORK_JOB_ENDED);
	EXPECT_EQ(result.error, 0);
	EXPECT_EQ(result.cores, 5);
	EXPECT_EQ(result.tasks_done, self->p.tasks);
	EXPECT_EQ(result.fault_va, 0);
	EXPECT_LE(before, result.submitted_ns);
	EXPECT_LE(result.submitted_ns, result.started_ns);
	EXPECT_LT(result.started_ns, result.ended_ns);
	EXPECT_LE(result.ended_ns, ork_test_now_ns());
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
}

TEST_F(result, running_and_queued_jobs_say_so)
{
	struct drm_ork_job_wait result;
	struct ork_test_product hang;
	struct drm_ork_job job, behind = split_job(&self->p, 1);
	uint64_t id, id_behind;

	ASSERT_EQ(ork_test_hang_init(self->fd, &hang), 0);
	job = split_job(&hang, 1);
	job.timeout_ms = 2000;
	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
	ASSERT_EQ(ork_test_submit_one(self->fd, &behind, &id_behind), 0);
	EXPECT_EQ(id_behind, id + 1);

	do {
		EXPECT_EQ(ork_test_job_wait(self->fd, id, 0, &result), -ETIMEDOUT);
	} while (result.state == DRM_ORK_JOB_QUEUED);
	EXPECT_EQ(result.state, DRM_ORK_JOB_RUNNING);
	EXPECT_NE(result.started_ns, 0);
	EXPECT_EQ(result.ended_ns, 0);
	EXPECT_EQ(ork_test_job_wait(self->fd, id_behind, 0, &result), -ETIMEDOUT);
	EXPECT_EQ(result.state, DRM_ORK_JOB_QUEUED);
	EXPECT_EQ(result.started_ns, 0);

	ASSERT_EQ(ork_test_job_wait(self->fd, id, LONG_MS, &result), 0);
	EXPECT_EQ(result.error, -ETIMEDOUT);
	EXPECT_EQ(result.tasks_done, 0);
	ASSERT_EQ(ork_test_job_wait(self->fd, id_behind, LONG_MS, &result), 0);
	EXPECT_EQ(result.error, 0);
	ork_test_product_fini(self->fd, &hang);
}

TEST_F(result, fault_tells_the_address_and_how_many_tasks_came_before)
{
	struct drm_ork_job_wait result;
	struct ork_test_product fault;
	struct drm_ork_job job;
	uint64_t id;

	ASSERT_EQ(ork_test_product_init(self->fd, &fault, 64, 64, 96, 3), 0);
	fault.k_program = 256;
	for (fault.good = 0; fault.good < fault.tasks; fault.good++) {
		ASSERT_EQ(ork_test_product_program(self->fd, &fault, DRM_ORK_PROG_UNCHECKED_LIMITS), 0);
		job = split_job(&fault, 2);
		ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
		ASSERT_EQ(ork_test_job_wait(self->fd, id, LONG_MS, &result), 0);
		EXPECT_EQ(result.error, -EFAULT);
		EXPECT_EQ(result.tasks_done, fault.good);
		/* In the guard page that follows A. */
		EXPECT_GE(result.fault_va, fault.a.va + fault.a.bytes);
		EXPECT_LT(result.fault_va, fault.a.va + fault.a.bytes + ORK_TEST_PAGE);
	}
	ork_test_product_fini(self->fd, &fault);
}

TEST_F(result, jobs_of_one_call_have_consecutive_numbers)
{
	struct drm_ork_job jobs[3] = {
		split_job(&self->p, 1), split_job(&self->p, 2), { .prog = 999, .core_mask = 1 },
	};
	struct drm_ork_submit args = {
		.jobs = { .stride = sizeof(jobs[0]), .count = 3, .ptr = (uintptr_t)jobs },
	};
	struct drm_ork_job_wait result;
	uint32_t i;

	ASSERT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_SUBMIT, &args), 0);
	EXPECT_EQ(errno, ENOENT);
	EXPECT_EQ(args.done, 2);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(ork_test_job_wait(self->fd, args.first_id + i, LONG_MS, &result), 0);
		EXPECT_EQ(result.cores, jobs[i].core_mask);
	}
	/* It was not queued. */
	EXPECT_EQ(ork_test_job_wait(self->fd, args.first_id + 2, 0, &result), -ENOENT);
}

TEST_F(result, one_call_waits_for_many_and_names_the_first_that_failed)
{
	struct drm_ork_job jobs[5];
	struct drm_ork_submit args = {
		.jobs = { .stride = sizeof(jobs[0]), .count = 5, .ptr = (uintptr_t)jobs },
	};
	struct drm_ork_job_wait wait = { .timeout_ns = INT64_MAX };
	struct ork_test_product hang;
	uint32_t i;

	ASSERT_EQ(ork_test_hang_init(self->fd, &hang), 0);
	for (i = 0; i < 5; i++)
		jobs[i] = split_job(&self->p, 1u << i % 3);
	ASSERT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_SUBMIT, &args), 0);
	wait.id = args.first_id;
	wait.count = 5;
	ASSERT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_JOB_WAIT, &wait), 0);
	EXPECT_EQ(wait.id, args.first_id + 4);
	EXPECT_EQ(wait.error, 0);
	EXPECT_EQ(wait.cores, 2);

	jobs[2] = split_job(&hang, 4);
	jobs[2].timeout_ms = 2000;
	ASSERT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_SUBMIT, &args), 0);
	wait.id = args.first_id;
	wait.timeout_ns = 0;
	ASSERT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_JOB_WAIT, &wait), 0);
	EXPECT_EQ(errno, ETIMEDOUT);
	EXPECT_GE(wait.id, args.first_id);
	EXPECT_LE(wait.id, args.first_id + 2);
	wait.id = args.first_id;
	wait.timeout_ns = INT64_MAX;
	ASSERT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_JOB_WAIT, &wait), 0);
	EXPECT_EQ(wait.id, args.first_id + 2);
	EXPECT_EQ(wait.error, -ETIMEDOUT);

	wait.id = args.first_id + 3;
	wait.count = 3;
	ASSERT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_JOB_WAIT, &wait), 0);
	EXPECT_EQ(errno, ENOENT);
	EXPECT_EQ(wait.id, args.first_id + 5);
	wait.count = 4097;
	ASSERT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_JOB_WAIT, &wait), 0);
	EXPECT_EQ(errno, EINVAL);
	wait.count = 1;
	wait.pad = 1;
	ASSERT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_JOB_WAIT, &wait), 0);
	EXPECT_EQ(errno, EINVAL);
	ork_test_product_fini(self->fd, &hang);
}

TEST_F(result, unknown_and_forgotten_numbers_are_enoent)
{
	struct drm_ork_job job = split_job(&self->p, 1);
	struct drm_ork_job bad = { .prog = 999, .core_mask = 1 };
	struct drm_ork_job_wait result;
	uint64_t id, next;
	int i, other;

	EXPECT_EQ(ork_test_job_wait(self->fd, 0, 0, &result), -ENOENT);
	EXPECT_EQ(ork_test_job_wait(self->fd, 1, 0, &result), -ENOENT);
	EXPECT_EQ(ork_test_job_wait(self->fd, UINT64_MAX, 0, &result), -ENOENT);

	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
	ASSERT_EQ(ork_test_job_wait(self->fd, id, LONG_MS, &result), 0);
	other = ork_test_open();
	EXPECT_EQ(ork_test_job_wait(other, id, 0, &result), -ENOENT);
	close(other);

	for (i = 0; i < 8191; i++)
		ASSERT_EQ(ork_test_submit_one(self->fd, &bad, &next), -ENOENT);
	ASSERT_EQ(ork_test_job_wait(self->fd, id, 0, &result), 0);
	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &next), 0);
	EXPECT_EQ(next, id + 8192);
	EXPECT_EQ(ork_test_job_wait(self->fd, id, 0, &result), -ENOENT);
	ASSERT_EQ(ork_test_job_wait(self->fd, next, LONG_MS, &result), 0);
}

TEST_F(result, engine_time_is_the_sum_of_job_times)
{
	struct drm_ork_job job = split_job(&self->p, 2);
	uint64_t id, jobs_ns = 0, engine_ns = 0;
	struct drm_ork_job_wait result;
	char path[64], line[128];
	FILE *file;
	int i;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
		ASSERT_EQ(ork_test_job_wait(self->fd, id, LONG_MS, &result), 0);
		jobs_ns += result.ended_ns - result.started_ns;
	}

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", self->fd);
	file = fopen(path, "r");
	ASSERT_NE(file, NULL);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, "drm-engine-npu1:", 16))
			engine_ns = strtoull(line + 16, NULL, 10);
	fclose(file);
	EXPECT_GE(engine_ns, jobs_ns - jobs_ns / 100);
	EXPECT_LE(engine_ns, jobs_ns + jobs_ns / 100);
}

TEST_HARNESS_MAIN
