// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Waiting and being waited for; caches that a job takes care of; buffers shared by dma-buf. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

FIXTURE(sync)
{
	int fd;
	struct ork_test_product p;
};

FIXTURE_SETUP(sync)
{
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
}

FIXTURE_TEARDOWN(sync)
{
	ork_test_product_fini(self->fd, &self->p);
	close(self->fd);
}

static struct drm_ork_array one_sync(const struct drm_ork_sync *sync)
{
	return (struct drm_ork_array){ sizeof(*sync), 1, (uintptr_t)sync };
}

static int submit(int fd, const struct ork_test_product *p, uint32_t core_mask,
		  const struct drm_ork_sync *in, const struct drm_ork_sync *out)
{
	uint64_t addresses[3];
	struct drm_ork_job job = ork_test_product_job(p, addresses);

	job.core_mask = core_mask;
	job.placement = DRM_ORK_PLACE_SPLIT;
	if (in)
		job.in_syncs = one_sync(in);
	if (out)
		job.out_syncs = one_sync(out);
	return ork_test_submit(fd, &job, 1, NULL);
}

TEST_F(sync, jobs_wait_for_a_job_on_another_core)
{
	struct drm_ork_sync chain[10] = { 0 };
	int i;

	for (i = 0; i < 10; i++) {
		ASSERT_EQ(ork_test_syncobj(self->fd, &chain[i].handle), 0);
		ASSERT_EQ(submit(self->fd, &self->p, 1u << i % 3, i ? &chain[i - 1] : NULL, &chain[i]),
			  0);
	}
	EXPECT_EQ(ork_test_wait(self->fd, chain[9].handle, 20000), 0);
	for (i = 0; i < 9; i++)
		EXPECT_EQ(ork_test_wait(self->fd, chain[i].handle, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
}

TEST_F(sync, a_wedged_job_fails_and_the_one_that_waits_for_it_runs)
{
	struct drm_ork_sync first = { 0 }, second = { 0 };
	struct ork_test_product hang;

	ASSERT_EQ(ork_test_hang_init(self->fd, &hang), 0);
	ASSERT_EQ(ork_test_product_start(self->fd, &hang, DRM_ORK_PLACE_AUTO, 1, 500, &first.handle), 0);
	ASSERT_EQ(ork_test_syncobj(self->fd, &second.handle), 0);
	ASSERT_EQ(submit(self->fd, &self->p, 2, &first, &second), 0);
	EXPECT_EQ(ork_test_wait(self->fd, second.handle, 20000), 0);
	EXPECT_EQ(ork_test_wait(self->fd, first.handle, 0), -ETIMEDOUT);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
}

/* The driver gives a core few of its tasks at once. */
TEST_F_TIMEOUT(sync, all_of_a_long_job_waits, 60)
{
	struct drm_ork_sync late = { 0 };
	struct drm_ork_job_wait result, wedged;
	struct ork_test_product many, hang;
	uint64_t addresses[3], id, id_hang;
	struct drm_ork_job job;

	ASSERT_EQ(ork_test_hang_init(self->fd, &hang), 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &many, 1, 32, 32, 1), 0);
	many.copies = true;
	many.tasks = 1000;
	ASSERT_EQ(ork_test_product_program(self->fd, &many, 0), 0);
	ASSERT_EQ(ork_test_syncobj(self->fd, &late.handle), 0);
	job = ork_test_product_job(&hang, addresses);
	job.core_mask = 4;
	job.timeout_ms = 1000;
	job.out_syncs = one_sync(&late);
	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id_hang), 0);
	job = ork_test_product_job(&many, addresses);
	job.core_mask = 3;
	job.placement = DRM_ORK_PLACE_SPLIT;
	job.in_syncs = one_sync(&late);
	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);

	ASSERT_EQ(ork_test_job_wait(self->fd, id, 60000, &result), 0);
	ASSERT_EQ(ork_test_job_wait(self->fd, id_hang, 0, &wedged), 0);
	EXPECT_EQ(wedged.error, -ETIMEDOUT);
	EXPECT_EQ(result.error, 0);
	EXPECT_EQ(result.tasks_done, many.tasks);
	EXPECT_GE(result.started_ns, wedged.ended_ns);
	EXPECT_EQ(ork_test_product_check(self->fd, &many), 0);
	ork_test_product_fini(self->fd, &many);
	ork_test_product_fini(self->fd, &hang);
}

TEST_F(sync, points_of_a_timeline_signal_in_order)
{
	uint32_t handle;
	uint64_t point;
	int i;

	ASSERT_EQ(ork_test_syncobj(self->fd, &handle), 0);
	for (i = 1; i <= 5; i++) {
		struct drm_ork_sync in = { .handle = handle, .point = i - 1 };
		struct drm_ork_sync out = { .handle = handle, .point = i };

		ASSERT_EQ(submit(self->fd, &self->p, 1u << i % 3, i > 1 ? &in : NULL, &out), 0);
	}
	point = 5;
	ASSERT_EQ(drmSyncobjTimelineWait(self->fd, &handle, &point, 1, ork_test_now_ns() + 20000000000ll, 0, NULL),
		  0);
	ASSERT_EQ(drmSyncobjQuery(self->fd, &handle, &point, 1), 0);
	EXPECT_EQ(point, 5);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
}

struct late {
	int fd;
	uint32_t handle;
};

static void *signal_later(void *data)
{
	struct late *late = data;
	uint64_t point = 7;

	usleep(300000);
	drmSyncobjTimelineSignal(late->fd, &late->handle, &point, 1);
	return NULL;
}

TEST_F(sync, a_point_that_does_not_exist_yet_is_waited_for)
{
	struct drm_ork_sync in = { .point = 7 }, out = { 0 };
	struct late late = { .fd = self->fd };
	pthread_t thread;

	ASSERT_EQ(ork_test_syncobj(self->fd, &in.handle), 0);
	ASSERT_EQ(ork_test_syncobj(self->fd, &out.handle), 0);
	late.handle = in.handle;
	ASSERT_EQ(pthread_create(&thread, NULL, signal_later, &late), 0);
	EXPECT_EQ(submit(self->fd, &self->p, 7, &in, &out), 0);
	EXPECT_EQ(ork_test_wait(self->fd, out.handle, 20000), 0);
	pthread_join(thread, NULL);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
}

TEST_F(sync, refuses_unknown_syncobjs_and_flags)
{
	struct drm_ork_sync bad = { .handle = 4711 };

	EXPECT_EQ(submit(self->fd, &self->p, 1, &bad, NULL), -ENOENT);
	EXPECT_EQ(submit(self->fd, &self->p, 1, NULL, &bad), -ENOENT);
	ASSERT_EQ(ork_test_syncobj(self->fd, &bad.handle), 0);
	bad.flags = 1;
	EXPECT_EQ(submit(self->fd, &self->p, 1, &bad, NULL), -EINVAL);
	EXPECT_EQ(submit(self->fd, &self->p, 1, NULL, &bad), -EINVAL);
}

TEST_F(sync, a_job_takes_care_of_caches)
{
	struct ork_test_product *p = &self->p;
	struct drm_ork_sync_range ranges[] = {
		{ .handle = p->a.handle, .op = DRM_ORK_SYNC_TO_DEVICE, .size_bytes = p->a.bytes },
		{ .handle = p->c.handle, .op = DRM_ORK_SYNC_TO_CPU, .size_bytes = p->c.bytes },
	};
	struct drm_ork_sync out = { 0 };
	uint64_t addresses[3];
	struct drm_ork_job job = ork_test_product_job(p, addresses);

	job.core_mask = 7;
	job.placement = DRM_ORK_PLACE_SPLIT;
	job.cache = (struct drm_ork_array){ sizeof(ranges[0]), 2, (uintptr_t)ranges };
	job.out_syncs = one_sync(&out);
	ASSERT_EQ(ork_test_syncobj(self->fd, &out.handle), 0);
	ASSERT_EQ(ork_test_submit(self->fd, &job, 1, NULL), 0);
	ASSERT_EQ(ork_test_wait(self->fd, out.handle, 20000), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, p), 0);

	ranges[1].size_bytes++;
	EXPECT_EQ(ork_test_submit(self->fd, &job, 1, NULL), -EINVAL);
	ranges[1].handle = 99;
	EXPECT_EQ(ork_test_submit(self->fd, &job, 1, NULL), -ENOENT);
}

static int bo_wait(int fd, uint32_t handle, uint32_t flags, int64_t timeout_ns)
{
	struct drm_ork_bo_wait args = { .handle = handle, .flags = flags, .timeout_ns = timeout_ns };

	return drmIoctl(fd, DRM_IOCTL_ORK_BO_WAIT, &args) ? -errno : 0;
}

TEST_F(sync, bo_wait_tells_readers_from_writers)
{
	struct ork_test_product hang;
	uint64_t addresses[3];
	struct drm_ork_job job;

	ASSERT_EQ(ork_test_hang_init(self->fd, &hang), 0);
	job = ork_test_product_job(&hang, addresses);
	job.core_mask = 1;
	job.timeout_ms = 3000;
	job.flags = DRM_ORK_JOB_IMPLICIT_SYNC;

	EXPECT_EQ(bo_wait(self->fd, hang.c.handle, 0, 0), 0);
	ASSERT_EQ(ork_test_submit(self->fd, &job, 1, NULL), 0);
	EXPECT_EQ(bo_wait(self->fd, hang.c.handle, DRM_ORK_WAIT_WRITE, 0), -ETIMEDOUT);
	EXPECT_EQ(bo_wait(self->fd, hang.a.handle, DRM_ORK_WAIT_WRITE, 0), 0);
	EXPECT_EQ(bo_wait(self->fd, hang.a.handle, 0, 0), -ETIMEDOUT);
	EXPECT_EQ(bo_wait(self->fd, self->p.c.handle, 0, 0), 0);
	EXPECT_EQ(bo_wait(self->fd, hang.c.handle, 0, ork_test_now_ns() + 20000000000ll), 0);
	EXPECT_EQ(bo_wait(self->fd, 4711, 0, 0), -ENOENT);
	EXPECT_EQ(bo_wait(self->fd, hang.c.handle, 0x80, 0), -EINVAL);
}

TEST_F(sync, implicit_writers_are_ordered)
{
	uint64_t addresses[3];
	struct drm_ork_job job = ork_test_product_job(&self->p, addresses);
	int i;

	job.flags = DRM_ORK_JOB_IMPLICIT_SYNC;
	for (i = 0; i < 12; i++) {
		job.core_mask = 1u << i % 3;
		ASSERT_EQ(ork_test_submit(self->fd, &job, 1, NULL), 0);
	}
	ASSERT_EQ(bo_wait(self->fd, self->p.c.handle, 0, ork_test_now_ns() + 20000000000ll), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
}

TEST_F(sync, a_buffer_can_go_to_another_file_and_back)
{
	struct ork_test_product *p = &self->p;
	int other = ork_test_open(), dmabuf;
	struct ork_test_product far = *p;
	uint32_t handle;

	ASSERT_GE(other, 0);
	ASSERT_EQ(drmPrimeHandleToFD(self->fd, p->c.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	ASSERT_EQ(drmPrimeFDToHandle(other, dmabuf, &handle), 0);
	close(dmabuf);

	/* The other file computes into the buffer of this one. */
	ASSERT_EQ(ork_test_product_init(other, &far, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_map(other, 0, handle, 0, p->c.bytes, &far.c.va), 0);
	ASSERT_EQ(ork_test_product_program(other, &far, 0), 0);
	ASSERT_EQ(ork_test_product_run(other, &far, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, p), 0);
	close(other);
}

TEST_HARNESS_MAIN
