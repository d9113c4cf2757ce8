// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* A hostile client tries to keep the cores, or their power, for itself. */

#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define LONG_MS 60000
#define NOBODY 65534
#define HANG_MS 500
#define HANGS 40
/* What a core has already, one that the scheduler was about to hand over, and one that it may prefer. */
#define LEAD 4
/* As many as a program can have. */
#define MANY_TASKS 16384

FIXTURE(hold)
{
	int hostile, fd;
	struct ork_test_product p, hang;
};

FIXTURE_SETUP(hold)
{
	self->hostile = ork_test_open();
	self->fd = ork_test_open();
	ASSERT_GE(self->hostile, 0);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
	ASSERT_EQ(ork_test_hang_init(self->hostile, &self->hang), 0);
}

FIXTURE_TEARDOWN(hold)
{
	close(self->hostile);
	close(self->fd);
}

/* Runs the product on one core. */
static int run_on(int fd, struct ork_test_product *p, uint32_t core_mask, struct drm_ork_job_wait *result, uint64_t *queued_ns)
{
	uint64_t addresses[3];
	struct drm_ork_job job = ork_test_product_job(p, addresses);
	int ret;

	job.core_mask = core_mask;
	ret = ork_test_job_run(fd, &job, LONG_MS, result, queued_ns);
	return ret ?: (int)ork_test_product_check(fd, p);
}

TEST_F(hold, programs_that_can_hang_need_privilege)
{
	int status;
	pid_t pid;

	if (geteuid())
		SKIP(return, "not allowed to become another user");
	pid = fork();
	if (!pid) {
		struct ork_test_product p;

		if (setuid(NOBODY) || ork_test_product_init(self->fd, &p, 1, 2048, 64, 1))
			_exit(1);
		p.weight_banks = 1;
		if (ork_test_product_program(self->fd, &p, DRM_ORK_PROG_UNCHECKED_LIMITS) != -EPERM)
			_exit(2);
		_exit(ork_test_product_program(self->fd, &p, 0) == -EINVAL && p.reject == DRM_ORK_REJECT_BANKS ? 0 : 3);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

TEST_F(hold, a_timeout_is_no_longer_than_the_driver_says)
{
	struct drm_ork_device_info info;
	uint64_t addresses[3], id;
	struct drm_ork_job job = ork_test_product_job(&self->p, addresses);

	ASSERT_EQ(ork_test_device(self->fd, &info), 0);
	job.core_mask = 1;
	job.timeout_ms = info.max_timeout_ms + 1;
	EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
	job.timeout_ms = UINT32_MAX;
	EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
}

/* On all cores, from several queues each, more than a queue may have. */
TEST_F_TIMEOUT(hold, jobs_that_hang_on_all_cores_give_others_every_other_turn, 120)
{
	struct drm_ork_job_wait result;
	uint64_t addresses[3], first = 0, id, queued;
	struct drm_ork_job job;
	uint32_t core, i;

	for (i = 0; i < HANGS; i++) {
		job = ork_test_product_job(&self->hang, addresses);
		/* Its queue is not lost before all are queued. */
		job.timeout_ms = 4 * HANG_MS;
		job.core_mask = 1u << i % DRM_ORK_MAX_CORES;
		ASSERT_EQ(ork_test_submit_one(self->hostile, &job, &id), 0);
		first = first ?: id;
	}
	for (core = 0; core < DRM_ORK_MAX_CORES; core++) {
		ASSERT_EQ(run_on(self->fd, &self->p, 1u << core, &result, &queued), 0);
		EXPECT_LE(ork_test_jobs_between(self->hostile, first, HANGS, queued, result.started_ns),
			  DRM_ORK_MAX_CORES * LEAD);
	}
	/* Four wedges were enough for its queue. */
	ASSERT_EQ(ork_test_job_wait(self->hostile, id, LONG_MS, &result), 0);
	EXPECT_EQ(result.error, -ECANCELED);
	EXPECT_EQ(ork_test_submit_one(self->hostile, &job, &id), -ECANCELED);
}

TEST_F_TIMEOUT(hold, a_job_of_many_tasks_gives_others_their_turn, 300)
{
	struct drm_ork_job_wait result, rest;
	struct ork_test_product many;
	uint64_t addresses[3], id;
	struct drm_ork_job job;

	ASSERT_EQ(ork_test_product_init(self->hostile, &many, 8, 256, 96, 1), 0);
	many.copies = true;
	many.tasks = MANY_TASKS;
	ASSERT_EQ(ork_test_product_program(self->hostile, &many, 0), 0);
	job = ork_test_product_job(&many, addresses);
	job.core_mask = 2;
	ASSERT_EQ(ork_test_submit_one(self->hostile, &job, &id), 0);
	while (ork_test_job_wait(self->hostile, id, 0, &rest) == -ETIMEDOUT && rest.state == DRM_ORK_JOB_QUEUED)
		;
	ASSERT_EQ(run_on(self->fd, &self->p, 2, &result, NULL), 0);
	ASSERT_EQ(ork_test_job_wait(self->hostile, id, LONG_MS, &rest), 0);
	EXPECT_EQ(rest.error, 0);
	EXPECT_EQ(rest.tasks_done, MANY_TASKS);
	EXPECT_EQ(ork_test_product_check(self->hostile, &many), 0);
	if (rest.ended_ns < result.submitted_ns)
		SKIP(return, "the long job was over before ours was queued");
	EXPECT_LT(result.ended_ns, rest.ended_ns);
}

/* Whoever waits for a fence waits outside of the cores. */
TEST_F(hold, jobs_that_wait_for_a_fence_hold_no_core)
{
	struct drm_ork_sync in = { 0 };
	struct drm_ork_job_wait result;
	struct ork_test_product own;
	uint64_t addresses[3], id;
	struct drm_ork_job job;
	uint32_t late, i;

	ASSERT_EQ(ork_test_product_init(self->hostile, &own, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->hostile, &own, 0), 0);
	ASSERT_EQ(ork_test_product_start(self->hostile, &self->hang, DRM_ORK_PLACE_AUTO, 4, 10 * HANG_MS, &late), 0);
	in.handle = late;
	for (i = 0; i < 100; i++) {
		struct ork_test_product p = own;

		/* A queue of its own for many, so that they are at the head of one. */
		if (i < 60)
			ASSERT_EQ(ork_test_queue_create(self->hostile, 0, 0, &p.queue), 0);
		job = ork_test_product_job(&p, addresses);
		job.core_mask = 1u << i % 2;
		job.in_syncs = (struct drm_ork_array){ sizeof(in), 1, (uintptr_t)&in };
		ASSERT_EQ(ork_test_submit_one(self->hostile, &job, &id), 0);
	}
	for (i = 0; i < 4; i++)
		ASSERT_EQ(run_on(self->fd, &self->p, 1u << i % 2, &result, NULL), 0);
	if (ork_test_wait(self->hostile, late, 0) != -ETIME)
		SKIP(return, "the fence came before our jobs had run");
	EXPECT_EQ(ork_test_job_wait(self->hostile, id, 0, &result), -ETIMEDOUT);
}

/* Jobs that wait for each other's hangs, in as many queues. */
TEST_F_TIMEOUT(hold, a_file_can_be_closed_before_its_jobs_have_run, 60)
{
	struct drm_ork_device_info before, after;
	struct drm_ork_job_wait result;
	/* The fixture's files are open in the harness's process, too. */
	int file = ork_test_open();
	uint64_t addresses[3], id;
	struct ork_test_product hang;
	struct drm_ork_job job;
	uint32_t core, i;

	ASSERT_EQ(ork_test_hang_init(file, &hang), 0);
	for (i = 0; i < 60; i++) {
		ASSERT_EQ(ork_test_queue_create(file, 0, 0, &hang.queue), 0);
		job = ork_test_product_job(&hang, addresses);
		job.core_mask = 1;
		job.timeout_ms = 10 * HANG_MS;
		ASSERT_EQ(ork_test_submit_one(file, &job, &id), 0);
	}
	ASSERT_EQ(ork_test_device(self->fd, &before), 0);
	/* A mapping holds the file. */
	munmap(hang.a.ptr, hang.a.bytes);
	munmap(hang.b.ptr, hang.b.bytes);
	munmap(hang.c.ptr, hang.c.bytes);
	close(file);
	for (core = 0; core < DRM_ORK_MAX_CORES; core++)
		ASSERT_EQ(run_on(self->fd, &self->p, 1u << core, &result, NULL), 0);
	ASSERT_EQ(ork_test_device(self->fd, &after), 0);
	EXPECT_LE(after.resets[0] - before.resets[0], LEAD);
}

static bool all_suspended(void)
{
	bool suspended = true;
	glob_t found;
	size_t i;

	if (glob("/sys/bus/platform/drivers/rknpu-ork-core/*.npu/power/runtime_status", 0, NULL, &found))
		return false;
	for (i = 0; i < found.gl_pathc; i++) {
		char text[16];

		if (ork_test_read_text(found.gl_pathv[i], text, sizeof(text)) || strcmp(text, "suspended"))
			suspended = false;
	}
	globfree(&found);
	return suspended;
}

/* What it waits for never comes. */
static void submit_blocked(int fd)
{
	struct drm_ork_sync in = { 0 };
	struct ork_test_product p;

	if (!ork_test_syncobj(fd, &in.handle) && !ork_test_product_init(fd, &p, 8, 256, 96, 3) &&
	    !ork_test_product_program(fd, &p, 0)) {
		uint64_t addresses[3];
		struct drm_ork_job job = ork_test_product_job(&p, addresses);

		job.core_mask = 7;
		job.in_syncs = (struct drm_ork_array){ sizeof(in), 1, (uintptr_t)&in };
		ork_test_submit(fd, &job, 1, NULL);
	}
}

TEST_F(hold, open_files_and_blocked_calls_do_not_keep_the_power_on)
{
	struct drm_ork_job_wait result;
	int i, files[32];
	bool off = false;
	pid_t pid;

	if (geteuid())
		SKIP(return, "the state of the power is not for everybody");
	for (i = 0; i < 32; i++)
		files[i] = ork_test_open();
	pid = fork();
	if (!pid) {
		submit_blocked(files[0]);
		_exit(0);
	}
	ASSERT_EQ(run_on(self->fd, &self->p, 7, &result, NULL), 0);
	for (i = 0; i < 200 && !off; i++) {
		usleep(100000);
		off = all_suspended();
	}
	EXPECT_TRUE(off);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (i = 0; i < 32; i++)
		close(files[i]);
	ASSERT_EQ(run_on(self->fd, &self->p, 7, &result, NULL), 0);
}

TEST_HARNESS_MAIN
