// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* A process that dies with jobs in flight leaves nothing behind. */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

FIXTURE(kill)
{
	int fd;
	struct ork_test_product good;
};

FIXTURE_SETUP(kill)
{
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->good, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->good, 0), 0);
}

FIXTURE_TEARDOWN(kill)
{
	ork_test_product_fini(self->fd, &self->good);
	close(self->fd);
}

/* Queues many jobs on all cores, the first of them wedged if asked for, says so and waits for its end. */
static void victim(int ready, bool wedged)
{
	struct ork_test_product p;
	uint32_t syncobj;
	int i, ret = 0, fd = ork_test_open();

	if (ork_test_product_init(fd, &p, 1, 2048, 96, 3))
		_exit(1);
	if (wedged)
		p.weight_banks = 1;
	if (ork_test_product_program(fd, &p, wedged ? DRM_ORK_PROG_UNCHECKED_LIMITS : 0))
		_exit(1);
	for (i = 0; !ret && i < 100; i++)
		ret = ork_test_product_start(fd, &p, DRM_ORK_PLACE_SPLIT, 7, 1000, &syncobj);
	/* A queue that wedges is lost after a while. */
	if (ret && !(wedged && ret == -ECANCELED))
		_exit(1);
	if (write(ready, "x", 1) != 1)
		_exit(1);
	pause();
}

static pid_t start_victim(bool wedged)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid)
		victim(ready[1], wedged);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

/* Where a process may be when it is killed; what it waits for never comes. */
enum phase {
	IN_SUBMIT,
	IN_QUEUE,
	IN_JOB_WAIT,
	IN_BO_WAIT,
	ANYWHERE,
};

static void go_anywhere(int fd)
{
	struct ork_test_product p;
	uint32_t queue, vm;

	for (;;) {
		if (ork_test_queue_create(fd, DRM_ORK_PRIORITY_LOW, 0, &queue) ||
		    ork_test_vm_create(fd, &vm) ||
		    ork_test_product_init_in(fd, vm, &p, 8, 256, 96, 3) ||
		    ork_test_product_program(fd, &p, 0))
			_exit(1);
		p.queue = queue;
		if (ork_test_product_run(fd, &p, DRM_ORK_PLACE_SPLIT, 7, 0))
			_exit(1);
		ork_test_product_fini(fd, &p);
		if (ork_test_queue_destroy(fd, queue) || ork_test_vm_destroy(fd, vm))
			_exit(1);
	}
}

static void go_to(int fd, enum phase phase, int never)
{
	struct drm_ork_bo_wait bo_wait = { .timeout_ns = INT64_MAX };
	struct drm_ork_job_wait wait = { .timeout_ns = INT64_MAX };
	struct drm_ork_sync in = { 0 };
	uint64_t addresses[3], id;
	struct ork_test_product p;
	struct drm_ork_job job;

	if (ork_test_product_init(fd, &p, 8, 256, 96, 3) || ork_test_product_program(fd, &p, 0))
		_exit(1);
	job = ork_test_product_job(&p, addresses);
	job.placement = DRM_ORK_PLACE_SPLIT;
	job.core_mask = 3;
	job.flags = DRM_ORK_JOB_IMPLICIT_SYNC;
	job.in_syncs = (struct drm_ork_array){ sizeof(in), 1, (uintptr_t)&in };
	/* A point that nobody will submit, or the job that hangs. */
	if (phase == IN_SUBMIT ? ork_test_syncobj(fd, &in.handle) :
				 drmSyncobjFDToHandle(fd, never, &in.handle))
		_exit(1);
	if (ork_test_submit_one(fd, &job, &id))
		_exit(1);
	wait.id = id;
	bo_wait.handle = p.c.handle;
	if (phase == IN_JOB_WAIT)
		drmIoctl(fd, DRM_IOCTL_ORK_JOB_WAIT, &wait);
	else if (phase == IN_BO_WAIT)
		drmIoctl(fd, DRM_IOCTL_ORK_BO_WAIT, &bo_wait);
	pause();
}

/* Kills a process some time after it has started. Returns its status. */
static int kill_in(enum phase phase, int never, unsigned int after_us)
{
	int status, ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		int fd = ork_test_open();

		if (fd < 0 || write(ready[1], "x", 1) != 1)
			_exit(1);
		if (phase == ANYWHERE)
			go_anywhere(fd);
		go_to(fd, phase, never);
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		return -1;
	close(ready[0]);
	usleep(after_us);
	kill(pid, SIGKILL);
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

TEST_F(kill, cores_go_on_whatever_the_process_waited_for)
{
	struct ork_test_product hang;
	enum phase phase;
	uint32_t never;
	int fence;

	ASSERT_EQ(ork_test_hang_init(self->fd, &hang), 0);

	for (phase = IN_SUBMIT; phase < ANYWHERE; phase++) {
		ASSERT_EQ(ork_test_product_start(self->fd, &hang, DRM_ORK_PLACE_AUTO, 4, 4000, &never),
			  0);
		ASSERT_EQ(drmSyncobjHandleToFD(self->fd, never, &fence), 0);
		EXPECT_EQ(kill_in(phase, fence, 300000), SIGKILL);
		close(fence);
		EXPECT_EQ(ork_test_product_run(self->fd, &self->good, DRM_ORK_PLACE_SPLIT, 3, 0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &self->good), 0);
		EXPECT_EQ(ork_test_wait(self->fd, never, 20000), -ETIMEDOUT);
		/* The queue would be lost with four in a row. */
		EXPECT_EQ(ork_test_product_run(self->fd, &self->good, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
		drmSyncobjDestroy(self->fd, never);
	}
	ork_test_product_fini(self->fd, &hang);
}

TEST_F_TIMEOUT(kill, a_process_can_die_at_any_time, 120)
{
	int i;

	for (i = 0; i < 40; i++) {
		EXPECT_EQ(kill_in(ANYWHERE, -1, i * 7919 % 40000), SIGKILL);
		ASSERT_EQ(ork_test_product_run(self->fd, &self->good, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
		ASSERT_EQ(ork_test_product_check(self->fd, &self->good), 0);
	}
}

TEST_F(kill, cores_go_on_after_a_process_with_running_jobs_is_killed)
{
	int status;
	pid_t pid = start_victim(false);

	ASSERT_GT(pid, 0);
	ASSERT_EQ(kill(pid, SIGKILL), 0);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(ork_test_product_run(self->fd, &self->good, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->good), 0);
}

TEST_F(kill, a_killed_process_with_a_wedged_job_costs_one_timeout)
{
	struct drm_ork_device_info before, after;
	unsigned int core;
	int status;
	pid_t pid;

	ASSERT_EQ(ork_test_device(self->fd, &before), 0);
	pid = start_victim(true);
	ASSERT_GT(pid, 0);
	ASSERT_EQ(kill(pid, SIGKILL), 0);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(ork_test_product_run(self->fd, &self->good, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->good), 0);

	/* The hundred jobs behind the wedged ones died with their process. */
	ASSERT_EQ(ork_test_device(self->fd, &after), 0);
	for (core = 0; core < DRM_ORK_MAX_CORES; core++)
		EXPECT_LE(after.resets[core] - before.resets[core], 2);
}

TEST_HARNESS_MAIN
