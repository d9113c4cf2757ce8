// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Numbers that overflow, and pointers that are the kernel's: refused, and nothing is changed. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define MIB (1ull << 20)
#define KERNEL_POINTER 0xffff000000001000ull

FIXTURE(overflow)
{
	int fd;
	struct ork_test_product p;
};

FIXTURE_SETUP(overflow)
{
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 256, 96, 1), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
}

/* Whatever was refused, the client still computes. */
FIXTURE_TEARDOWN(overflow)
{
	EXPECT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_AUTO, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
	close(self->fd);
}

TEST_F(overflow, ranges_of_tasks_and_caches_do_not_overflow)
{
	static const uint32_t tasks[][2] = {
		{ UINT32_MAX, 2 }, { 1, UINT32_MAX }, { 0, UINT32_MAX }, { 1, 1 }, { INT32_MAX, INT32_MAX }, { 0, 0 },
	};
	static const uint64_t bytes[][2] = {
		{ 0, UINT64_MAX }, { UINT64_MAX, 2 }, { 1, UINT64_MAX }, { 1ull << 63, 1ull << 63 }, { MIB, 1 }, { 0, 0 },
	};
	struct drm_ork_sync_range range = { .handle = self->p.c.handle };
	uint64_t addresses[3], id;
	struct drm_ork_job job;
	size_t i;

	for (i = 0; i < sizeof(tasks) / sizeof(*tasks); i++) {
		job = ork_test_product_job(&self->p, addresses);
		job.core_mask = 7;
		job.first_task = tasks[i][0];
		job.task_count = tasks[i][1];
		EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
		job.placement = DRM_ORK_PLACE_SPLIT;
		EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
	}
	for (i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
		job = ork_test_product_job(&self->p, addresses);
		job.core_mask = 1;
		range.offset_bytes = bytes[i][0];
		range.size_bytes = bytes[i][1];
		job.cache = (struct drm_ork_array){ sizeof(range), 1, (uintptr_t)&range };
		EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
	}
}

TEST_F(overflow, words_and_slots_of_a_program_lie_inside_it)
{
	static const uint32_t bad[][2] = {
		{ UINT32_MAX, 2 }, { 2, UINT32_MAX }, { 1, UINT32_MAX - 1 }, { UINT32_MAX, 0 }, { 100000, 1 },
	};
	struct ork_test_product p = self->p;
	struct ork_test_program program;
	size_t i;

	p.slots = true;
	ork_test_product_build(&p, 0, &program);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct drm_ork_task good = program.tasks[0];

		program.tasks[0].first_word = bad[i][0];
		program.tasks[0].word_count = bad[i][1];
		EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_PROG_CREATE, &program.args), 0);
		EXPECT_EQ(program.args.reject, DRM_ORK_REJECT_TASK);
		program.tasks[0] = good;
	}
	program.slots[0].word = program.args.words.count;
	EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_PROG_CREATE, &program.args), 0);
	EXPECT_EQ(program.args.reject, DRM_ORK_REJECT_SLOT);
	program.slots[0].word = UINT32_MAX;
	EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_PROG_CREATE, &program.args), 0);
	EXPECT_EQ(program.args.reject, DRM_ORK_REJECT_SLOT);
	ork_test_program_free(&program);
}

TEST_F(overflow, pointers_into_the_kernel_are_bad_addresses)
{
	struct drm_ork_bo_user user = { .ptr = KERNEL_POINTER, .size_bytes = ORK_TEST_PAGE };
	struct drm_ork_query query = { .type = DRM_ORK_QUERY_DEVICE, .size = 4096, .ptr = KERNEL_POINTER };
	struct drm_ork_submit submit = { .jobs = { sizeof(struct drm_ork_job), 1, KERNEL_POINTER } };
	struct drm_ork_bo_sync sync = { .ranges = { sizeof(struct drm_ork_sync_range), 1, KERNEL_POINTER } };
	struct drm_ork_prog_create prog = { .words = { 8, 4, KERNEL_POINTER }, .tasks = { 16, 1, KERNEL_POINTER } };
	uint64_t addresses[3], id;
	struct drm_ork_job job = ork_test_product_job(&self->p, addresses);

	EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_BO_USER, &user), 0);
	EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_QUERY, &query), 0);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_SUBMIT, &submit), 0);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_BO_SYNC, &sync), 0);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_PROG_CREATE, &prog), 0);
	EXPECT_EQ(errno, EFAULT);

	job.core_mask = 1;
	job.in_syncs = (struct drm_ork_array){ sizeof(struct drm_ork_sync), 1, KERNEL_POINTER };
	EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EFAULT);
	job.in_syncs = (struct drm_ork_array){ UINT32_MAX, UINT32_MAX, (uintptr_t)&job };
	EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
	job.in_syncs = (struct drm_ork_array){ 0, 1, (uintptr_t)&job };
	EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
}

TEST_HARNESS_MAIN
