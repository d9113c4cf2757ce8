// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * The rate of the compute clock and the power of the cores. What must not happen, a rate that is set without power or power
 * that goes at a high rate, only the board can tell: it reports it on the console or hangs.
 */

#include <endian.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define DEVFREQ "/sys/class/devfreq/fdab0000.npu/"
#define DEVICES "/sys/bus/platform/devices/"
#define OPPS "/proc/device-tree/opp-table-npu"
#define CLOCK "/sys/kernel/debug/clk/scmi_clk_npu/clk_rate"

#define MHZ 1000000l
#define PARKED_HZ (200 * MHZ)
#define SAFE_HZ (600 * MHZ)
#define MAX_RATES 32
#define WAIT_STEPS 2000
#define WAIT_STEP_US 10000

static long read_number(const char *path)
{
	char text[32];
	int ret = ork_test_read_text(path, text, sizeof(text));

	return ret ? ret : strtol(text, NULL, 10);
}

static int write_number(const char *path, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	return ork_test_write_text(path, text);
}

/* Two cells of a device tree's property. */
static uint64_t read_cells(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t value = 0;

	if (fd < 0 || read(fd, &value, sizeof(value)) != sizeof(value))
		value = 0;
	if (fd >= 0)
		close(fd);
	return be64toh(value);
}

static int set_rate(long hz)
{
	return write_number(DEVFREQ "userspace/set_freq", hz);
}

static int read_rates(long *rates)
{
	char text[1024], *next = text, *end;
	int count = 0;

	if (ork_test_read_text(DEVFREQ "available_frequencies", text, sizeof(text)))
		return 0;
	while (count < MAX_RATES) {
		rates[count] = strtol(next, &end, 10);
		if (end == next)
			break;
		count++;
		next = end;
	}
	return count;
}

static void power_path(char *path, size_t size, int device, const char *name)
{
	snprintf(path, size, DEVICES "%s/power/%s", ork_test_devices[device], name);
}

/* Of all devices that there are. Returns 0 or the first error. */
static int set_power(const char *name, const char *value)
{
	char path[128];
	int i, ret = 0;

	for (i = 0; i < 3 && !ret; i++) {
		power_path(path, sizeof(path), i, name);
		if (!access(path, W_OK))
			ret = ork_test_write_text(path, value);
	}
	return ret;
}

static bool all_are(const char *status)
{
	char path[128], text[32];
	int i;

	for (i = 0; i < 3; i++) {
		power_path(path, sizeof(path), i, "runtime_status");
		if (!ork_test_read_text(path, text, sizeof(text)) && strcmp(text, status))
			return false;
	}
	return true;
}

static bool become(const char *status)
{
	int i;

	for (i = 0; i < WAIT_STEPS && !all_are(status); i++)
		usleep(WAIT_STEP_US);
	return i < WAIT_STEPS;
}

FIXTURE(power)
{
	int fd, rate_count;
	long rates[MAX_RATES];
	long min_hz, max_hz;
	char governor[32];
	struct ork_test_product product;
};

FIXTURE_SETUP(power)
{
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->product, 64, 512, 384, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->product, 0), 0);

	ASSERT_EQ(ork_test_read_text(DEVFREQ "governor", self->governor, sizeof(self->governor)), 0);
	self->min_hz = read_number(DEVFREQ "min_freq");
	self->max_hz = read_number(DEVFREQ "max_freq");
	self->rate_count = read_rates(self->rates);
	ASSERT_GE(self->rate_count, 2);
	ASSERT_EQ(ork_test_write_text(DEVFREQ "governor", "userspace"), 0);
}

FIXTURE_TEARDOWN(power)
{
	ork_test_write_text(DEVFREQ "governor", self->governor);
	write_number(DEVFREQ "min_freq", self->min_hz);
	write_number(DEVFREQ "max_freq", self->max_hz);
	set_power("control", "auto");
	set_power("autosuspend_delay_ms", "100");
	ork_test_product_fini(self->fd, &self->product);
	close(self->fd);
}

TEST_F(power, ceiling_is_safe_until_somebody_raises_it)
{
	int i;

	EXPECT_LE(self->max_hz, SAFE_HZ);
	EXPECT_EQ(self->min_hz, self->rates[0]);
	for (i = 1; i < self->rate_count; i++)
		EXPECT_GT(self->rates[i], self->rates[i - 1]);
}

TEST_F(power, operating_points_of_the_device_tree_are_the_rates)
{
	glob_t found;
	size_t i;
	int k;

	if (glob(OPPS "/opp-*/opp-hz", 0, NULL, &found))
		SKIP(return, "no " OPPS);

	EXPECT_EQ(found.gl_pathc, self->rate_count);
	for (i = 0; i < found.gl_pathc; i++) {
		uint64_t hz = read_cells(found.gl_pathv[i]);

		for (k = 0; k < self->rate_count && self->rates[k] != hz; k++)
			;
		EXPECT_LT(k, self->rate_count);
	}
	globfree(&found);
}

TEST_F(power, ceiling_can_be_raised_to_the_last_rate)
{
	long last = self->rates[self->rate_count - 1];

	ASSERT_EQ(set_power("control", "on"), 0);
	ASSERT_EQ(set_rate(last), 0);
	EXPECT_EQ(read_number(DEVFREQ "cur_freq"), self->max_hz);
	ASSERT_EQ(write_number(DEVFREQ "max_freq", last), 0);
	EXPECT_EQ(read_number(DEVFREQ "cur_freq"), last);
	ASSERT_EQ(set_rate(self->rates[0]), 0);
	EXPECT_EQ(read_number(DEVFREQ "cur_freq"), self->rates[0]);
}

TEST_F(power, rate_stays_within_min_and_max)
{
	long low = self->rates[1], high = self->max_hz;

	ASSERT_EQ(set_power("control", "on"), 0);
	ASSERT_EQ(write_number(DEVFREQ "min_freq", low), 0);
	ASSERT_EQ(set_rate(self->rates[0]), 0);
	EXPECT_EQ(read_number(DEVFREQ "cur_freq"), low);

	ASSERT_EQ(set_rate(high), 0);
	EXPECT_EQ(read_number(DEVFREQ "cur_freq"), high);
	ASSERT_EQ(write_number(DEVFREQ "max_freq", low), 0);
	EXPECT_EQ(read_number(DEVFREQ "cur_freq"), low);
}

TEST_F(power, chosen_rate_is_what_the_clock_has)
{
	int i;

	if (access(CLOCK, R_OK))
		SKIP(return, "no " CLOCK);

	ASSERT_EQ(set_power("control", "on"), 0);
	for (i = 0; i < self->rate_count && self->rates[i] <= self->max_hz; i++) {
		ASSERT_EQ(set_rate(self->rates[i]), 0);
		EXPECT_EQ(read_number(DEVFREQ "cur_freq"), self->rates[i]);
		EXPECT_EQ(read_number(CLOCK), self->rates[i]);
	}
}

TEST_F(power, rate_waits_for_power_and_is_parked_without)
{
	ASSERT_EQ(set_power("autosuspend_delay_ms", "0"), 0);
	ASSERT_EQ(set_power("control", "auto"), 0);
	ASSERT_TRUE(become("suspended"));
	EXPECT_EQ(read_number(DEVFREQ "cur_freq"), PARKED_HZ);

	ASSERT_EQ(set_rate(self->max_hz), 0);
	EXPECT_EQ(read_number(DEVFREQ "target_freq"), self->max_hz);
	EXPECT_EQ(read_number(DEVFREQ "cur_freq"), PARKED_HZ);

	ASSERT_EQ(set_power("control", "on"), 0);
	EXPECT_EQ(read_number(DEVFREQ "cur_freq"), self->max_hz);

	ASSERT_EQ(set_power("control", "auto"), 0);
	ASSERT_TRUE(become("suspended"));
	EXPECT_EQ(read_number(DEVFREQ "cur_freq"), PARKED_HZ);
}

TEST_F(power, one_core_awake_keeps_the_rate)
{
	char path[128];
	int i;

	ASSERT_EQ(set_power("autosuspend_delay_ms", "0"), 0);
	ASSERT_EQ(set_rate(self->max_hz), 0);
	power_path(path, sizeof(path), 0, "control");
	ASSERT_EQ(ork_test_write_text(path, "on"), 0);

	for (i = 0; i < 10; i++) {
		ASSERT_EQ(ork_test_product_run(self->fd, &self->product, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
		ASSERT_EQ(ork_test_product_check(self->fd, &self->product), 0);
		EXPECT_EQ(read_number(DEVFREQ "cur_freq"), self->max_hz);
	}
}

TEST_F(power, autosuspend_delay_is_obeyed)
{
	ASSERT_EQ(set_power("autosuspend_delay_ms", "-1"), 0);
	ASSERT_EQ(ork_test_product_run(self->fd, &self->product, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	/* Several times the delay that the driver starts with. */
	usleep(500000);
	EXPECT_TRUE(all_are("active"));

	ASSERT_EQ(set_power("autosuspend_delay_ms", "0"), 0);
	EXPECT_TRUE(become("suspended"));
}

static volatile sig_atomic_t stop;

static void handle_stop(int number)
{
	stop = 1;
}

/* Changes the rate until it is told to stop. */
static void change_rates(const long *rates, int count)
{
	struct sigaction action = { .sa_handler = handle_stop };
	int i, failed = 0;

	sigaction(SIGTERM, &action, NULL);
	for (i = 0; !stop; i++)
		failed |= set_rate(rates[i % count]);
	_exit(failed != 0);
}

TEST_F_TIMEOUT(power, jobs_are_right_while_rate_and_power_change, 180)
{
	static const uint32_t mask[] = { 7, 1, 6, 2, 5, 4 };
	int i, status;
	pid_t child;

	/* Cores go to sleep after each job. */
	ASSERT_EQ(set_power("autosuspend_delay_ms", "0"), 0);
	ASSERT_EQ(write_number(DEVFREQ "max_freq", self->rates[self->rate_count - 1]), 0);
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		change_rates(self->rates, self->rate_count);

	for (i = 0; i < 36; i++) {
		EXPECT_EQ(ork_test_product_run(self->fd, &self->product, DRM_ORK_PLACE_SPLIT, mask[i % 6], 0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &self->product), 0);
	}

	kill(child, SIGTERM);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
}

TEST_F_TIMEOUT(power, load_raises_the_rate_and_idleness_lowers_it, 180)
{
	uint32_t syncobj[8];
	int i, tries;

	ASSERT_EQ(ork_test_write_text(DEVFREQ "governor", "simple_ondemand"), 0);
	for (tries = 0; tries < WAIT_STEPS && read_number(DEVFREQ "target_freq") != self->rates[0]; tries++)
		usleep(WAIT_STEP_US);
	ASSERT_LT(tries, WAIT_STEPS);

	for (tries = 0; tries < WAIT_STEPS && read_number(DEVFREQ "target_freq") != self->max_hz; tries++) {
		for (i = 0; i < 8; i++)
			ASSERT_EQ(ork_test_product_start(self->fd, &self->product, DRM_ORK_PLACE_AUTO, 1, 0,
							 &syncobj[i]), 0);
		for (i = 0; i < 8; i++) {
			ASSERT_EQ(ork_test_wait(self->fd, syncobj[i], 20000), 0);
			drmSyncobjDestroy(self->fd, syncobj[i]);
		}
	}
	EXPECT_LT(tries, WAIT_STEPS);

	for (tries = 0; tries < WAIT_STEPS && read_number(DEVFREQ "target_freq") != self->rates[0]; tries++)
		usleep(WAIT_STEP_US);
	EXPECT_LT(tries, WAIT_STEPS);
}

TEST_HARNESS_MAIN
