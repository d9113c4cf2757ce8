// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * A core shares its interrupt line with its MMU, and interrupts can come for no reason: none of them ends a chain that has tasks
 * left. The emulated board has a line that makes them (Documentation/emulator.rst).
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define STRAY_LINE 16
#define LONG_MS 60000
#define HANG_TIMEOUT_MS 2000
#define HANG_TASKS 4
#define CHAIN_TASKS 48
#define ROUNDS 10
#define STEP_US 1000

FIXTURE(stray)
{
	int fd, line;
	struct ork_test_product p;
};

FIXTURE_SETUP(stray)
{
	self->line = ork_test_get_lines(STRAY_LINE, 1);
	if (self->line < 0)
		SKIP(return, "the board has no line that makes interrupts, or not for us");
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 2048, 32 * CHAIN_TASKS, CHAIN_TASKS), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
}

FIXTURE_TEARDOWN(stray)
{
	ork_test_product_fini(self->fd, &self->p);
	close(self->fd);
	close(self->line);
}

/* That came on the lines of the cores so far. */
static unsigned long interrupts(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	unsigned long sum = 0;
	char line[512], *at;

	while (file && fgets(line, sizeof(line), file)) {
		if (!strstr(line, ".npu"))
			continue;
		at = strchr(line, ':');
		while (at && strspn(at + 1, " 0123456789"))
			sum += strtoul(at + 1, &at, 10);
	}
	if (file)
		fclose(file);
	return sum;
}

/* Interrupts go astray until the job has ended. Returns its error, or a negative errno of what we did. */
static int run_among_strays(FIXTURE_DATA(stray) *self, struct drm_ork_job *job, struct drm_ork_job_wait *result)
{
	uint64_t id;
	int ret = ork_test_submit_one(self->fd, job, &id);

	if (ret)
		return ret;
	do {
		ret = ork_test_set_line(self->line, 0, true) ?: ork_test_set_line(self->line, 0, false);
		if (ret)
			return ret;
		usleep(STEP_US);
		ret = ork_test_job_wait(self->fd, id, 0, result);
	} while (ret == -ETIMEDOUT);
	return ret ?: result->error;
}

TEST_F_TIMEOUT(stray, interrupts_do_not_end_a_job_that_hangs, LONG_MS / 1000)
{
	struct drm_ork_job_wait result;
	struct ork_test_product hang;
	unsigned long before;
	uint64_t addresses[3];
	struct drm_ork_job job;
	int core;

	ASSERT_EQ(ork_test_hang_chain_init(self->fd, &hang, HANG_TASKS, HANG_TASKS - 1), 0);
	job = ork_test_product_job(&hang, addresses);
	job.timeout_ms = HANG_TIMEOUT_MS;
	for (core = 0; core < DRM_ORK_MAX_CORES; core++) {
		job.core_mask = 1u << core;
		before = interrupts();
		EXPECT_EQ(run_among_strays(self, &job, &result), -ETIMEDOUT);
		EXPECT_EQ(result.tasks_done, HANG_TASKS - 1);
		EXPECT_GT(interrupts(), before);
		EXPECT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_AUTO, job.core_mask, 0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
	}
	ork_test_product_fini(self->fd, &hang);
}

TEST_F_TIMEOUT(stray, interrupts_do_not_end_a_chain_early, LONG_MS / 1000)
{
	struct drm_ork_job_wait result;
	struct drm_ork_job job;
	uint64_t addresses[3];
	int i;

	job = ork_test_product_job(&self->p, addresses);
	for (i = 0; i < ROUNDS; i++) {
		job.core_mask = 1u << i % DRM_ORK_MAX_CORES;
		ASSERT_EQ(run_among_strays(self, &job, &result), 0);
		EXPECT_EQ(result.tasks_done, CHAIN_TASKS);
		EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
	}
}

TEST_HARNESS_MAIN
