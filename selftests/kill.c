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
	int i, fd = ork_test_open();

	if (ork_test_product_init(fd, &p, 1, 2048, 96, 3))
		_exit(1);
	if (wedged)
		p.weight_banks = 1;
	if (ork_test_product_program(fd, &p, wedged ? DRM_ORK_PROG_UNCHECKED_LIMITS : 0))
		_exit(1);
	for (i = 0; i < 100; i++)
		if (ork_test_product_start(fd, &p, DRM_ORK_PLACE_SPLIT, 7, 1000, &syncobj))
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
