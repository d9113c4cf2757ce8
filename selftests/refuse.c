// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * The clock's firmware refuses what it is asked for, or the MMU of a core does not answer: the jobs that meet it fail, with an
 * error that says so, and the device goes on when it is over. The emulated board has lines that do this (Documentation/emulator.rst).
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define FIRST_LINE 8
#define LINES 5
/* Of these. */
#define REFUSE_RATE 0
#define REFUSE_GATE 1
#define DEAF_MMU 2

#define DEVFREQ "/sys/class/devfreq/fdab0000.npu/"
#define LONG_MS 60000
#define STEP_US 10000

/* For as long as a core is awake. */
static int want_full_rate(bool full)
{
	int ret = ork_test_write_text(DEVFREQ "min_freq", full ? "600000000" : "0");

	return ret == -ENOENT ? 0 : ret;
}

FIXTURE(refuse)
{
	int fd, lines;
	struct ork_test_product p;
};

FIXTURE_SETUP(refuse)
{
	self->lines = ork_test_get_lines(FIRST_LINE, LINES);
	if (self->lines < 0)
		SKIP(return, "the board has no lines that break it, or not for us");
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
}

FIXTURE_TEARDOWN(refuse)
{
	int i;

	for (i = 0; i < LINES; i++)
		ork_test_set_line(self->lines, i, false);
	want_full_rate(false);
	ork_test_keep_awake(false);
	ork_test_product_fini(self->fd, &self->p);
	close(self->fd);
	close(self->lines);
}

static int run(FIXTURE_DATA(refuse) *self, uint32_t core_mask)
{
	int ret = ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_SPLIT, core_mask, 0);

	if (!ret && ork_test_product_check(self->fd, &self->p))
		ret = -EDOM;
	return ret;
}

TEST_F_TIMEOUT(refuse, rate_that_is_refused_costs_no_job, LONG_MS / 1000)
{
	ASSERT_EQ(want_full_rate(true), 0);
	ASSERT_TRUE(ork_test_power_goes_off());
	ASSERT_EQ(ork_test_set_line(self->lines, REFUSE_RATE, true), 0);
	EXPECT_EQ(run(self, 7), 0);
	ASSERT_EQ(ork_test_set_line(self->lines, REFUSE_RATE, false), 0);
	EXPECT_TRUE(ork_test_power_goes_off());
	EXPECT_EQ(run(self, 7), 0);
}

/* The power must not go while the clock is not parked. */
TEST_F_TIMEOUT(refuse, clock_that_cannot_be_parked_keeps_the_power_on, LONG_MS / 1000)
{
	int i;

	ASSERT_EQ(want_full_rate(true), 0);
	/* They are not to fall asleep before. */
	ASSERT_EQ(ork_test_keep_awake(true), 0);
	EXPECT_EQ(run(self, 7), 0);
	ASSERT_EQ(ork_test_set_line(self->lines, REFUSE_RATE, true), 0);
	ASSERT_EQ(ork_test_keep_awake(false), 0);
	for (i = 0; i < 100; i++) {
		usleep(STEP_US);
		EXPECT_TRUE(ork_test_power_is_on());
	}
	EXPECT_EQ(run(self, 7), 0);
	ASSERT_EQ(ork_test_set_line(self->lines, REFUSE_RATE, false), 0);
	EXPECT_EQ(run(self, 7), 0);
	EXPECT_TRUE(ork_test_power_goes_off());
	EXPECT_EQ(run(self, 7), 0);
}

TEST_F_TIMEOUT(refuse, clock_that_does_not_start_fails_the_jobs_until_it_does, LONG_MS / 1000)
{
	int i;

	ASSERT_TRUE(ork_test_power_goes_off());
	ASSERT_EQ(ork_test_set_line(self->lines, REFUSE_GATE, true), 0);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(run(self, 7), -ENODEV);
	ASSERT_EQ(ork_test_set_line(self->lines, REFUSE_GATE, false), 0);
	EXPECT_EQ(run(self, 7), 0);
	EXPECT_TRUE(ork_test_power_goes_off());
	EXPECT_EQ(run(self, 7), 0);
}

/* With the vendor's device tree the cores share one IOMMU, and get an address space together or not at all. */
static int others_result(void)
{
	return access(ORK_TEST_CORES "fdac0000.npu", F_OK) ? -ENODEV : 0;
}

TEST_F_TIMEOUT(refuse, core_whose_mmu_does_not_answer_fails_its_jobs_alone, LONG_MS / 1000)
{
	int core;

	for (core = 0; core < DRM_ORK_MAX_CORES; core++) {
		ASSERT_TRUE(ork_test_power_goes_off());
		ASSERT_EQ(ork_test_set_line(self->lines, DEAF_MMU + core, true), 0);
		EXPECT_EQ(run(self, 1u << core), -ENODEV);
		EXPECT_EQ(run(self, 1u << core), -ENODEV);
		EXPECT_EQ(run(self, 7 & ~(1u << core)), others_result());
		ASSERT_EQ(ork_test_set_line(self->lines, DEAF_MMU + core, false), 0);
		EXPECT_EQ(run(self, 1u << core), 0);
	}
}

TEST_HARNESS_MAIN
